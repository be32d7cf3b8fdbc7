package io.verbena.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Pace;
import io.verbena.bench.trial.TrialOutcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static final Progress SILENT = new Progress() {
        @Override
        public void begin(
                ComparisonRow row, Contestant contestant, int round, int done, int total, double secondsLeft) {}

        @Override
        public void end(ComparisonRow row, Contestant contestant, int round, TrialOutcome outcome) {}

        @Override
        public void close() {}
    };

    private static List<String> cores(List<Integer> cores) {
        List<String> pairs = new ArrayList<>();
        new Comparison(new Comparison.Schedule(2, new Pace(1, 1), 0, cores), (setting, pace, pair) -> {
                    pairs.add(setting.path() + " " + pair.text());
                    return Fixtures.of(Figure.P50, 100);
                })
                .run(new Results(List.of(Fixtures.latencyRow("row"))), SILENT);
        return pairs;
    }

    @Test
    void aRoundHasOnePairForAllPaths() {
        assertThat(cores(List.of(0, 1, 3))).containsExactly("ours 0,1", "peer 0,1", "peer 0,3", "ours 0,3");
    }

    /** Rounds in which ours is near, and the peer is far until a round. */
    private static int rounds(int untilRound) {
        int[] measurements = {0};
        new Comparison(new Comparison.Schedule(2, new Pace(1, 1), 0, List.of(0, 1)), (setting, pace, pair) -> {
                    boolean far = setting.path().equals("peer") && measurements[0] / 2 < untilRound;
                    measurements[0]++;
                    return Fixtures.measured(List.of(Fixtures.slice(far ? Tag.FAR : Tag.NEAR, far ? 460 : 100, 300)));
                })
                .run(new Results(List.of(Fixtures.latencyRow("row"))), SILENT);
        return measurements[0] / 2;
    }

    @Test
    void aRowWhosePathsNeverMetIsMeasuredAgainAFewTimes() {
        assertThat(rounds(0)).isEqualTo(2);
        assertThat(rounds(1)).isEqualTo(2);
        assertThat(rounds(2)).isEqualTo(3);
        assertThat(rounds(9)).isEqualTo(4);
    }

    @Test
    void oneCoreIsNoPair() {
        assertThat(cores(List.of())).allSatisfy(each -> assertThat(each).endsWith(CorePair.NONE.text()));
    }
}
