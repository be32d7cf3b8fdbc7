package io.verbena.nic.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class MeterTest {
    private static final long MILLI = 1_000_000;

    private final QueueMeter meter = new QueueMeter();

    @Test
    void littlesLawGivesTheTimeInTheQueue() {
        // 4.3 million messages a second of 248 bytes, 16,800 of them in the queue: 3.9 ms.
        for (int t = 0; t <= 200; t++) {
            meter.sample(t * MILLI, t * 4300L * 248, t * 4300L, 16_800 * 248);
        }
        assertThat(meter.messagesPerSecond()).isCloseTo(4.3e6, within(1e3));
        assertThat(meter.bytesPerSecond()).isCloseTo(4.3e6 * 248, within(1e5));
        assertThat(meter.meanDepth()).isCloseTo(16_800 * 248, within(100.0));
        assertThat(meter.serviceNanos()).isBetween(3_905_000L, 3_909_000L);
    }

    @Test
    void windowsAreAsLongAsTheyAre() {
        meter.sample(0, 0, 0, 0);
        meter.sample(MILLI / 2, 1 << 30, 1, 0); // too soon
        assertThat(meter.peakBytesPerSecond()).isZero();
        meter.sample(10 * MILLI, 1_000_000, 10, 0);
        assertThat(meter.peakBytesPerSecond()).isEqualTo(1e8);
        meter.sample(11 * MILLI, 1_000_000, 10, 0);
        assertThat(meter.peakBytesPerSecond()).as("fades").isCloseTo(0.9e8, within(1.0));
    }

    @Test
    void percentilesAreOfTheLastAllocations() {
        assertThat(meter.allocationP99()).isZero();
        meter.allocated(70);
        assertThat(meter.allocationP50()).isEqualTo(70);
        assertThat(meter.allocationP99()).isEqualTo(70);
        for (int i = 1; i <= 100; i++) {
            meter.allocated(i);
        }
        assertThat(meter.allocationP50()).isBetween(49L, 52L);
        assertThat(meter.allocationP99()).isBetween(98L, 100L);
        for (int round = 0; round < 10; round++) {
            for (int i = 1; i <= QueueMeter.ALLOCATIONS; i++) {
                meter.allocated(1000 + i);
            }
        }
        assertThat(meter.allocationP50()).as("older ones are forgotten").isEqualTo(1064);
        assertThat(meter.allocationP99()).isEqualTo(1127);
    }

    @Test
    void anIdleQueueFadesToNothing() {
        meter.sample(0, 0, 0, 0);
        meter.sample(MILLI, 1 << 20, 1000, 1 << 20);
        for (int t = 2; t < 400; t++) {
            meter.sample(t * MILLI, 1 << 20, 1000, 0);
        }
        assertThat(meter.peakBytesPerSecond()).isLessThan(1);
        assertThat(meter.messagesPerSecond()).isLessThan(1);
        assertThat(meter.meanDepth()).isLessThan(1);
    }
}
