package io.verbena.merge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ReadsUnderWayTest {
    private final ReadsUnderWay reads = new ReadsUnderWay(4);

    @Test
    void knowsWhichBytesAreRead() {
        reads.add(7, 100, 50, 7);
        assertThat(reads.overlap(99, 1, 7)).isFalse();
        assertThat(reads.overlap(99, 2, 7)).isTrue();
        assertThat(reads.overlap(149, 10, 7)).isTrue();
        assertThat(reads.overlap(150, 10, 7)).isFalse();
        assertThat(reads.overlap(0, 1000, 7)).isTrue();
    }

    @Test
    void forgetsThoseThatHaveEnded() {
        reads.add(7, 0, 10, 7);
        reads.add(9, 20, 10, 7);
        assertThat(reads.overlap(0, 10, 7)).isTrue();
        assertThat(reads.overlap(0, 10, 8)).isFalse();
        assertThat(reads.overlap(20, 10, 9)).isTrue();
        assertThat(reads.overlap(20, 10, 10)).isFalse();
    }

    @Test
    void holdsAsManyAsMayBeUnderWayWhileNumbersWrapAround() {
        int number = Integer.MAX_VALUE - 6;
        for (int i = 0; i < 20; i++, number++) {
            reads.add(number, i * 10L, 10, number - 3);
            for (int back = 0; back < Math.min(i + 1, 4); back++) {
                assertThat(reads.overlap((i - back) * 10L, 1, number - 3)).isTrue();
            }
            if (i >= 4) {
                assertThat(reads.overlap((i - 4) * 10L, 1, number - 3)).isFalse();
            }
        }
    }
}
