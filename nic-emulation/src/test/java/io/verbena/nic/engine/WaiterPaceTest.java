package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WaiterPaceTest {
    private static final long QUICK = 100;
    private static final long SLOW = 10_000_000;

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1000); // wraps
    private final WaiterPace pace = new WaiterPace(clock::get);

    private int looksIn(int turns, long nanosEach) {
        int looks = 0;
        for (int i = 0; i < turns; i++) {
            clock.addAndGet(nanosEach);
            looks += pace.isDue() ? 1 : 0;
        }
        return looks;
    }

    @Test
    void oneOfManyQuickTurnsLooks() {
        assertThat(looksIn(640 * WaiterPace.LOOK_INTERVAL_TURNS, QUICK)).isEqualTo(640);
    }

    @Test
    void everySlowTurnLooks() {
        looksIn(1000, QUICK);
        assertThat(looksIn(100, SLOW)).isGreaterThanOrEqualTo(100 - 16); // it takes a few to see that they are slow
        assertThat(looksIn(100, SLOW)).isEqualTo(100);
    }

    @Test
    void whatBecomesQuickAgainLooksSeldomAgain() {
        looksIn(100, SLOW);
        assertThat(looksIn(10 * WaiterPace.LOOK_INTERVAL_TURNS, QUICK)).isBetween(9, 11);
    }

    @Test
    void onePauseCostsOneLook() {
        looksIn(1000, QUICK);
        clock.addAndGet(SLOW);
        assertThat(looksIn(WaiterPace.LOOK_INTERVAL_TURNS, QUICK)).isBetween(1, 2);
    }
}
