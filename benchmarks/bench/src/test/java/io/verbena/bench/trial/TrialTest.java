package io.verbena.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Cores;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Measurements in processes of their own. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TrialTest {
    private static final Pace SHORT = new Pace(0.05, 0.1);

    @Test
    void twoProcessesMeasure() {
        CorePair cores = CorePair.of(Cores.pinnable(), 1);
        TrialOutcome outcome = Trial.run(Setting.of("agrona-one-to-one", Measure.ROUND_TRIP, 32), SHORT, cores);
        // Whether it is void is the machine's and the compilers' business.
        assertThat(outcome.kind()).as(outcome.reason()).isIn(TrialOutcome.Kind.MEASURED, TrialOutcome.Kind.VOID);
        assertThat(outcome.slices()).isNotEmpty().allSatisfy(slice -> {
            assertThat(slice.result().value(Figure.P50)).isPresent();
            assertThat(slice.before() > 0).isEqualTo(!cores.equals(CorePair.NONE));
        });
    }

    @Test
    void whatDiesSaysWhy() {
        Setting refused = Setting.of("verbena-write-local", Measure.ROUND_TRIP, 32);
        TrialOutcome outcome = Trial.run(refused.withQueuePairs(2).withThreads(true), SHORT, CorePair.NONE);
        assertThat(outcome.kind()).isEqualTo(TrialOutcome.Kind.FAILED);
        assertThat(outcome.reason()).contains("ended with status 1; both end: ").contains("maximum 1");
    }

    @Test
    void whatIsNotThereIsNoFailure() {
        assertThat(Trial.run(Setting.of("verbena-thought-shm", Measure.ROUND_TRIP, 32), SHORT, CorePair.NONE))
                .isEqualTo(TrialOutcome.notAvailable("no path 'verbena-thought-shm' here"));
        assertThat(Trial.run(Setting.of("verbena-append-local", Measure.ROUND_TRIP, 32), SHORT, CorePair.NONE)
                        .reason())
                .isEqualTo("verbena-append-local is a path within one process");
        assertThat(Trial.run(Setting.of("aeron-ipc", Measure.STREAM, 32).withQueuePairs(2), SHORT, CorePair.NONE)
                        .reason())
                .isEqualTo("queue pairs 2 > maximum 1");
    }

    @Test
    void aProcessIsWaitedForWithABoundAndEndsWithTheOneThatStartedIt() throws IOException, InterruptedException {
        try (JavaProcess busy = new JavaProcess(BusyProcess.class, List.of("60"))) {
            assertThat(busy.process().inputReader().readLine()).isEqualTo(BusyProcess.READY);
            assertThatThrownBy(() -> busy.await(0.05)).hasMessageEndingWith("has not ended within 1 s");
            busy.process().getOutputStream().close(); // as the death of this process would
            assertThat(busy.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(busy.process().exitValue()).isEqualTo(3);
        }
    }
}
