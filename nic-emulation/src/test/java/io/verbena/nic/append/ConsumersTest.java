package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.fill;
import static io.verbena.nic.append.AppendFixture.intact;
import static io.verbena.nic.append.RecordDescriptor.HEADER_LENGTH;
import static io.verbena.nic.append.RecordDescriptor.LARGE;
import static io.verbena.nic.append.RecordDescriptor.PADDING;
import static io.verbena.nic.append.RecordDescriptor.PAYLOAD_OFFSET;
import static io.verbena.nic.append.RecordDescriptor.REFERENCE_LENGTH;
import static io.verbena.nic.append.RecordDescriptor.word;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.append.AppendFixture.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several consumers of one queue. */
@Timeout(180)
class ConsumersTest {
    private final AppendFixture nic = new AppendFixture();
    private final AppendQueue queue = nic.create(attributes().reserveChunks(2));
    private final Appender peer = nic.peer();
    private final Collector collector = new Collector();

    private List<Integer> numbers() {
        List<Integer> numbers = collector.messages.stream().map(Message::number).toList();
        collector.messages.clear();
        return numbers;
    }

    @Test
    void eachTakesTheNextRecordsInQueueOrder() {
        AppendConsumer one = queue.consumer();
        AppendConsumer two = queue.consumer();
        for (int number = 0; number < 10; number++) {
            append(peer, queue, 3, number, 40, 1);
        }
        assertThat(one.isEmpty()).isFalse();
        assertThat(one.poll(collector, 3)).isEqualTo(3);
        assertThat(two.poll(collector, 2)).isEqualTo(2);
        assertThat(one.poll(collector, 100)).isEqualTo(5);
        assertThat(numbers()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(one.poll(collector, 100)).isZero();
        assertThat(one.isEmpty()).isTrue();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.depth()).isZero();
        assertThat(queue.query().records()).isEqualTo(10);
        assertThat(queue.query().bytes()).isEqualTo(400);
        assertThat(queue.query().heldRecords()).isZero();
        assertThat(one.queue()).isSameAs(queue);
    }

    @Test
    void pollOfTheQueueIsRefusedNamingBoth() {
        AppendConsumer one = queue.consumer();
        assertThatIllegalStateException()
                .isThrownBy(() -> queue.poll(collector, 1))
                .withMessageContaining("AppendConsumer.poll")
                .withMessageContaining("AppendQueue.poll");
        assertThatIllegalStateException()
                .isThrownBy(() -> queue.hold(new AppendRecord()))
                .withMessageContaining("AppendConsumer.hold");
        assertThatIllegalStateException()
                .isThrownBy(() -> one.hold(new AppendRecord()))
                .withMessageContaining("inside");
    }

    @Test
    void slowOneHoldsNobody() {
        AppendConsumer slow = queue.consumer();
        AppendConsumer fast = queue.consumer();
        append(peer, queue, 3, -1, 50, 1);
        append(peer, queue, 3, -2, 50, 1);
        int[] seen = new int[1];
        slow.poll(
                (buffer, offset, length, qp, immediate, flags) -> {
                    // In the middle of its handler the others go on, over and over the ring.
                    for (int number = 0; number < 20_000; number++) {
                        assertThat(append(peer, queue, 3, number, 100, 1)).isEqualTo(Appender.OK);
                        while (collector.messages.isEmpty()) {
                            fast.poll(collector, 64);
                        }
                        seen[0] += collector.messages.size();
                        collector.messages.clear();
                        nic.allocator.doWork();
                    }
                    assertThat(intact(buffer, offset, length, 3, -1)).isTrue();
                },
                1);
        assertThat(seen[0]).isEqualTo(20_001);
        assertThat(queue.query().rnr()).isZero();
        assertThat(queue.query().highWater()).isLessThanOrEqualTo(5 * CHUNK);
        nic.settle();
        assertThat(queue.query().heldChunks()).isZero();
    }

    @Test
    void whoThrowsHasConsumedThatOneAndFindsTheRestOfItsBatch() {
        AppendConsumer one = queue.consumer();
        AppendConsumer two = queue.consumer();
        for (int number = 0; number < 6; number++) {
            append(peer, queue, 3, number, 10, 1);
        }
        assertThatThrownBy(() -> one.poll(
                        (buffer, offset, length, qp, immediate, flags) -> {
                            if (immediate == 1) {
                                throw new IllegalArgumentException("no");
                            }
                        },
                        4))
                .hasMessage("no");
        assertThat(queue.query().heldRecords()).isEqualTo(4);
        assertThat(queue.destroy(false)).as("EBUSY").isFalse();
        assertThat(two.poll(collector, 10)).isEqualTo(2);
        assertThat(numbers()).containsExactly(4, 5);
        assertThat(one.isEmpty()).isFalse();
        assertThat(one.poll(collector, 1)).isEqualTo(1);
        assertThat(one.poll(collector, 10)).isEqualTo(1);
        assertThat(numbers()).containsExactly(2, 3);
        assertThat(queue.query().heldRecords()).isZero();
        assertThat(queue.destroy(false)).isTrue();
    }

    @Test
    void takesRecordsThatStay() {
        AppendConsumer one = queue.consumer();
        AppendRecord[] records = new AppendRecord[8];
        for (int i = 0; i < records.length; i++) {
            records[i] = new AppendRecord();
        }
        for (int number = 0; number < 12; number++) {
            append(peer, queue, 3, number, 30, 1);
        }
        assertThat(one.take(records, 3)).isEqualTo(3);
        assertThat(queue.query().heldRecords()).isEqualTo(3);
        assertThat(queue.query().heldBytes()).isEqualTo(3 * 48);
        assertThatIllegalStateException().isThrownBy(() -> one.take(records, 4)).withMessageContaining("record 0 of 4");
        assertThat(one.poll(collector, 2)).isEqualTo(2);
        assertThat(numbers()).containsExactly(3, 4);
        records[1].release();
        records[0].release();
        records[2].release();
        assertThat(one.take(records, 100)).isEqualTo(7);
        for (int i = 0; i < 7; i++) {
            assertThat(records[i].immediate()).isEqualTo(5 + i);
            assertThat(intact(records[i].buffer(), records[i].offset(), 30, 3, 5 + i))
                    .isTrue();
            records[i].release();
        }
        assertThat(one.take(records, 100)).isZero();
        assertThat(queue.query().heldRecords()).isZero();
        assertThat(queue.query().heldBytes()).isZero();
        assertThat(queue.destroy(false)).isTrue();
        assertThat(one.take(records, 1)).isZero();
        assertThat(one.poll(collector, 1)).isZero();
    }

    @Test
    void largeMessagesAreHeldAndGivenBackToo() {
        Appender owner = nic.queues.appender(0);
        AppendConsumer one = queue.consumer();
        AppendRecord held = new AppendRecord();
        AppendRecord[] taken = {new AppendRecord()};
        for (int number = 0; number < 3; number++) {
            owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, 3, 0);
            nic.settle();
            assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, 3, 0))
                    .isEqualTo(Appender.OK);
            fill(owner.large().buffer(), 0, CHUNK, 3, number);
            owner.large().commit(owner.large().claimed(), 3, number, true);
        }
        long footprint = queue.query().footprint();
        assertThat(one.poll((b, o, l, q, i, f) -> one.hold(held), 1)).isEqualTo(1);
        assertThat(one.poll(collector, 1)).isEqualTo(1);
        assertThat(one.take(taken, 1)).isEqualTo(1);
        assertThat(queue.query().heldBytes()).isEqualTo(2 * CHUNK);
        assertThat(queue.query().heldRecords()).isEqualTo(2);
        nic.rest();
        assertThat(queue.query().footprint()).isEqualTo(footprint - CHUNK);
        assertThat(intact(held.buffer(), held.offset(), CHUNK, 3, 0)).isTrue();
        assertThat(intact(taken[0].buffer(), taken[0].offset(), CHUNK, 3, 2)).isTrue();
        held.release();
        taken[0].release();
        nic.rest();
        assertThat(queue.query().footprint()).isEqualTo(footprint - 3L * CHUNK);
        assertThat(queue.query().bytes()).isEqualTo(3L * CHUNK);
    }

    private void throwAtTheFirst(AppendConsumer consumer) {
        assertThatIllegalStateException()
                .isThrownBy(() -> consumer.poll(
                        (buffer, offset, length, qp, immediate, flags) -> {
                            throw new IllegalStateException("no");
                        },
                        10))
                .withMessage("no");
    }

    @Test
    void whatAHandlerThatThrewHasLeftGoesWithTheQueue() {
        Appender owner = nic.queues.appender(0);
        AppendConsumer one = queue.consumer();
        append(peer, queue, 3, 1, 500, 1);
        append(peer, queue, 3, 2, 500, 1);
        owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, 3, 0);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, 3, 0))
                .isEqualTo(Appender.OK);
        owner.large().commit(owner.large().claimed(), 3, 3, true);
        throwAtTheFirst(one);
        assertThat(one.isEmpty()).isFalse();
        assertThat(queue.query().heldRecords()).isEqualTo(3);
        assertThat(queue.destroy(false)).as("EBUSY").isFalse();
        assertThat(queue.destroy(true)).isTrue();
        nic.settle();
        assertThat(queue.query().heldRecords()).isZero();
        assertThat(queue.isFreed()).isTrue();
        assertThat(one.isEmpty()).isTrue();
        assertThat(one.poll(collector, 10)).isZero();
        assertThat(collector.messages).isEmpty();
    }

    @Test
    void whatAHandlerLeavesThatThrowsBehindADestroyedQueueGoesToo() {
        AppendConsumer one = queue.consumer();
        append(peer, queue, 3, 1, 500, 1);
        append(peer, queue, 3, 2, 500, 1);
        assertThatIllegalStateException()
                .isThrownBy(() -> one.poll(
                        (buffer, offset, length, qp, immediate, flags) -> {
                            assertThat(queue.destroy(true)).isTrue();
                            nic.settle();
                            throw new IllegalStateException("no");
                        },
                        10))
                .withMessage("no");
        assertThat(queue.isFreed()).isFalse();
        int wakes = nic.allocatorWakes.get();
        assertThat(wakes).isPositive();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
    }

    /** A record is overwritten as no sender writes it: those before it are delivered, then it is named. */
    @Test
    void whatIsNotedBeforeACorruptRecordIsDelivered() {
        AppendConsumer one = queue.consumer();
        int[] bad = new int[2];
        for (int number = 0; number < 6; number++) {
            assertThat(append(peer, queue, 3, number, 32, 1)).isEqualTo(Appender.OK);
            if (number == 2 || number == 5) {
                bad[number / 3] = peer.room();
            }
        }
        AtomicBuffer chunk = peer.roomBuffer();
        chunk.putLong(bad[0], word(HEADER_LENGTH + REFERENCE_LENGTH, LARGE));
        chunk.putInt(bad[0] + PAYLOAD_OFFSET, 7);
        chunk.putLong(bad[0] + HEADER_LENGTH + REFERENCE_LENGTH, word(16, PADDING));
        chunk.putLong(bad[1], word(2 * CHUNK, 0));
        assertThat(one.poll(collector, 10)).isEqualTo(2);
        assertThatIllegalStateException()
                .isThrownBy(() -> one.poll(collector, 10))
                .withMessageContaining("large message 7");
        assertThat(one.poll(collector, 10)).as("behind it").isEqualTo(2);
        assertThatIllegalStateException()
                .isThrownBy(() -> one.poll(collector, 10))
                .withMessageContaining("is corrupted: record of " + 2 * CHUNK + " bytes");
        assertThat(one.poll(collector, 10)).as("said once").isZero();
        assertThat(numbers()).containsExactly(0, 1, 3, 4);
        assertThat(queue.query().heldRecords()).isZero();
    }

    @Test
    void destroyInTheMiddleOfABatchWaitsForIt() {
        AppendConsumer one = queue.consumer();
        append(peer, queue, 3, 1, 500, 1);
        append(peer, queue, 3, 2, 500, 1);
        int taken = one.poll(
                (buffer, offset, length, qp, immediate, flags) -> {
                    if (immediate == 1) {
                        assertThat(queue.destroy(false)).as("EBUSY").isFalse();
                        assertThat(queue.destroy(true)).isTrue();
                    }
                    nic.settle();
                    assertThat(queue.isFreed()).isFalse();
                    assertThat(intact(buffer, offset, length, 3, immediate)).isTrue();
                },
                10);
        assertThat(taken).isEqualTo(2);
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
        assertThat(one.isEmpty()).isTrue();
    }

    /** Several threads that append to a queue, each its own numbers, and several that take what comes. */
    private final class Crowd {
        static final int SENDERS = 2;
        static final int EACH = 40_000;

        final AtomicIntegerArray times = new AtomicIntegerArray(SENDERS * EACH);
        final AtomicInteger seen = new AtomicInteger();
        final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

        boolean goesOn() {
            return seen.get() < SENDERS * EACH && failures.isEmpty();
        }

        void send(int sender) {
            Appender appender = nic.peer();
            Random random = new Random(sender);
            for (int number = 0; number < EACH; number++) {
                int length = random.nextInt(200);
                while (append(appender, queue, sender, number, length, 1 + sender) == Appender.RNR) {
                    Thread.yield();
                }
            }
        }

        void take(AppendConsumer consumer, int limit) {
            AppendRecord[] held = new AppendRecord[16];
            Arrays.setAll(held, i -> new AppendRecord());
            AppendHandler handler = handler(consumer, held);
            while (goesOn()) {
                try {
                    int count = consumer.poll(handler, limit);
                    seen.addAndGet(count);
                    if (count == 0) {
                        Thread.yield();
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            }
            for (AppendRecord record : held) {
                if (record.isHeld()) {
                    record.release();
                }
            }
        }

        private AppendHandler handler(AppendConsumer consumer, AppendRecord[] held) {
            int[] last = new int[SENDERS];
            int[] next = new int[1];
            return (buffer, offset, length, sender, immediate, flags) -> {
                if (!intact(buffer, offset, length, sender, immediate) || immediate < last[sender]) {
                    failures.add(new AssertionError("message " + immediate + " of " + sender));
                }
                last[sender] = immediate;
                times.incrementAndGet(sender * EACH + immediate);
                if (immediate % 7 == 0) {
                    AppendRecord into = held[next[0]++ % held.length];
                    if (into.isHeld()) {
                        into.release();
                    }
                    consumer.hold(into);
                }
            };
        }
    }

    @Test
    void fourThreadsGetEachRecordOnceWholeAndInItsSendersOrder() throws InterruptedException {
        Crowd crowd = new Crowd();
        List<Thread> threads = new ArrayList<>();
        for (int s = 0; s < Crowd.SENDERS; s++) {
            int sender = s;
            threads.add(new Thread(() -> crowd.send(sender)));
        }
        for (int c = 0; c < 4; c++) {
            int limit = 1 + c * 20;
            AppendConsumer consumer = queue.consumer();
            threads.add(new Thread(() -> crowd.take(consumer, limit)));
        }
        threads.add(new Thread(() -> {
            while (crowd.goesOn()) {
                nic.allocator.doWork();
                Thread.yield();
            }
        }));
        threads.forEach(thread -> thread.setDaemon(true)); // one that fails keeps none going
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(crowd.failures).isEmpty();
        for (int i = 0; i < crowd.times.length(); i++) {
            assertThat(crowd.times.get(i)).as("message " + i).isEqualTo(1);
        }
        nic.settle();
        AppendQueueStatistics after = queue.query();
        assertThat(after.records()).isEqualTo((long) Crowd.SENDERS * Crowd.EACH);
        assertThat(after.heldRecords()).isZero();
        assertThat(after.heldBytes()).isZero();
        assertThat(after.heldChunks()).isZero();
        assertThat(queue.destroy(false)).isTrue();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
    }
}
