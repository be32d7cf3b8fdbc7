package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.claim;
import static io.verbena.nic.append.AppendFixture.commit;
import static io.verbena.nic.append.AppendFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.port.Segment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chunks that were drained go back to the operating system, and never while somebody may write into them. */
@Timeout(180)
class UnmapTest {
    private static final int LENGTH = CHUNK / 4 - 16;
    private static final long TIMEOUT = 1_000_000;

    private final AppendFixture nic = new AppendFixture();
    private final Collector collector = new Collector();

    private static boolean isUnmapped(AtomicBuffer memory) {
        return memory.capacity() == 0;
    }

    /** Fills so many chunks, and says where they lie. */
    private List<AtomicBuffer> fill(AppendQueue queue, Appender sender, int chunks) {
        List<AtomicBuffer> memory = new ArrayList<>();
        for (int i = 0; i < 4 * chunks; i++) {
            int status = claim(sender, queue, LENGTH, 1);
            assertThat(status).isEqualTo(Appender.OK);
            AtomicBuffer buffer = sender.roomBuffer();
            AppendFixture.fill(buffer, payload(sender), LENGTH, 1, i);
            if (memory.stream().noneMatch(known -> known == buffer)) { // they are equal when their bytes are
                memory.add(buffer);
            }
            assertThat(commit(sender, LENGTH, 1, i)).isTrue();
            nic.settle();
        }
        return memory;
    }

    private void giveBack(AppendQueue queue) {
        for (int i = 0; i < 2; i++) {
            nic.clock.addAndGet(queue.attributes().surplusNanos());
            nic.settle();
        }
    }

    @Test
    void whatABurstHasMappedIsUnmappedWhenItIsDrained() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1));
        List<AtomicBuffer> memory = fill(queue, nic.peer(), 6);
        assertThat(memory).hasSize(6).noneMatch(UnmapTest::isUnmapped);
        assertThat(queue.poll(collector, 100)).isEqualTo(24);
        giveBack(queue);
        assertThat(memory.stream().filter(UnmapTest::isUnmapped).count())
                .as("all but the one where the head stands")
                .isEqualTo(5);
        assertThat(queue.query().footprint()).isEqualTo(2L * CHUNK);
        assertThat(nic.memory.allocated()).isEqualTo(nic.control.buffer().capacity() + 2L * CHUNK);
    }

    @Test
    void aChunkInWhichTheOwnerClosedAClaimStaysForWhoeverMadeIt() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1).holeTimeoutNanos(TIMEOUT));
        Appender stalled = nic.peer();
        assertThat(claim(stalled, queue, LENGTH, 2)).isEqualTo(Appender.OK);
        AtomicBuffer its = stalled.roomBuffer();
        int at = payload(stalled);
        nic.settle();
        nic.clock.addAndGet(TIMEOUT);
        nic.settle();
        assertThat(queue.query().holes()).isEqualTo(1);
        List<AtomicBuffer> memory = fill(queue, nic.peer(), 4);
        assertThat(queue.poll(collector, 100)).isEqualTo(16);
        nic.abandon(2); // it is taken for dead, and is not
        nic.settle();
        assertThat(nic.control.isSlotIdle(2)).isTrue();
        giveBack(queue);
        giveBack(queue);
        assertThat(queue.query().setAside()).isZero();
        assertThat(queue.query().footprint()).as("it is given back").isEqualTo(2L * CHUNK);
        assertThat(memory.stream().filter(UnmapTest::isUnmapped).count()).isPositive();
        assertThat(isUnmapped(its)).as("but left to the collector").isFalse();
        its.putLong(at, 4711); // the end of its copy
        assertThat(commit(stalled, LENGTH, 2, 0)).isFalse();
    }

    @Test
    void aChunkThatASlotNamesIsNotUnmapped() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1).holeTimeoutNanos(TIMEOUT));
        Appender stalled = nic.peer();
        assertThat(claim(stalled, queue, LENGTH, 2)).isEqualTo(Appender.OK);
        AtomicBuffer its = stalled.roomBuffer();
        nic.clock.addAndGet(TIMEOUT);
        nic.settle();
        nic.clock.addAndGet(TIMEOUT);
        nic.settle();
        fill(queue, nic.peer(), 4);
        assertThat(queue.poll(collector, 100)).isEqualTo(16);
        giveBack(queue);
        giveBack(queue);
        assertThat(queue.query().setAside()).isEqualTo(1);
        assertThat(queue.query().footprint()).isEqualTo(3L * CHUNK);
        assertThat(isUnmapped(its)).isFalse();
    }

    @Test
    void aMappingOfAMessagesOwnIsUnmappedOnceItIsNotKeptAnyMore() {
        AppendQueue queue = nic.create(attributes());
        Appender owner = nic.queues.appender(0);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, 1, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, 1, 0))
                .isEqualTo(Appender.OK);
        AtomicBuffer its = owner.large().buffer(owner.large().claimed());
        assertThat(owner.large().commit(owner.large().claimed(), 1, 7, true)).isEqualTo(Appender.OK);
        boolean[] seen = new boolean[1];
        assertThat(queue.poll(
                        (buffer, offset, length, qp, immediate, flags) -> {
                            nic.settle(); // the allocator comes while the handler reads
                            assertThat(length).isEqualTo(CHUNK);
                            assertThat(buffer.getLong(offset + CHUNK - 8)).isZero();
                            seen[0] = true;
                        },
                        1))
                .isEqualTo(1);
        assertThat(seen[0]).isTrue();
        assertThat(isUnmapped(its)).isFalse();
        nic.settle();
        assertThat(isUnmapped(its)).as("kept for the next one").isFalse();
        nic.rest();
        assertThat(isUnmapped(its)).isTrue();
    }

    @Test
    void aQueueThatItsConsumerDestroysIsUnmapped() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1));
        List<AtomicBuffer> memory = fill(queue, nic.peer(), 3);
        assertThat(queue.poll(collector, 1)).isEqualTo(1);
        assertThat(queue.destroy(true)).isTrue();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
        assertThat(memory).allMatch(UnmapTest::isUnmapped);
        assertThat(nic.memory.allocated()).isEqualTo(nic.control.buffer().capacity());
    }

    @Test
    void aQueueThatIsDestroyedInAHandlerIsUnmappedWhenThatHasReturned() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1));
        List<AtomicBuffer> memory = fill(queue, nic.peer(), 3);
        List<AtomicBuffer> seen = new ArrayList<>();
        queue.poll(
                (buffer, offset, length, qp, immediate, flags) -> {
                    assertThat(queue.destroy(true)).isTrue();
                    assertThat(queue.poll(collector, 1)).isZero();
                    assertThat(queue.isEmpty()).isTrue();
                    nic.settle();
                    nic.settle();
                    assertThat(AppendFixture.intact(buffer, offset, length, qp, immediate))
                            .as("a handler may go on reading")
                            .isTrue();
                    seen.add((AtomicBuffer) buffer);
                },
                100);
        assertThat(seen).hasSize(1);
        assertThat(memory).noneMatch(UnmapTest::isUnmapped);
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
        assertThat(memory).allMatch(UnmapTest::isUnmapped);
    }

    /**
     * The allocator has taken what was left by then, and still the handler reads: its looks do not say that it has
     * returned.
     */
    @Test
    void aHandlerSlowerThanTheWaitForItMayLookAgain() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1));
        List<AtomicBuffer> memory = fill(queue, nic.peer(), 3);
        Appender late = nic.peer();
        int[] calls = new int[1];
        queue.poll(
                (buffer, offset, length, qp, immediate, flags) -> {
                    calls[0]++;
                    assertThat(claim(late, queue, 100, 5)).isEqualTo(Appender.OK);
                    assertThat(queue.destroy(true)).isTrue();
                    nic.settle();
                    nic.clock.addAndGet(2_000_000_000L);
                    nic.settle();
                    assertThat(queue.isEmpty()).isTrue();
                    assertThat(commit(late, 100, 5, 1)).isTrue();
                    nic.settle();
                    assertThat(queue.isFreed()).isTrue();
                    assertThat(AppendFixture.intact(buffer, offset, length, qp, immediate))
                            .isTrue();
                },
                100);
        assertThat(calls[0]).isEqualTo(1);
        assertThat(memory).noneMatch(UnmapTest::isUnmapped);
    }

    /** Its consumer is another thread that neither polls nor ends: it may be in a handler. */
    @Test
    void whatAnotherThreadMayReadIsLeftToTheCollector() throws InterruptedException {
        AppendQueue queue = nic.create(attributes().reserveChunks(1));
        List<AtomicBuffer> memory = fill(queue, nic.peer(), 3);
        CountDownLatch polled = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread consumer = new Thread(() -> {
            queue.poll(collector, 1);
            polled.countDown();
            try {
                done.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        consumer.start();
        polled.await();
        assertThat(queue.destroy(true)).isTrue();
        nic.settle();
        assertThat(queue.isFreed()).as("it has a second").isFalse();
        nic.clock.addAndGet(2_000_000_000L);
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
        assertThat(memory).noneMatch(UnmapTest::isUnmapped);
        done.countDown();
        consumer.join();
    }

    /** Its consumer comes back from a handler when the queue's number is another's already. */
    @Test
    void aConsumerThatComesBackLateLeavesTheNextQueueOfTheNumberAlone() throws InterruptedException {
        AppendQueue queue = nic.create(attributes());
        Appender peer = nic.peer();
        for (int i = 0; i < 4; i++) {
            append(peer, queue, 1, i, 100, 1);
        }
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch back = new CountDownLatch(1);
        Thread consumer = new Thread(() -> queue.poll(
                (buffer, offset, length, qp, immediate, flags) -> {
                    inside.countDown();
                    try {
                        back.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                4));
        consumer.start();
        inside.await();
        assertThat(queue.destroy(true)).isTrue();
        nic.settle();
        nic.clock.addAndGet(2_000_000_000L);
        nic.settle();
        assertThat(queue.isFreed()).isTrue();

        AppendQueue next = nic.create(attributes());
        assertThat(next.id()).isEqualTo(queue.id());
        assertThat(append(peer, next, 1, 7, 100, 1)).isEqualTo(Appender.OK);
        AppendQueueStatistics before = next.query();
        back.countDown();
        consumer.join();
        assertThat(next.query()).isEqualTo(before);
        assertThat(next.poll(collector, 10)).isEqualTo(1);
    }

    @Test
    void aQueueWhoseConsumerPollsOnceMoreOrHasEndedIsUnmapped() throws InterruptedException {
        for (boolean pollsAgain : new boolean[] {true, false}) {
            AppendQueue queue = nic.create(attributes().reserveChunks(1));
            List<AtomicBuffer> memory = fill(queue, nic.peer(), 3);
            CountDownLatch polled = new CountDownLatch(1);
            CountDownLatch destroyed = new CountDownLatch(1);
            Thread consumer = new Thread(() -> {
                queue.poll(collector, 1);
                polled.countDown();
                try {
                    destroyed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                if (pollsAgain) {
                    assertThat(queue.poll(collector, 1)).isZero();
                }
            });
            consumer.start();
            polled.await();
            assertThat(queue.destroy(true)).isTrue();
            nic.settle();
            assertThat(memory).noneMatch(UnmapTest::isUnmapped);
            destroyed.countDown();
            consumer.join();
            nic.settle();
            assertThat(queue.isFreed()).isTrue();
            assertThat(memory).allMatch(UnmapTest::isUnmapped);
        }
    }

    @Test
    void anAppenderThatForgotASegmentLooksAgain() {
        AppendQueue queue = nic.create(attributes());
        Appender peer = nic.peer();
        assertThat(append(peer, queue, 1, 0, 100, 1)).isEqualTo(Appender.OK);
        AtomicBuffer chunk = peer.roomBuffer();
        peer.forget(chunk);
        assertThat(peer.roomBuffer()).isNotSameAs(chunk);
        assertThat(append(peer, queue, 1, 1, 100, 1)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isEqualTo(2);
    }

    @Test
    void whatIsUnmappedIsGoneForEveryHolder() {
        DirectMemoryProvider memory = new DirectMemoryProvider(1 << 20);
        Segment segment = memory.allocate(100_000);
        AtomicBuffer same = memory.segment(segment.id());
        assertThat(same.addressOffset() & 127).isZero();
        memory.unmap(segment);
        memory.unmap(segment);
        memory.release(segment);
        assertThat(memory.segment(segment.id())).isNull();
        assertThat(memory.allocated()).isZero();
        assertThatThrownBy(() -> same.putLong(0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        Segment another = memory.allocate(1 << 20);
        memory.release(another);
        memory.unmap(another);
        assertThat(another.buffer().capacity())
                .as("released is left to its holders")
                .isEqualTo(1 << 20);
    }

    /** With bounds checks off a late access is the JVM's end: it runs in one of its own. */
    @Test
    void nobodyTouchesWhatIsUnmappedWhileAllRaceWithoutBoundsChecks(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("race.log");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(openedModules());
        command.addAll(List.of(
                "-Dagrona.disable.bounds.checks=true",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=/dev/null",
                "-cp",
                System.getProperty("java.class.path"),
                UnmapRace.class.getName(),
                String.valueOf(Integer.getInteger("verbena.test.rolls", 20_000))));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            String output = Files.readString(log);
            assertThat(process.exitValue()).as(output).isZero();
            assertThat(output).contains("nothing was touched");
        } finally {
            process.destroyForcibly();
        }
    }

    /** What this JVM opens of the JDK's modules, a JVM that it starts needs too. */
    private static List<String> openedModules() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--"))
                .toList();
    }
}
