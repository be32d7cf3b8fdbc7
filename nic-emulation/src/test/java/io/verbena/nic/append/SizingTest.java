package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.MemoryQuota;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sizes of a queue that follow from its load, given or measured, and the counters that tell of them. */
@Timeout(180)
class SizingTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private final AppendFixture nic = new AppendFixture();
    private final Collector collector = new Collector();
    private final Appender peer = nic.peer();

    private static AppendQueueAttributes concluded(AppendQueueAttributes attributes) {
        return attributes.concluded(ControlLimits.DEFAULT, false);
    }

    private static AppendQueueAttributes paper() {
        return new AppendQueueAttributes().maxMessage(1024).lineRate(56_000_000_000L);
    }

    @Test
    void reserveAndWatermarkFollowFromTheLineRate() {
        AppendQueueAttributes of = concluded(paper());
        assertThat(of.reserveChunks()).isEqualTo(7);
        assertThat(of.lowWatermark()).isEqualTo(6 << 20);
        assertThat(of.activeChunks()).isEqualTo(1);
        assertThat(concluded(paper().allocationNanos(2 * MILLI)).reserveChunks())
                .isEqualTo(14);
        AppendQueueAttributes changed = concluded(new AppendQueueAttributes(of).lineRate(8_000_000_000L));
        assertThat(changed.reserveChunks()).as("follows anew").isEqualTo(1);
        assertThat(changed.lowWatermark()).isZero();
    }

    @Test
    void activeBufferFollowsFromTheLoad() {
        AppendQueueAttributes of =
                concluded(paper().arrivalRate(4.3e6).serviceNanos(3_907_000).meanMessage(231));
        assertThat(of.activeChunks()).isEqualTo(4);
        assertThat(of.reserveChunks()).isEqualTo(7);
        assertThat(concluded(new AppendQueueAttributes()).activeChunks()).isEqualTo(1);
        assertThat(concluded(new AppendQueueAttributes()).reserveChunks()).isEqualTo(2);
        assertThat(concluded(new AppendQueueAttributes()).memoryLimit()).isEqualTo((64L << 20) + (32 << 20));
    }

    @Test
    void contradictionsAreRefusedNamingBoth() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> concluded(paper().reserveChunks(3)))
                .withMessage("reserve chunks 3 and line rate 56000000000 given: the reserve follows from the line"
                        + " rate, 7");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> concluded(paper().chunkLength(CHUNK)))
                .withMessage("reserve chunks for the line rate 109 > maximum 62");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> concluded(new AppendQueueAttributes().allocationNanos(5)))
                .withMessage("allocation time 5 given without a line rate");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> concluded(paper().arrivalRate(7).meanMessage(8)))
                .withMessageContaining("arrival rate 7.0, service time 0, mean message 8");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> concluded(paper().arrivalRate(-1)))
                .withMessageContaining("arrival rate -1.0 outside");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        concluded(paper().arrivalRate(1e9).serviceNanos(SECOND).meanMessage(1000)))
                .withMessageContaining("active chunks for the arrival rate")
                .withMessageContaining("maximum 56");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> concluded(paper().measured(true).lowWatermark(8)))
                .withMessageContaining("low watermark 8 given, and measured");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> concluded(paper().memoryLimit(8 << 20)))
                .withMessage("memory limit " + (8 << 20) + " < minimum " + ((8 << 20) + 4096));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> concluded(new AppendQueueAttributes().largeMessages(0)))
                .withMessage("large messages 0 < minimum 1");
        AppendQueue queue = nic.create(attributes());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> queue.modify(new AppendQueueAttributes(queue.attributes()).largeMessages(5)))
                .withMessageContaining("large messages 5 wanted, is 1024");
    }

    @Test
    void theActiveBufferStaysMappedAndNoMore() {
        // 65,520 messages a second of 64 bytes that stay 50 ms: three chunks.
        AppendQueue queue = nic.create(attributes()
                .reserveChunks(1)
                .arrivalRate(40_000)
                .serviceNanos(50 * MILLI)
                .meanMessage(64));
        assertThat(queue.attributes().activeChunks()).isEqualTo(4);
        assertThat(queue.query().footprint()).as("mapped when it is needed").isEqualTo(2 * CHUNK);
        int sent = 0;
        while (append(peer, queue, 1, sent, 1000, 1) == Appender.OK) {
            sent++;
            nic.settle();
        }
        assertThat(queue.query().footprint()).isEqualTo(8 * CHUNK);
        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(sent);
        for (int i = 0; i < 5; i++) {
            nic.clock.addAndGet(SECOND);
            nic.settle();
        }
        assertThat(queue.query().footprint()).isEqualTo(5 * CHUNK);
        assertThat(queue.query().releases()).isEqualTo(3);
        queue.modify(new AppendQueueAttributes(queue.attributes())
                .arrivalRate(0)
                .serviceNanos(0)
                .meanMessage(0));
        for (int i = 0; i < 5; i++) {
            nic.clock.addAndGet(SECOND);
            nic.settle();
        }
        assertThat(queue.query().footprint()).isEqualTo(2 * CHUNK);
    }

    /** Sends a number of chunks in each millisecond, consumed at once. */
    private void load(AppendQueue queue, int chunksPerMilli, int millis) {
        int record = 1024;
        for (int t = 0; t < millis; t++) {
            for (int i = 0; i < chunksPerMilli * CHUNK / record; i++) {
                assertThat(append(peer, queue, 1, i, record - 16, 1)).isEqualTo(Appender.OK);
                assertThat(queue.poll(collector, 10)).isEqualTo(1);
                collector.messages.clear();
            }
            nic.clock.addAndGet(MILLI);
            nic.settle();
        }
    }

    @Test
    void measuredSizesFollowTheLoad() {
        AppendQueue queue =
                nic.create(attributes().maxMessage(CHUNK / 4).measured(true).reserveChunks(3));
        assertThat(queue.query().announcedFree()).isEqualTo(4 * CHUNK);
        for (int i = 0; i < QueueMeter.ALLOCATIONS; i++) {
            queue.meter().allocated(MILLI); // on a machine that takes so long
        }
        load(queue, 1, 50);
        assertThat(queue.query().allocationP99Nanos()).isEqualTo(MILLI);
        assertThat(queue.query().arrivalRate()).isBetween(60_000.0, 64_100.0);
        assertThat(queue.query().announcedFree())
                .as("a chunk a millisecond, three quarters of it counted: 2")
                .isBetween(2L * CHUNK, 3L * CHUNK);
        load(queue, 3, 20);
        assertThat(queue.query().announcedFree()).isBetween(5L * CHUNK, 6L * CHUNK);
        load(queue, 20, 3);
        assertThat(queue.query().announcedFree())
                .as("no more than the chunk table has")
                .isLessThanOrEqualTo(8 * CHUNK);
        for (int i = 0; i < 200; i++) {
            nic.clock.addAndGet(MILLI);
            nic.settle();
        }
        for (int i = 0; i < 5; i++) {
            load(queue, 1, 1); // what was announced is used up, and not replaced
            nic.clock.addAndGet(SECOND);
            nic.settle();
        }
        for (int i = 0; i < 300; i++) {
            nic.clock.addAndGet(MILLI);
            nic.settle();
        }
        assertThat(queue.query().rnr()).isZero();
        assertThat(queue.query().footprint()).as("one to fill, one in reserve").isLessThanOrEqualTo(3 * CHUNK);
    }

    @Test
    void measuredSizesStayUnderTheMemoryLimit() {
        AppendQueue queue = nic.create(
                attributes().maxMessage(1008).measured(true).reserveChunks(1).memoryLimit(4 * CHUNK + 4096));
        for (int i = 0; i < QueueMeter.ALLOCATIONS; i++) {
            queue.meter().allocated(100 * MILLI);
        }
        load(queue, 1, 20);
        nic.settle();
        assertThat(queue.query().announcedFree()).isBetween(3L * CHUNK, 4L * CHUNK);
        assertThat(queue.query().highWater()).isLessThanOrEqualTo(4 * CHUNK + 4096);
    }

    @Test
    void aLoweredLimitHoldsBeforeTheAllocatorLooks() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1).memoryLimit(40 * CHUNK));
        Appender owner = nic.queues.appender(0);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 16 * CHUNK, 3, 0))
                .isEqualTo(Appender.RNR);
        queue.modify(new AppendQueueAttributes(queue.attributes()).memoryLimit(20 * CHUNK));
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(18 * CHUNK);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 16 * CHUNK, 4, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(18 * CHUNK);
        queue.modify(new AppendQueueAttributes(queue.attributes()).memoryLimit(34 * CHUNK));
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(34 * CHUNK);
    }

    /** The limit is lowered between a reservation's look at it and its count. */
    @Test
    void aReservationUnderWayDoesNotPassALimitThatIsLoweredMeanwhile() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1).memoryLimit(40 * CHUNK));
        int at = nic.control.queueOffset(queue.id());
        boolean[] lower = new boolean[1];
        AtomicBuffer table = new UnsafeBuffer(nic.control.buffer()) {
            @Override
            public boolean compareAndSetLong(int index, long expected, long updated) {
                if (lower[0] && index == at + AppendQueueDescriptor.FOOTPRINT_OFFSET) {
                    lower[0] = false;
                    queue.modify(new AppendQueueAttributes(queue.attributes()).memoryLimit(20 * CHUNK));
                }
                return super.compareAndSetLong(index, expected, updated);
            }
        };
        Footprint footprint = new Footprint(queue, new MemoryQuota("test", Long.MAX_VALUE), table, at, nic.clock::get);
        assertThat(footprint.reserve(10 * CHUNK)).isTrue();
        lower[0] = true;
        assertThat(footprint.reserve(11 * CHUNK)).isFalse();
        assertThat(footprint.takeRefused()).isTrue();
        assertThat(queue.query().footprint()).isEqualTo(10 * CHUNK);
        assertThat(queue.query().highWater()).isEqualTo(10 * CHUNK);
        lower[0] = true;
        assertThat(footprint.reserve(10 * CHUNK)).isTrue();
    }

    @Test
    void resetsAreCountedAndTheMeanFootprintIsOverTime() {
        AppendQueue queue = nic.create(attributes());
        assertThat(queue.query().meanFootprint()).isEqualTo(3 * CHUNK);
        for (int i = 0; i < 10; i++) {
            append(peer, queue, 1, i, 5000, 1);
        }
        queue.poll(collector, 100);
        assertThat(queue.query().resets()).isZero();
        for (int i = 0; i < 100; i++) {
            queue.poll(collector, 1);
        }
        assertThat(queue.query().resets()).isEqualTo(1);
        nic.clock.addAndGet(SECOND);
        assertThat(queue.query().meanFootprint()).isEqualTo(3 * CHUNK);
        Appender owner = nic.queues.appender(0);
        owner.large().claim(queue.id(), queue.key(), queue.pd(), 1 << 20, 3, 0);
        nic.settle();
        nic.clock.addAndGet(SECOND / 2);
        assertThat(queue.query().meanFootprint()).isEqualTo(3 * CHUNK + (1 << 20) / 3);
        nic.clock.addAndGet(SECOND / 2);
        nic.settle(); // nobody has fetched it: it goes back
        assertThat(queue.query().footprint()).isEqualTo(3 * CHUNK);
        nic.clock.addAndGet(2 * SECOND);
        assertThat(queue.query().meanFootprint()).isEqualTo(3 * CHUNK + (1 << 20) / 4);
    }

    @Test
    void chunksAreMadeAndGivenBackOneATurn() {
        AppendQueue queue = nic.create(attributes().reserveChunks(1));
        queue.modify(new AppendQueueAttributes(queue.attributes()).reserveChunks(4));
        for (int chunks = 3; chunks <= 5; chunks++) {
            assertThat(nic.allocator.doWork()).isPositive();
            assertThat(queue.query().footprint()).isEqualTo((long) chunks * CHUNK);
        }
        assertThat(nic.allocator.doWork()).isZero();
        queue.modify(new AppendQueueAttributes(queue.attributes()).reserveChunks(1));
        for (int i = 0; i < 5 * CHUNK / 1024; i++) {
            append(peer, queue, 1, i, 1008, 1);
            queue.poll(collector, 1);
        }
        nic.clock.addAndGet(2 * SECOND);
        nic.settle();
        nic.clock.addAndGet(2 * SECOND);
        long before = queue.query().footprint();
        assertThat(before).isEqualTo(5 * CHUNK);
        for (int chunks = 4; chunks >= 2; chunks--) {
            assertThat(nic.allocator.doWork()).isPositive();
            assertThat(queue.query().footprint()).isEqualTo((long) chunks * CHUNK);
        }
        assertThat(nic.allocator.doWork()).isZero();
    }
}
