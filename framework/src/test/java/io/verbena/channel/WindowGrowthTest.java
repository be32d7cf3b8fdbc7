package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a window is to be larger, by round trips that are given. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class WindowGrowthTest {
    private static final long LONG = 20 * WindowGrowth.MIN_ROUND_TRIP;

    private long now;
    private final WindowGrowth growth = new WindowGrowth(() -> now);

    private void measure(long roundTrip) {
        assertThat(growth.wantsMore()).isFalse();
        for (int i = 1; i < WindowGrowth.ROUND_TRIPS; i++) {
            growth.measure(roundTrip + i); // only the shortest counts
            assertThat(growth.wantsMore()).isFalse();
        }
        growth.measure(roundTrip);
    }

    @Test
    void aPathWhoseDelayStaysTheSameTakesMore() {
        for (int i = 0; i < 10; i++) {
            measure(LONG + i * LONG / 10);
            assertThat(growth.wantsMore()).isTrue();
            growth.grown();
        }
    }

    /** Each round trip longer, and more messages in all. */
    @Test
    void itGrowsWhileMoreGoesThrough() {
        long roundTrip = LONG;
        for (int i = 0; i < 5; i++) {
            measure(roundTrip);
            assertThat(growth.wantsMore()).isTrue();
            growth.grown();
            roundTrip = roundTrip * (WindowGrowth.MAX_TENTHS - 1) / 10;
        }
        measure(roundTrip * 2);
        assertThat(growth.wantsMore()).isFalse();
    }

    @Test
    void whatOnlyWaitsLongerTakesNoMore() {
        measure(LONG);
        growth.grown();
        for (int i = 0; i < 20; i++) {
            measure(2 * LONG);
            assertThat(growth.wantsMore()).isFalse();
            rest(Math.min(WindowGrowth.MIN_REST << i, WindowGrowth.MAX_REST));
        }
    }

    /** Though all of it only waits longer. */
    @Test
    void itLastsForAsLongAsAThreadMayBeAway() {
        for (long roundTrip = WindowGrowth.SLICE / 8; roundTrip < WindowGrowth.SLICE; roundTrip *= 2) {
            measure(roundTrip);
            assertThat(growth.wantsMore()).isTrue();
            growth.grown();
        }
        measure(WindowGrowth.SLICE);
        assertThat(growth.wantsMore()).isFalse();
    }

    private void rest(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            growth.measure(1);
            assertThat(growth.wantsMore()).isFalse();
        }
    }

    @Test
    void aPathThatWasSlowForAWhileTakesMoreLater() {
        measure(LONG);
        growth.grown();
        measure(2 * LONG); // processors were short, say
        rest(WindowGrowth.MIN_REST);
        measure(LONG);
        assertThat(growth.wantsMore()).isTrue();
        growth.grown();
        measure(2 * LONG);
        rest(WindowGrowth.MIN_REST);
        measure(LONG);
        assertThat(growth.wantsMore()).isTrue();
    }

    @Test
    void aRoundTripEndsWithTheLastMessageBeforeTheRefusal() {
        for (long i = 1; i <= WindowGrowth.ROUND_TRIPS; i++) {
            growth.refused(7 * i);
            now += LONG;
            assertThat(growth.ends(7 * i - 1)).isFalse();
            assertThat(growth.ends(7 * i)).isTrue();
            assertThat(growth.wantsMore()).isFalse();
            growth.end();
            assertThat(growth.ends(7 * i)).isFalse();
        }
        assertThat(growth.wantsMore()).isTrue();
    }

    @Test
    void aPathThatAnswersSoonIsLookedAtAgain() {
        measure(WindowGrowth.MIN_ROUND_TRIP - WindowGrowth.ROUND_TRIPS);
        assertThat(growth.wantsMore()).isFalse();
        measure(LONG);
        assertThat(growth.wantsMore()).isTrue();
    }
}
