package io.verbena.fabric.netty;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is known of what the peer has received. */
class MarksTest {
    private final Marks marks = new Marks();

    @Test
    void areDueWhereSomebodyWantsToKnowAndNotTooOften() {
        assertThat(marks.isDue(Marks.SPACING)).isFalse();
        marks.want(0);
        assertThat(marks.isDue(Marks.SPACING - 1)).isFalse();
        assertThat(marks.isDue(Marks.SPACING)).isTrue();
        marks.sent(Marks.SPACING);
        assertThat(marks.isDue(2 * Marks.SPACING - 1)).isFalse();
        assertThat(marks.isDue(2 * Marks.SPACING)).isTrue();
        assertThat(marks.isDue(Marks.WANTED + 1)).as("nobody has asked since").isFalse();
        marks.want(2 * Marks.SPACING);
        assertThat(marks.isDue(Marks.WANTED + 1)).isTrue();
    }

    @Test
    void anAnswerIsToTheOldest() {
        for (int round = 0; round < 5; round++) {
            long base = round * 1000L;
            for (int i = 1; i <= Marks.MAX; i++) {
                marks.sent(base + i);
            }
            marks.want(base);
            assertThat(marks.isDue(base + Marks.SPACING + Marks.MAX))
                    .as("all are on their way")
                    .isFalse();
            assertThat(marks.answered(3)).isTrue();
            assertThat(marks.received()).isEqualTo(base + 3);
            assertThat(marks.answered(Marks.MAX - 3)).isTrue();
            assertThat(marks.received()).isEqualTo(base + Marks.MAX);
            assertThat(marks.isEmpty()).isTrue();
        }
    }

    @Test
    void noneButThoseOnTheirWayAreAnswered() {
        assertThat(marks.answered(1)).isFalse();
        marks.sent(10);
        marks.sent(20);
        assertThat(marks.answered(0)).isFalse();
        assertThat(marks.answered(3)).isFalse();
        assertThat(marks.received()).isZero();
        assertThat(marks.answered(2)).isTrue();
        assertThat(marks.received()).isEqualTo(20);
    }

    @Test
    void aPeerHasNotMoreOnTheirWayThanItMay() {
        for (int i = 0; i < Marks.MAX; i++) {
            assertThat(marks.came()).isTrue();
        }
        assertThat(marks.came()).isFalse();
        marks.settle();
        assertThat(marks.owed()).isZero();
        assertThat(marks.came()).isTrue();
    }
}
