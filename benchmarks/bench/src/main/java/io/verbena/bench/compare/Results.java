package io.verbena.bench.compare;

import io.verbena.bench.Interval;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Figures;
import io.verbena.bench.trial.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** How each measurement of each contestant ended, by round. For one thread. */
public final class Results {
    private final List<Row> rows;
    private final Map<Row, Map<Contestant, List<Outcome>>> outcomes = new HashMap<>();

    /** Nothing yet, of these rows. */
    public Results(List<Row> rows) {
        this.rows = List.copyOf(rows);
    }

    /** The rows, in order. */
    public List<Row> rows() {
        return rows;
    }

    /** Adds the next round's. */
    public void add(Row row, Contestant contestant, Outcome outcome) {
        outcomes.computeIfAbsent(row, any -> new HashMap<>())
                .computeIfAbsent(contestant, any -> new ArrayList<>())
                .add(outcome);
    }

    /** A contestant's outcomes, a round each. */
    public List<Outcome> outcomes(Row row, Contestant contestant) {
        return outcomes.getOrDefault(row, Map.of()).getOrDefault(contestant, List.of());
    }

    /** A figure over the rounds that have it; empty if none has. */
    public Optional<Interval> interval(Row row, Contestant contestant, Figure figure) {
        List<Double> values = new ArrayList<>();
        for (int round = 0; round < outcomes(row, contestant).size(); round++) {
            value(row, contestant, figure, round).ifPresent(values::add);
        }
        return Interval.of(values);
    }

    /** The ratio to another contestant's figure, round by round: what both suffered in a round cancels out. */
    public Optional<Interval> ratio(Row row, Contestant contestant, Contestant reference, Figure figure) {
        return compare(row, contestant, reference, Target.atMost(figure, 1));
    }

    /** As a target compares it with another contestant's, round by round. */
    public Optional<Interval> compare(Row row, Contestant contestant, Contestant reference, Target target) {
        List<Double> values = new ArrayList<>();
        int rounds = Math.min(
                outcomes(row, contestant).size(), outcomes(row, reference).size());
        for (int round = 0; round < rounds; round++) {
            OptionalDouble own = value(row, contestant, target.figure(), round);
            OptionalDouble other = value(row, reference, target.figure(), round);
            if (own.isPresent() && other.isPresent()) {
                values.add(target.compare(own.getAsDouble(), other.getAsDouble()));
            }
        }
        return Interval.of(values);
    }

    private OptionalDouble value(Row row, Contestant contestant, Figure figure, int round) {
        Figures figures = outcomes(row, contestant).get(round).figures();
        return figures == null ? OptionalDouble.empty() : figures.value(figure);
    }

    /** A percentile curve: point by point the median of the rounds that reach so far, and of those at least half do. */
    public List<Figures.Percentile> curve(Row row, Contestant contestant) {
        Map<Double, List<Double>> points = new TreeMap<>();
        int measured = 0;
        for (Outcome outcome : outcomes(row, contestant)) {
            Figures figures = outcome.figures();
            if (figures != null) {
                measured++;
                for (Figures.Percentile point : figures.curve()) {
                    points.computeIfAbsent(point.percent(), any -> new ArrayList<>())
                            .add(point.nanos());
                }
            }
        }
        List<Figures.Percentile> curve = new ArrayList<>();
        for (Map.Entry<Double, List<Double>> point : points.entrySet()) {
            if (2 * point.getValue().size() >= measured) {
                Interval.of(point.getValue())
                        .ifPresent(interval -> curve.add(new Figures.Percentile(point.getKey(), interval.median())));
            }
        }
        return curve;
    }

    /** What went wrong, a line each: what died, hung or mismatched. */
    public List<String> failures() {
        List<String> lines = new ArrayList<>();
        for (Row row : rows) {
            for (Contestant contestant : row.contestants()) {
                List<Outcome> all = outcomes(row, contestant);
                for (int round = 0; round < all.size(); round++) {
                    if (all.get(round).kind() == Outcome.Kind.FAILED) {
                        lines.add(row.id() + ", " + contestant.label() + ", round " + (round + 1) + ": "
                                + all.get(round).reason());
                    }
                }
            }
        }
        return lines;
    }

    /** Why there are fewer figures than rounds: {@code void 2 of 3 (reached 0.41 M/s of 1.00 M/s)}; empty if there are not. */
    public String remark(Row row, Contestant contestant) {
        List<Outcome> all = outcomes(row, contestant);
        List<String> parts = new ArrayList<>();
        for (Outcome.Kind kind : Outcome.Kind.values()) {
            List<Outcome> some =
                    all.stream().filter(outcome -> outcome.kind() == kind).toList();
            if (kind != Outcome.Kind.MEASURED && !some.isEmpty()) {
                String often = some.size() == all.size() ? "" : " " + some.size() + " of " + all.size();
                parts.add(word(kind) + often + " (" + some.get(0).reason() + ")");
            }
        }
        return all.isEmpty() ? "not measured" : String.join(", ", parts);
    }

    private static String word(Outcome.Kind kind) {
        return kind == Outcome.Kind.NOT_AVAILABLE
                ? "not available"
                : kind.name().toLowerCase(Locale.ROOT);
    }
}
