package io.verbena.nic.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.port.PollStrategy.Step;
import io.verbena.nic.port.PollStrategy.Waiting;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each scheme promises whoever asks it, and the settings that are refused. The clock is the test's own. */
@Timeout(180)
class PollingTest {
    private static final int BOUND = 100_000; // looks

    private long now = 1;

    static List<Polling> schemes() {
        return List.of(
                Polling.busy(),
                Polling.event(),
                Polling.eventBatch(7),
                Polling.hybrid(),
                Polling.sharedCq(2),
                Polling.adaptive(),
                Polling.adaptive().retryFor(Duration.ofNanos(3_000)),
                Polling.kvm(),
                Polling.kvm().longestSpin(Duration.ZERO));
    }

    private PollStrategy create(Polling polling) {
        return polling.clock(() -> now += 25).create(Waiting.GUEST);
    }

    private static boolean neverSleeps(Polling polling) {
        return polling.scheme() == Polling.Scheme.BUSY || polling.scheme() == Polling.Scheme.SHARED_CQ;
    }

    /** Empty looks until the strategy sleeps, at most so many. */
    private static int looksUntilSleep(PollStrategy strategy, int most) {
        int looks = 1;
        while (looks < most && strategy.idle() != Step.SLEEP) {
            looks++;
        }
        return looks;
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void sleepsSoonAfterItsDeadline(Polling polling) {
        try (PollStrategy strategy = create(polling)) {
            strategy.begin(now + 1_000);
            assertThat(looksUntilSleep(strategy, BOUND)).isLessThan(BOUND);
            now += 1_000_000;
            strategy.slept(strategy.began(), false);
            strategy.begin(now - 1);
            assertThat(looksUntilSleep(strategy, BOUND)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void withoutDeadlineOnlyBusySchemesStayAwake(Polling polling) {
        try (PollStrategy strategy = create(polling)) {
            strategy.begin(PollStrategy.NO_DEADLINE);
            assertThat(looksUntilSleep(strategy, BOUND) == BOUND).isEqualTo(neverSleeps(polling));
        }
    }

    /** Whatever a wait was, the next one begins as the first. */
    @ParameterizedTest
    @MethodSource("schemes")
    void countsAnewInEachWait(Polling polling) {
        if (polling.scheme() == Polling.Scheme.KVM || neverSleeps(polling)) {
            return; // learns from its waits, or has no count
        }
        try (PollStrategy strategy = create(polling)) {
            strategy.begin(PollStrategy.NO_DEADLINE);
            int first = looksUntilSleep(strategy, BOUND);
            strategy.slept(strategy.began(), true);
            for (int i = 0; i < 3; i++) { // found awake, after half of the looks
                strategy.begin(PollStrategy.NO_DEADLINE);
                for (int j = 0; j < first / 2; j++) {
                    assertThat(strategy.idle()).isNotEqualTo(Step.SLEEP);
                }
                strategy.worked();
            }
            strategy.begin(PollStrategy.NO_DEADLINE);
            assertThat(looksUntilSleep(strategy, BOUND)).isEqualTo(first);
            assertThat(strategy.idle()).as("woken for nothing").isEqualTo(Step.SLEEP);
        }
    }

    @Test
    void adaptiveLooksAsOftenAsItIsTold() {
        for (int retries : new int[] {0, 1, 120, 5_000}) {
            try (PollStrategy strategy = create(Polling.adaptive().retries(retries))) {
                strategy.begin(PollStrategy.NO_DEADLINE);
                assertThat(looksUntilSleep(strategy, BOUND)).isEqualTo(retries + 1);
            }
        }
    }

    @Test
    void adaptiveByTimeStaysAwakeForThatTime() {
        try (PollStrategy strategy = create(Polling.adaptive().retryFor(Duration.ofNanos(10_000)))) {
            long begin = now;
            strategy.begin(PollStrategy.NO_DEADLINE);
            assertThat(looksUntilSleep(strategy, BOUND)).isLessThan(BOUND);
            assertThat(now - begin).isBetween(10_000L, 11_000L);
        }
    }

    /** A busy thread that was put to sleep because its wait seemed short of cores tries again when it is woken. */
    @Test
    void busyGoesOnAfterItWasWoken() {
        long[] clock = {1};
        RunDelay delay = new RunDelay();
        delay.close(); // gaps count alone
        AwakeCheck check = AwakeCheck.watching(() -> clock[0] += 25, delay);
        try (SpinThenSleep busy = new SpinThenSleep(SpinThenSleep.UNBOUNDED, SpinThenSleep.UNBOUNDED, check)) {
            busy.begin(PollStrategy.NO_DEADLINE);
            int looks = 0;
            while (busy.idle() != Step.SLEEP) {
                assertThat(++looks).isLessThan(100);
                clock[0] += 3_000_000; // others have the core
            }
            assertThat(check.hasRetreated()).isTrue();
            assertThat(busy.idle()).as("woken while cores are short").isEqualTo(Step.SLEEP);
            clock[0] += 2_000_000_000;
            assertThat(busy.idle()).as("woken later").isEqualTo(Step.SPIN);
        }
    }

    /** Where somebody else counts how long a thread waits for a core, it sleeps at once if that is long. */
    @Test
    void heedsWhatOthersCountOfItsThread() {
        RunDelay.Counts counts = new RunDelay.Counts() {
            @Override
            public long nanos() {
                return now / 2; // as a half share of a core
            }

            @Override
            public long runs() {
                return now / 4_000_000;
            }
        };
        Polling busy = Polling.busy();
        try (PollStrategy heeds = busy.clock(() -> now += 100_000, counts).create(Waiting.GUEST);
                PollStrategy persists = busy.evenIfCoresAreShort()
                        .clock(() -> now += 100_000, counts)
                        .create(Waiting.GUEST)) {
            heeds.begin(PollStrategy.NO_DEADLINE);
            assertThat(looksUntilSleep(heeds, BOUND)).isLessThan(BOUND);
            assertThat(now).isBetween(10_000_000L, 40_000_000L);
            persists.begin(PollStrategy.NO_DEADLINE);
            assertThat(looksUntilSleep(persists, BOUND)).isEqualTo(BOUND);
        }
    }

    @Test
    void settingsOutOfRangeAreRefusedByNameAndValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Polling.adaptive().retries(-1))
                .withMessage("retries -1 outside 0..1000000000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Polling.eventBatch(0))
                .withMessage("batch 0 outside 1..65536");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Polling.busy().batch(65_537))
                .withMessage("batch 65537 outside 1..65536");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Polling.sharedCq(65))
                .withMessage("pollers 65 outside 1..64");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Polling.kvm().longestSpin(Duration.ofNanos(-1)))
                .withMessage("longestSpin PT-0.000000001S < minimum 0");
    }

    @Test
    void timesMayBeForEver() {
        Duration ever = ChronoUnit.FOREVER.getDuration();
        assertThat(Polling.kvm().longestSpin(ever)).hasToString("KVM(3600000000 us), batch 256");
        assertThat(Polling.adaptive().retryFor(ever)).hasToString("ADAPTIVE(3600000000 us), batch 32");
    }

    @Test
    void settingsOfAnotherSchemeAreRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Polling.kvm().retries(3))
                .withMessage("retries is a setting of ADAPTIVE, not of KVM");
        assertThatIllegalStateException()
                .isThrownBy(() -> Polling.busy().longestSpin(Duration.ZERO))
                .withMessage("longestSpin is a setting of KVM, not of BUSY");
        assertThatIllegalStateException()
                .isThrownBy(() -> Polling.event().batch(2))
                .withMessage("batch 2 of EVENT, which takes 1; use eventBatch");
    }

    @Test
    void namesItself() {
        assertThat(schemes())
                .extracting(Polling::toString)
                .containsExactly(
                        "BUSY, batch 32",
                        "EVENT, batch 1",
                        "EVENT_BATCH, batch 7",
                        "HYBRID, batch 32",
                        "SHARED_CQ(2), batch 32",
                        "ADAPTIVE(120), batch 32",
                        "ADAPTIVE(3 us), batch 32",
                        "KVM(200 us), batch 256",
                        "KVM(0 us), batch 256");
    }
}
