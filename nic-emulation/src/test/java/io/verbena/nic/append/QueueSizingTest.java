package io.verbena.nic.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The figures that the paper prints, from its own parameters: 56 Gb/s, 1 ms to allocate, 16,800 messages of 231 B. */
@Timeout(180)
class QueueSizingTest {
    private static final double LINE_RATE = 56e9 / 8;
    private static final long ALLOCATION = 1_000_000;
    private static final double RATE = 4_300_000;
    private static final long SERVICE = Math.round(16_800 / RATE * 1e9);

    @Test
    void reserveIsLineRateTimesTheTimeToAllocate() {
        assertThat(QueueSizing.reserveBytes(LINE_RATE, ALLOCATION)).isEqualTo(7_000_000);
        assertThat(QueueSizing.reserveBytes(0, ALLOCATION)).isZero();
        assertThat(QueueSizing.reserveBytes(1, 1)).as("rounded up").isEqualTo(1);
    }

    @Test
    void activeBufferIsLittlesLaw() {
        assertThat(QueueSizing.activeBytes(RATE, SERVICE, 231)).isBetween(3_880_000L, 3_881_000L);
        assertThat(QueueSizing.activeBytes(RATE, SERVICE, 231) + QueueSizing.reserveBytes(LINE_RATE, ALLOCATION))
                .as("one process")
                .isBetween(10_880_000L, 10_881_000L);
        assertThat(32 * QueueSizing.reserveBytes(LINE_RATE, ALLOCATION) + 4_000_000)
                .as("32 processes, their load as that of one")
                .isEqualTo(228_000_000);
    }

    @Test
    void reserveInChunksCountsWhatIsLostAtTheirEnds() {
        int chunk = 1 << 20;
        assertThat(QueueSizing.reserveChunks(LINE_RATE, ALLOCATION, chunk, 231)).isEqualTo(7);
        // With records of a quarter of a chunk, three quarters and a word are used at worst.
        assertThat(QueueSizing.reserveChunks(LINE_RATE, ALLOCATION, chunk, chunk / 4))
                .isEqualTo(9);
        assertThat(QueueSizing.reserveChunks(0, ALLOCATION, chunk, 8)).isEqualTo(1);
        assertThat(QueueSizing.reserveChunks(chunk * 1e3, ALLOCATION, chunk, 0)).isEqualTo(2);
        assertThat(QueueSizing.reserveChunks((chunk - 8) * 1e3, ALLOCATION, chunk, 0))
                .isEqualTo(1);
    }

    @Test
    void memoryLimitIsBothInWholeChunksAndOneMore() {
        assertThat(QueueSizing.memoryLimit(3_880_000, 7_000_000, 1 << 20)).isEqualTo((4 + 7 + 1) << 20);
        assertThat(QueueSizing.memoryLimit(0, 0, 1 << 16)).isEqualTo(1 << 16);
    }

    @Test
    void whatIsNotASizeIsRefused() {
        assertThatThrownBy(() -> QueueSizing.activeBytes(-1, 1, 1)).hasMessageContaining("messages per second -1.0");
        assertThatThrownBy(() -> QueueSizing.activeBytes(1, 1, Double.NaN)).hasMessageContaining("mean record NaN");
        assertThatThrownBy(() -> QueueSizing.reserveBytes(Double.POSITIVE_INFINITY, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> QueueSizing.reserveBytes(1, -1)).hasMessageContaining("allocation time -1");
        assertThatThrownBy(() -> QueueSizing.reserveChunks(1, 1, 100, 100))
                .hasMessage("record of 120 bytes > chunk of 100");
        assertThatThrownBy(() -> QueueSizing.memoryLimit(1, 1, 0)).hasMessage("chunk length 0 < minimum 1");
    }
}
