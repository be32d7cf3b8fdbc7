package io.verbena.nic.poll;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class CoreShortageTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final RunDelay delay = new RunDelay();
    private final CoreShortage shortage = new CoreShortage(delay, 0);
    private long now;

    /** The clock is the test's own, so what the kernel counts meanwhile must not matter. */
    @BeforeEach
    void countNothing() {
        delay.close();
    }

    @AfterEach
    void close() {
        shortage.close();
    }

    /** Another thread has the core for so long. */
    private boolean lose(long nanos) {
        now += nanos;
        return shortage.isShortAfter(now, nanos);
    }

    private long retreatAndMeasure() {
        assertThat(shortage.mayStayAwake(now)).isTrue();
        while (!lose(3 * MILLI)) {
            assertThat(shortage.hasRetreated()).isFalse();
        }
        long begin = now;
        while (!shortage.mayStayAwake(now)) {
            assertThat(shortage.hasRetreated()).isTrue();
            now += MILLI;
        }
        return now - begin;
    }

    @Test
    void lossesFarApartAreNoShortage() {
        for (int i = 0; i < 100; i++) {
            assertThat(lose(4 * MILLI)).isFalse();
            now += 33 * MILLI;
        }
    }

    @Test
    void aThirdOfTheTimeIsAShortage() {
        int losses = 0;
        while (!lose(MILLI)) {
            assertThat(++losses).isLessThan(20);
            now += 2 * MILLI;
        }
        assertThat(shortage.mayStayAwake(now)).isFalse();
    }

    /** The second retreat that follows soon is longer; one after a good time is short again. */
    @Test
    void retreatsForLongerWhenItIsFoundOutAgain() {
        long first = retreatAndMeasure();
        long second = retreatAndMeasure();
        long third = retreatAndMeasure();
        assertThat(first).isEqualTo(100 * MILLI);
        assertThat(second).isEqualTo(2 * first);
        assertThat(third).isEqualTo(2 * second);
        for (int i = 0; i < 20; i++) {
            assertThat(retreatAndMeasure()).isLessThanOrEqualTo(SECOND);
        }
        now += 3 * SECOND;
        assertThat(retreatAndMeasure()).isEqualTo(first);
    }

    @Test
    void beingWokenOftenIsNotBeingKeptFromRunning() {
        assertThat(CoreShortage.keptFromRunning(190_000, 20)).isZero();
        assertThat(CoreShortage.keptFromRunning(190_000, 1)).isEqualTo(140_000);
        assertThat(CoreShortage.keptFromRunning(3_000_000, 20)).isEqualTo(2_000_000);
    }
}
