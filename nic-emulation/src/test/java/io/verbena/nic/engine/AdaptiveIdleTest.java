package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdaptiveIdleTest {
    private static final long SECOND = 1_000_000_000;

    private long now = 1;
    private long step = 25;
    private final RunDelay delay = new RunDelay();
    private final AdaptiveIdle idle = new AdaptiveIdle(50_000, () -> now += step, delay);

    /** The clock is the test's own, so what the kernel counts meanwhile must not matter. */
    @BeforeEach
    void countNothing() {
        delay.close();
    }

    @AfterEach
    void close() {
        idle.close();
    }

    /** Nanoseconds of one wait without work, until it sleeps. */
    private long waitInVain() {
        long begin = now;
        idle.begin();
        while (!idle.idle()) {
            assertThat(now - begin).as("awake").isLessThan(100_000);
        }
        now += SECOND;
        idle.slept(idle.idleSince());
        return now - SECOND - begin;
    }

    private void findWork() {
        idle.begin();
        assertThat(idle.idle()).isFalse();
        idle.worked();
    }

    @Test
    void staysAwakeLongerWhenThatIsWorthIt() {
        long before = waitInVain();
        for (int i = 0; i < 10; i++) {
            findWork();
        }
        long after = waitInVain();
        assertThat(after).isGreaterThan(10 * before).isBetween(50_000L, 60_000L);
        assertThat(waitInVain()).isLessThan(after);
    }

    /** Two that both began asleep would otherwise wake each other for ever: their waits are wake-ups, not long ones. */
    @Test
    void staysAwakeAfterSleepsThatWereShort() {
        for (int i = 0; i < 10; i++) {
            idle.begin();
            while (!idle.idle()) {
                assertThat(now).isLessThan(SECOND);
            }
            now += 1_000;
            idle.slept(idle.idleSince());
        }
        assertThat(waitInVain()).isGreaterThan(25_000L);
    }

    @Test
    void beingWokenOftenIsNotBeingKeptFromRunning() {
        assertThat(AdaptiveIdle.isKeptFromRunning(190_000, 20)).isFalse();
        assertThat(AdaptiveIdle.isKeptFromRunning(90_000, 1)).isFalse();
        assertThat(AdaptiveIdle.isKeptFromRunning(190_000, 1)).isTrue();
        assertThat(AdaptiveIdle.isKeptFromRunning(3_000_000, 20)).isTrue();
    }

    @Test
    void sleepsAtOnceWhereItMayNotStayAwake() {
        try (AdaptiveIdle never = new AdaptiveIdle(0)) {
            assertThat(never.idle()).isTrue();
        }
    }

    @Test
    void retreatsWhenItWasKeptFromRunningAndComesBack() {
        idle.begin();
        assertThat(idle.idle()).isFalse();
        now += 3_000_000; // another thread's slice
        int looks = 0;
        while (!idle.idle()) {
            assertThat(++looks).isLessThan(20);
        }
        idle.slept(idle.idleSince());
        assertThat(idle.hasRetreated()).isTrue();
        idle.begin();
        assertThat(idle.idle()).isTrue();

        now += 11_000_000;
        idle.begin();
        assertThat(idle.idle()).isFalse();
        assertThat(idle.hasRetreated()).isFalse();
    }

    /** The second retreat that follows soon is longer; one after a good time is short again. */
    @Test
    void retreatsForLongerWhenItIsFoundOutAgain() {
        long first = retreatAndMeasure();
        long second = retreatAndMeasure();
        long third = retreatAndMeasure();
        assertThat(second).isGreaterThan(first * 3 / 2);
        assertThat(third).isGreaterThan(second * 3 / 2);
        for (int i = 0; i < 20; i++) {
            assertThat(retreatAndMeasure()).isLessThanOrEqualTo(SECOND + SECOND / 10);
        }
        now += 3 * SECOND;
        assertThat(retreatAndMeasure()).isLessThan(first * 2);
    }

    private long retreatAndMeasure() {
        idle.begin();
        assertThat(idle.idle()).isFalse();
        now += 3_000_000;
        while (!idle.idle()) {
            assertThat(idle.hasRetreated()).isFalse();
        }
        idle.slept(idle.idleSince());
        long begin = now;
        idle.begin();
        while (idle.idle()) {
            now += 100_000;
            idle.begin();
        }
        return now - begin;
    }

    @Test
    void readsWhatTheKernelCounts() {
        byte[] text = "914946394 3608310194 1488\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(RunDelay.number(text, text.length, 1)).isEqualTo(3_608_310_194L);
        assertThat(RunDelay.number(text, text.length, 2)).isEqualTo(1488);
        assertThat(RunDelay.number(text, 9, 1)).isZero();
        assertThat(RunDelay.number(text, -1, 2)).isZero();
        try (RunDelay own = new RunDelay()) {
            assertThat(own.isOfCurrentThread()).isFalse();
            own.look();
            long before = own.nanos();
            own.look();
            assertThat(own.nanos()).isGreaterThanOrEqualTo(before);
        }
    }
}
