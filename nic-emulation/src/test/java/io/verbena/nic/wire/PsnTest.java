package io.verbena.nic.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PsnTest {
    @Test
    void wrapsAtTwoToTheTwentyFour() {
        assertThat(Psn.next(Psn.MASK)).isZero();
        assertThat(Psn.add(0, -1)).isEqualTo(Psn.MASK);
        assertThat(Psn.add(Psn.MASK, 2)).isEqualTo(1);
        assertThat(Psn.diff(0, Psn.MASK)).isEqualTo(1);
        assertThat(Psn.diff(Psn.MASK, 0)).isEqualTo(-1);
        assertThat(Psn.before(Psn.MASK, 0)).isTrue();
        assertThat(Psn.after(0, Psn.MASK)).isTrue();
        assertThat(Psn.before(5, 5)).isFalse();
        assertThat(Psn.after(5, 5)).isFalse();
    }

    @Test
    void comparesUpToHalfTheSpace() {
        assertThat(Psn.diff(Psn.HALF - 1, 0)).isEqualTo(Psn.HALF - 1);
        assertThat(Psn.diff(Psn.HALF, 0)).isEqualTo(-Psn.HALF);
        assertThat(Psn.diff(Psn.HALF + 1, 0)).isEqualTo(-Psn.HALF + 1);
    }

    @Test
    void diffUndoesAdd() {
        Random random = new Random(7);
        for (int i = 0; i < 100_000; i++) {
            int psn = random.nextInt(1 << 24);
            int step = random.nextInt(Psn.HALF) * (random.nextBoolean() ? 1 : -1);
            int other = Psn.add(psn, step);
            assertThat(other).isBetween(0, Psn.MASK);
            assertThat(Psn.diff(other, psn)).isEqualTo(step);
            assertThat(Psn.before(other, psn)).isEqualTo(step < 0);
        }
    }

    @Test
    void withinGoesAroundTheWrap() {
        assertThat(Psn.within(Psn.MASK, Psn.MASK - 1, 1)).isTrue();
        assertThat(Psn.within(0, Psn.MASK - 1, 1)).isTrue();
        assertThat(Psn.within(1, Psn.MASK - 1, 1)).isTrue();
        assertThat(Psn.within(2, Psn.MASK - 1, 1)).isFalse();
        assertThat(Psn.within(Psn.MASK - 2, Psn.MASK - 1, 1)).isFalse();
    }
}
