package io.verbena.bench.check.messages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slow is not stalled, and the same packet again and again is not progress. */
@Timeout(180)
class StreamProgressTest {
    private static final int LONGEST = 1 << 20;
    private static final int PACKET = 8192;

    private final StreamProgress progress = new StreamProgress(LONGEST);

    @Test
    void aMessageThatArrivesIsProgress() {
        assertThat(progress.goesOn(1, 100)).isTrue();
        assertThat(progress.arrived()).isEqualTo(1);
        assertThat(progress.goesOn(1, 100)).isFalse();
        assertThat(progress.goesOn(3, 100)).isTrue();
        assertThat(progress.arrived()).isEqualTo(3);
    }

    @Test
    void aLongMessageGoesOnWithEachOfItsBytes() {
        for (long bytes = PACKET; bytes <= LONGEST; bytes += PACKET) {
            assertThat(progress.goesOn(0, bytes)).as("%d bytes", bytes).isTrue();
            assertThat(progress.goesOn(0, bytes)).isFalse();
        }
        assertThat(progress.goesOn(1, LONGEST)).isTrue();
        assertThat(progress.goesOn(1, LONGEST + 1)).isTrue();
    }

    @Test
    void whatIsSentAgainForEverIsNoProgress() {
        progress.goesOn(5, 1000);
        long bytes = 1000;
        int looks = 0;
        while (progress.goesOn(5, bytes += PACKET)) {
            assertThat(++looks).isLessThanOrEqualTo(2 * LONGEST / PACKET);
        }
        assertThat(progress.goesOn(5, bytes + PACKET)).isFalse();
        assertThat(progress.goesOn(6, bytes + PACKET)).isTrue();
    }
}
