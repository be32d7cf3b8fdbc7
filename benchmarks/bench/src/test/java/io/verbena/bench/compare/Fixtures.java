package io.verbena.bench.compare;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Slice;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Figures;
import io.verbena.bench.trial.Measure;
import io.verbena.bench.trial.Setting;
import io.verbena.bench.trial.TrialOutcome;
import java.util.List;
import java.util.Map;

/** Rows and outcomes with figures that a test chooses. */
public final class Fixtures {
    private Fixtures() {}

    /** Against {@code peer}: p50 at most as much. */
    public static ComparisonRow latencyRow(String id) {
        Setting setting = Setting.of("", Measure.ROUND_TRIP, 32);
        return new ComparisonRow(
                id,
                "a round trip",
                List.of(Figure.P50),
                List.of(Contestant.of(setting.withPath("ours"), FigureTarget.atMost(Figure.P50, 1))),
                List.of(Contestant.of(setting.withPath("peer"))));
    }

    /** Measured. */
    public static TrialOutcome of(Figure figure, double value) {
        List<Figures.Percentile> curve =
                List.of(new Figures.Percentile(50, value), new Figures.Percentile(99, 2 * value));
        Figures figures = new Figures(Map.of(figure, value), curve, 1000);
        return measured(List.of(new Slice<>(Tag.UNPINNED, 0, 0, 0, figures)));
    }

    /** Measured in slices. */
    public static TrialOutcome measured(List<Slice<Figures>> slices) {
        return new TrialOutcome(TrialOutcome.Kind.MEASURED, slices, "", 0.5, 1, CorePair.NONE);
    }

    /** A slice while a line took so long. */
    public static Slice<Figures> slice(Tag tag, double line, double p50) {
        return new Slice<>(tag, line, line, 0, new Figures(Map.of(Figure.P50, p50), List.of(), 1000));
    }

    /** Not measured. */
    public static TrialOutcome of(TrialOutcome.Kind kind, String reason) {
        return new TrialOutcome(kind, List.of(), reason, 0.5, 1, CorePair.NONE);
    }
}
