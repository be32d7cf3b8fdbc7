package io.verbena.nic.poll;

import static io.verbena.nic.port.PollStrategy.NO_DEADLINE;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.port.PollStrategy.Step;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class HaltPollingTest {
    private static final long SECOND = 1_000_000_000;

    private long now = 1;
    private long step = 25;
    private final RunDelay delay = new RunDelay();
    private final AwakeCheck check = AwakeCheck.watching(() -> now += step, delay);
    private final HaltPolling idle = new HaltPolling(50_000, check);

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
        idle.begin(NO_DEADLINE);
        while (idle.idle() != Step.SLEEP) {
            assertThat(now - begin).as("awake").isLessThan(100_000);
        }
        now += SECOND;
        idle.slept(idle.began(), true);
        return now - SECOND - begin;
    }

    private void findWork() {
        idle.begin(NO_DEADLINE);
        assertThat(idle.idle()).isEqualTo(Step.LOOK);
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
            idle.begin(NO_DEADLINE);
            while (idle.idle() != Step.SLEEP) {
                assertThat(now).isLessThan(SECOND);
            }
            now += 1_000;
            idle.slept(idle.began(), true);
        }
        assertThat(waitInVain()).isGreaterThan(25_000L);
    }

    @Test
    void sleepsAgainWhenItWasWokenForNothing() {
        waitInVain();
        idle.begin(NO_DEADLINE);
        while (idle.idle() != Step.SLEEP) {
            assertThat(now).isLessThan(10 * SECOND);
        }
        assertThat(idle.idle()).isEqualTo(Step.SLEEP);
        idle.slept(idle.began(), true);
        idle.begin(NO_DEADLINE);
        assertThat(idle.idle()).isEqualTo(Step.LOOK);
    }

    @Test
    void staysAwakeNoLongerThanTheWait() {
        idle.begin(now + 500);
        while (idle.idle() != Step.SLEEP) {
            assertThat(now).isLessThan(1_000);
        }
        idle.begin(now - 1);
        assertThat(idle.idle()).as("over").isEqualTo(Step.SLEEP);
    }

    /** A wait that ended without what was waited for says nothing for staying awake. */
    @Test
    void aShortWaitThatFoundNothingIsNoReasonToStayAwake() {
        for (int i = 0; i < 10; i++) {
            findWork();
        }
        long awake = waitInVain();
        idle.begin(NO_DEADLINE);
        assertThat(idle.idle()).isEqualTo(Step.LOOK);
        idle.slept(idle.began(), false);
        assertThat(waitInVain()).isLessThan(awake / 2);
    }

    @Test
    void sleepsAtOnceWhereItMayNotStayAwake() {
        try (HaltPolling never = new HaltPolling(0, check)) {
            assertThat(never.idle()).isEqualTo(Step.SLEEP);
        }
    }

    @Test
    void oneSliceOfAnotherThreadIsNoShortageOfCores() {
        idle.begin(NO_DEADLINE);
        assertThat(idle.idle()).isEqualTo(Step.LOOK);
        now += 4_000_000;
        while (idle.idle() != Step.SLEEP) {
            assertThat(now).isLessThan(SECOND);
        }
        assertThat(check.hasRetreated()).isFalse();
    }

    @Test
    void sleepsAtOnceWhileCoresAreShort() {
        for (int slices = 0; !check.hasRetreated(); slices++) {
            assertThat(slices).isLessThan(4);
            idle.begin(NO_DEADLINE);
            assertThat(idle.idle()).isEqualTo(Step.LOOK);
            now += 3_000_000;
            while (idle.idle() != Step.SLEEP) {
                assertThat(now).isLessThan(SECOND);
            }
            idle.slept(idle.began(), true);
        }
        idle.begin(NO_DEADLINE);
        assertThat(idle.idle()).isEqualTo(Step.SLEEP);
        now += SECOND;
        idle.begin(NO_DEADLINE);
        assertThat(idle.idle()).isEqualTo(Step.LOOK);
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
