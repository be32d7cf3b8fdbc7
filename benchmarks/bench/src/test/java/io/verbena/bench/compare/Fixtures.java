package io.verbena.bench.compare;

import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Figures;
import io.verbena.bench.trial.Measure;
import io.verbena.bench.trial.Outcome;
import io.verbena.bench.trial.Setting;
import java.util.List;
import java.util.Map;

/** Rows and outcomes with figures that a test chooses. */
public final class Fixtures {
    private Fixtures() {}

    /** Against {@code peer}: p50 at most as much. */
    public static Row latencyRow(String id) {
        Setting setting = Setting.of("", Measure.ROUND_TRIP, 32);
        return new Row(
                id,
                "a round trip",
                List.of(Figure.P50),
                List.of(Contestant.of(setting.withPath("ours"), Target.atMost(Figure.P50, 1))),
                List.of(Contestant.of(setting.withPath("peer"))));
    }

    /** Measured. */
    public static Outcome of(Figure figure, double value) {
        List<Figures.Percentile> curve =
                List.of(new Figures.Percentile(50, value), new Figures.Percentile(99, 2 * value));
        return new Outcome(Outcome.Kind.MEASURED, new Figures(Map.of(figure, value), curve, 1000), "", 0.5, 1);
    }

    /** Not measured. */
    public static Outcome of(Outcome.Kind kind, String reason) {
        return new Outcome(kind, null, reason, 0.5, 1);
    }
}
