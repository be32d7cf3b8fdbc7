package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.fill;
import static io.verbena.nic.append.AppendFixture.intact;
import static io.verbena.nic.wire.AppendEthFlyweight.MAX_STREAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.nic.append.AppendFixture.Collector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records that outlive their handler. */
@Timeout(180)
class HoldTest {
    private static final int LARGE = CHUNK;
    private static final long PATIENCE_NANOS = 45_000_000_000L; // less than the limit, which does not end a loop

    private final AppendFixture nic = new AppendFixture();
    private final Collector collector = new Collector();
    private final AppendQueue queue = nic.create(attributes().reserveChunks(1));
    private final Appender peer = nic.peer();
    private final Appender owner = nic.queues.appender(0);

    private void appendAndHold(int number, int length, AppendRecord into) {
        assertThat(append(peer, queue, 3, number, length, 1)).isEqualTo(Appender.OK);
        assertThat(queue.poll((b, o, l, q, i, f) -> queue.hold(into), 1)).isEqualTo(1);
    }

    private static void check(AppendRecord record, int number, int length) {
        assertThat(record.isHeld()).isTrue();
        assertThat(record.qpNumber()).isEqualTo(3);
        assertThat(record.immediate()).isEqualTo(number);
        assertThat(record.hasImmediate()).isTrue();
        assertThat(record.length()).isEqualTo(length);
        assertThat(record.offset() % 8).isZero();
        assertThat(intact(record.buffer(), record.offset(), length, 3, number)).isTrue();
    }

    private void appendLarge(int number) {
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LARGE, 3, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LARGE, 3, 0))
                .isEqualTo(Appender.OK);
        fill(owner.large().buffer(), 0, LARGE, 3, number);
        assertThat(owner.large().commit(owner.large().claimed(), 3, number, true))
                .isEqualTo(Appender.OK);
    }

    @Test
    void recordKnowsItsStream() {
        AppendRecord record = new AppendRecord();
        appendOfStream(MAX_STREAM);
        assertThat(queue.poll((b, o, l, q, i, f) -> queue.hold(record), 1)).isEqualTo(1);
        assertThat(record.stream()).isEqualTo(MAX_STREAM);
        assertThat(record.hasImmediate()).isFalse();
        record.release();
        AppendConsumer consumer = queue.consumer();
        appendOfStream(1);
        assertThat(consumer.take(new AppendRecord[] {record}, 1)).isEqualTo(1);
        assertThat(record.stream()).isOne();
        record.release();
        appendOfStream(2);
        assertThat(consumer.poll(
                        (b, o, l, q, i, f) ->
                                assertThat(RecordDescriptor.stream(f)).isEqualTo(2),
                        1))
                .isEqualTo(1);
        appendAndTake(consumer, record);
        assertThat(record.stream()).as("of who named none").isZero();
        record.release();
    }

    private void appendOfStream(int stream) {
        assertThat(AppendFixture.claim(peer, queue, 8, 1)).isEqualTo(Appender.OK);
        assertThat(peer.commitRun(RecordDescriptor.committed(8, RecordDescriptor.streamFlags(stream))))
                .isTrue();
    }

    private void appendAndTake(AppendConsumer consumer, AppendRecord into) {
        assertThat(append(peer, queue, 3, 1, 8, 1)).isEqualTo(Appender.OK);
        assertThat(consumer.take(new AppendRecord[] {into}, 1)).isEqualTo(1);
    }

    @Test
    void oneOfManyKeepsItsChunkAndNoOther() {
        AppendRecord record = new AppendRecord();
        appendAndHold(-1, 100, record);
        for (int number = 0; number < 100_000; number++) {
            assertThat(append(peer, queue, 3, number, 32, 1)).isEqualTo(Appender.OK);
            assertThat(queue.poll(collector, 10)).isEqualTo(1);
            if (number % 50 == 0) {
                nic.allocator.doWork();
            }
            collector.messages.clear();
        }
        assertThat(queue.query().highWater()).isLessThanOrEqualTo(3 * CHUNK);
        assertThat(queue.query().rnr()).isZero();
        assertThat(queue.query().heldRecords()).isEqualTo(1);
        assertThat(queue.query().heldBytes()).isEqualTo(120);
        assertThat(queue.query().heldChunks()).isEqualTo(1);
        assertThat(queue.query().setAside()).isZero();
        check(record, -1, 100);
        int wakes = nic.allocatorWakes.get();
        record.release();
        assertThat(nic.allocatorWakes.get()).as("the chunk waits for it").isGreaterThan(wakes);
        nic.settle();
        nic.clock.addAndGet(2_000_000_000L);
        nic.settle();
        nic.clock.addAndGet(2_000_000_000L);
        nic.settle();
        AppendQueueStatistics after = queue.query();
        assertThat(after.heldRecords()).isZero();
        assertThat(after.heldBytes()).isZero();
        assertThat(after.heldChunks()).isZero();
        assertThat(after.footprint()).isEqualTo(2 * CHUNK);
    }

    @Test
    void anyOrderOfReleaseBringsEverythingBack() {
        Random random = new Random(5);
        List<AppendRecord> held = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        for (int round = 0; round < 30; round++) {
            for (int number = 0; number < 200; number++) {
                int length = random.nextInt(1000);
                AppendRecord record = new AppendRecord();
                int status = append(peer, queue, 3, number * 1000 + length, length, 1);
                if (status == Appender.RNR) {
                    break; // what is held counts against the memory
                }
                assertThat(queue.poll((b, o, l, q, i, f) -> queue.hold(record), 1))
                        .isEqualTo(1);
                held.add(record);
                numbers.add(number * 1000 + length);
                nic.settle();
            }
            assertThat(queue.query().heldRecords()).isEqualTo(held.size());
            assertThat(queue.query().footprint())
                    .isLessThanOrEqualTo(queue.attributes().memoryLimit());
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < held.size(); i++) {
                order.add(i);
            }
            Collections.shuffle(order, random);
            for (int i : order) {
                check(held.get(i), numbers.get(i), numbers.get(i) % 1000);
                held.get(i).release();
            }
            held.clear();
            numbers.clear();
            nic.settle();
            assertThat(queue.query().heldChunks()).isZero();
        }
        assertThat(queue.query().heldBytes()).isZero();
        // The chunks that come back are clean.
        for (int i = 0; i < 50; i++) {
            assertThat(AppendFixture.claim(owner, queue, CHUNK / 4, Appender.OWNER))
                    .isEqualTo(Appender.OK);
            for (int j = 0; j < CHUNK / 4; j += 8) {
                assertThat(owner.roomBuffer().getLong(AppendFixture.payload(owner) + j))
                        .isZero();
            }
            fill(owner.roomBuffer(), AppendFixture.payload(owner), CHUNK / 4, 3, i);
            AppendFixture.commit(owner, CHUNK / 4, 3, i);
            assertThat(queue.poll(collector, 2)).isEqualTo(1);
            nic.settle();
        }
    }

    @Test
    void heldMemoryCountsAndReleaseMakesRoom() {
        AppendQueue small =
                nic.create(attributes().reserveChunks(1).maxMessage(CHUNK / 4).memoryLimit(4 * CHUNK));
        ArrayDeque<AppendRecord> held = new ArrayDeque<>();
        int number = 0;
        while (append(peer, small, 3, number, CHUNK / 4 - 100, 1) == Appender.OK) {
            AppendRecord record = new AppendRecord();
            small.poll((b, o, l, q, i, f) -> small.hold(record), 1);
            held.add(record);
            number++;
            nic.settle();
        }
        assertThat(small.depth()).isZero();
        assertThat(small.query().footprint()).isEqualTo(4 * CHUNK);
        long rnr = small.query().rnr();
        assertThat(rnr).isEqualTo(1);
        for (int i = 0; i < 4; i++) {
            held.remove().release(); // all of the oldest chunk
        }
        nic.settle();
        assertThat(append(peer, small, 3, number, CHUNK / 4 - 100, 1)).isEqualTo(Appender.OK);
        assertThat(small.query().rnr()).isEqualTo(rnr);
    }

    @Test
    void largeMessageIsHeldWithoutItsRecord() {
        AppendRecord record = new AppendRecord();
        appendLarge(7);
        assertThat(queue.poll((b, o, l, q, i, f) -> queue.hold(record), 1)).isEqualTo(1);
        nic.settle();
        check(record, 7, LARGE);
        assertThat(queue.query().heldBytes()).isEqualTo(LARGE);
        assertThat(queue.query().footprint()).isEqualTo(2 * CHUNK + LARGE);
        for (int number = 0; number < 5000; number++) {
            assertThat(append(peer, queue, 3, number, 100, 1)).isEqualTo(Appender.OK);
            queue.poll(collector, 10);
        }
        nic.settle();
        assertThat(queue.query().heldChunks()).isZero();
        check(record, 7, LARGE);
        record.release();
        nic.rest();
        assertThat(queue.query().footprint()).isEqualTo(2 * CHUNK);
        assertThat(queue.query().heldRecords()).isZero();
    }

    @Test
    void misuseNamesWhatIsWrong() {
        AppendRecord record = new AppendRecord();
        AppendRecord other = new AppendRecord();
        assertThatIllegalStateException().isThrownBy(() -> queue.hold(record)).withMessageContaining("inside");
        assertThatIllegalStateException().isThrownBy(record::release).withMessageContaining("not held");
        append(peer, queue, 3, 1, 10, 1);
        append(peer, queue, 3, 2, 10, 1);
        queue.poll(
                (b, o, l, q, i, f) -> {
                    queue.hold(record);
                    assertThatIllegalStateException()
                            .isThrownBy(() -> queue.hold(other))
                            .withMessageContaining("held already");
                },
                1);
        queue.poll(
                (b, o, l, q, i, f) -> assertThatIllegalStateException()
                        .isThrownBy(() -> queue.hold(record))
                        .withMessageContaining("release it first"),
                1);
        assertThatIllegalStateException().isThrownBy(() -> queue.hold(other)).withMessageContaining("inside");
        assertThat(other.isHeld()).isFalse();
        assertThat(other.buffer().capacity()).isZero();
        assertThat(queue.query().heldRecords()).isEqualTo(1);
        check(record, 1, 10);
        record.release();
        assertThatIllegalStateException().isThrownBy(record::release).withMessageContaining("twice");
        assertThat(record.buffer().capacity()).isZero();
        assertThat(queue.query().heldRecords()).isZero();
        appendAndHold(3, 20, record);
        check(record, 3, 20);
        record.release();
    }

    @Test
    void destroyIsBusyUnlessForcedAndMemoryStaysUntilTheRelease() {
        AppendRecord record = new AppendRecord();
        AppendRecord large = new AppendRecord();
        appendAndHold(1, 1000, record);
        appendLarge(2);
        queue.poll((b, o, l, q, i, f) -> queue.hold(large), 1);
        assertThat(queue.depth()).isZero();
        assertThat(queue.destroy(false)).as("EBUSY").isFalse();
        assertThat(append(peer, queue, 3, 5, 10, 1)).as("nothing has changed").isEqualTo(Appender.OK);
        assertThat(queue.destroy(true)).isTrue();
        nic.settle();
        assertThat(queue.isFreed()).isFalse();
        check(record, 1, 1000);
        check(large, 2, LARGE);
        large.release();
        nic.settle();
        assertThat(queue.isFreed()).isFalse();
        assertThat(nic.create(attributes().reserveChunks(1)).id())
                .as("its id is in use")
                .isNotEqualTo(queue.id());
        record.release();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
        AppendQueue next = nic.create(attributes().reserveChunks(1));
        assertThat(next.id()).isEqualTo(queue.id());
        assertThat(next.query().heldRecords()).isZero();
    }

    /** A thread that keeps nothing going, and says what it failed with. */
    private static Thread helper(Queue<Throwable> failures, Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                failures.add(e);
            }
        });
        thread.setDaemon(true);
        return thread;
    }

    /** The chunk that the consumer was in goes at once, and nobody looks into it again. */
    @Test
    void whatIsHeldOfADestroyedQueueKeepsItsChunkAlone() {
        AppendRecord record = new AppendRecord();
        appendAndHold(-1, 100, record);
        for (int number = 0; number < 2 * CHUNK / 1000; number++) {
            assertThat(append(peer, queue, 3, number, 1000, 1)).isEqualTo(Appender.OK);
            assertThat(queue.poll(collector, 10)).isEqualTo(1);
            nic.allocator.doWork();
        }
        assertThat(queue.destroy(true)).isTrue();
        for (int turn = 0; turn < 4; turn++) {
            nic.clock.addAndGet(2_000_000_000L);
            nic.settle();
        }
        assertThat(queue.isFreed()).isFalse();
        check(record, -1, 100);
        record.release();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
    }

    /** Lets other threads run; not after one of them has failed, nor for ever. */
    private static void giveWay(long begin, Queue<Throwable> failures) {
        Throwable failure = failures.peek();
        if (failure != null || System.nanoTime() - begin > PATIENCE_NANOS) {
            throw new AssertionError("the other threads do not go on", failure);
        }
        Thread.yield();
    }

    private static void releaseUntil(AtomicBoolean stop, Queue<AppendRecord> out, Queue<AppendRecord> back) {
        while (!stop.get() || !out.isEmpty()) {
            AppendRecord record = out.poll();
            if (record == null) {
                Thread.yield();
                continue;
            }
            check(record, record.immediate(), record.length());
            record.release();
            back.add(record);
        }
    }

    @Test
    void otherThreadsReleaseWhileTheQueueGoesOn() throws InterruptedException {
        ConcurrentLinkedQueue<AppendRecord> out = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<AppendRecord> back = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        AtomicBoolean stop = new AtomicBoolean();
        for (int i = 0; i < 300; i++) {
            back.add(new AppendRecord());
        }
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            threads.add(helper(failures, () -> releaseUntil(stop, out, back)));
        }
        threads.add(helper(failures, () -> {
            while (!stop.get()) {
                nic.allocator.doWork();
                Thread.yield();
            }
        }));
        threads.forEach(Thread::start);
        long begin = System.nanoTime();
        Random random = new Random(3);
        int taken = 0;
        try {
            for (int number = 0; number < 60_000; number++) {
                AppendRecord record;
                while ((record = back.poll()) == null) {
                    giveWay(begin, failures);
                }
                while (append(peer, queue, 3, number, random.nextInt(300), 1) == Appender.RNR) {
                    queue.poll(collector, 1);
                    giveWay(begin, failures);
                }
                AppendRecord into = record;
                taken += queue.poll((b, o, l, q, i, f) -> queue.hold(into), 1);
                out.add(into);
            }
        } finally {
            stop.set(true);
        }
        for (Thread thread : threads) {
            thread.join(PATIENCE_NANOS / 1_000_000);
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(failures).isEmpty();
        assertThat(taken).isEqualTo(60_000);
        nic.settle();
        assertThat(queue.query().heldRecords()).isZero();
        assertThat(queue.query().heldBytes()).isZero();
        assertThat(queue.query().heldChunks()).isZero();
        assertThat(queue.destroy(false)).isTrue();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
    }
}
