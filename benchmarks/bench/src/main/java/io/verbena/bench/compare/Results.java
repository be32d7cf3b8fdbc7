package io.verbena.bench.compare;

import io.verbena.bench.Interval;
import io.verbena.bench.cores.Slice;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Figures;
import io.verbena.bench.trial.Measure;
import io.verbena.bench.trial.TrialOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.Stream;

/** How each measurement of each contestant ended, by round. For one thread. */
public final class Results {
    private final List<ComparisonRow> rows;
    private final Map<ComparisonRow, Map<Contestant, List<TrialOutcome>>> outcomes = new HashMap<>();

    /** Nothing yet, of these rows. */
    public Results(List<ComparisonRow> rows) {
        this.rows = List.copyOf(rows);
    }

    /** The rows, in order. */
    public List<ComparisonRow> rows() {
        return rows;
    }

    /** Adds the next round's. */
    public void add(ComparisonRow row, Contestant contestant, TrialOutcome outcome) {
        outcomes.computeIfAbsent(row, any -> new HashMap<>())
                .computeIfAbsent(contestant, any -> new ArrayList<>())
                .add(outcome);
    }

    /** A contestant's outcomes, a round each. */
    public List<TrialOutcome> outcomes(ComparisonRow row, Contestant contestant) {
        return outcomes.getOrDefault(row, Map.of()).getOrDefault(contestant, List.of());
    }

    /** What its slices that count are tagged with, in the order of {@link Tag#VALID}. */
    public List<Tag> tags(ComparisonRow row, Contestant contestant) {
        return Tag.VALID.stream().filter(tag -> count(row, contestant, tag) > 0).toList();
    }

    /** Slices with a tag, over all rounds. */
    public int count(ComparisonRow row, Contestant contestant, Tag tag) {
        return (int) slices(row, contestant, tag).count();
    }

    private Stream<Slice<Figures>> slices(ComparisonRow row, Contestant contestant, Tag tag) {
        return slices(row, contestant).filter(slice -> slice.tag() == tag);
    }

    private Stream<Slice<Figures>> slices(ComparisonRow row, Contestant contestant) {
        return outcomes(row, contestant).stream().flatMap(outcome -> outcome.slices().stream());
    }

    /** A figure over the slices with a tag; empty if none has it. */
    public Optional<Interval> interval(ComparisonRow row, Contestant contestant, Figure figure, Tag tag) {
        return Interval.of(slices(row, contestant, tag)
                .flatMap(slice -> slice.result().value(figure).stream().boxed())
                .toList());
    }

    /** The ratio to another contestant's figure, as {@link #compare}. */
    public Optional<Interval> ratio(
            ComparisonRow row, Contestant contestant, Contestant reference, Figure figure, Tag tag) {
        return compare(row, contestant, reference, figure, List.of(tag), (own, other) -> own / other);
    }

    /**
     * A figure beside another contestant's: round by round, so that what both suffered cancels out, and in each round
     * tag by tag, since slices of different tags do not compare.
     *
     * @param tags that count
     * @param comparison of the own figure with the other's
     */
    public Optional<Interval> compare(
            ComparisonRow row,
            Contestant contestant,
            Contestant reference,
            Figure figure,
            List<Tag> tags,
            DoubleBinaryOperator comparison) {
        List<Double> values = new ArrayList<>();
        List<TrialOutcome> all = outcomes(row, contestant);
        List<TrialOutcome> others = outcomes(row, reference);
        for (int round = 0; round < Math.min(all.size(), others.size()); round++) {
            for (Tag tag : tags) {
                OptionalDouble own = all.get(round).value(figure, tag);
                OptionalDouble other = others.get(round).value(figure, tag);
                if (own.isPresent() && other.isPresent()) {
                    values.add(comparison.applyAsDouble(own.getAsDouble(), other.getAsDouble()));
                }
            }
        }
        return Interval.of(values);
    }

    /** As a target compares it with another contestant's, whatever the tag, as {@link #compare}. */
    public Optional<Interval> compare(
            ComparisonRow row, Contestant contestant, Contestant reference, FigureTarget target) {
        return compare(row, contestant, reference, target.figure(), Tag.VALID, target::compare);
    }

    /**
     * Whether each subject that has figures has some of a tag that its reference has in the same round, so that there
     * is a ratio.
     */
    public boolean haveMet(ComparisonRow row) {
        return row.references().isEmpty()
                || row.subjects().stream()
                        .allMatch(subject ->
                                haveMet(row, subject, row.references().get(0)));
    }

    private boolean haveMet(ComparisonRow row, Contestant subject, Contestant reference) {
        List<TrialOutcome> all = outcomes(row, subject);
        List<TrialOutcome> others = outcomes(row, reference);
        boolean met = tags(row, subject).isEmpty() || tags(row, reference).isEmpty();
        for (int round = 0; round < Math.min(all.size(), others.size()) && !met; round++) {
            Set<Tag> tags = all.get(round).tags();
            met = others.get(round).tags().stream().anyMatch(tags::contains);
        }
        return met;
    }

    /** What a round trip is made of, if it was measured near and far. */
    public Optional<LineFit> fit(ComparisonRow row, Contestant contestant) {
        return contestant.setting().measure() == Measure.ROUND_TRIP
                ? LineFit.of(slices(row, contestant).toList())
                : Optional.empty();
    }

    /** A percentile curve: point by point the median of the slices that reach so far, and of those at least half do. */
    public List<Figures.Percentile> curve(ComparisonRow row, Contestant contestant, Tag tag) {
        Map<Double, List<Double>> points = new TreeMap<>();
        slices(row, contestant, tag)
                .flatMap(slice -> slice.result().curve().stream())
                .forEach(point -> points.computeIfAbsent(point.percent(), any -> new ArrayList<>())
                        .add(point.nanos()));
        int measured = count(row, contestant, tag);
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
        for (ComparisonRow row : rows) {
            for (Contestant contestant : row.contestants()) {
                List<TrialOutcome> all = outcomes(row, contestant);
                for (int round = 0; round < all.size(); round++) {
                    if (all.get(round).kind() == TrialOutcome.Kind.FAILED) {
                        lines.add(row.id() + ", " + contestant.label() + ", round " + (round + 1) + ": "
                                + all.get(round).reason());
                    }
                }
            }
        }
        return lines;
    }

    /**
     * Why there are fewer figures than rounds: {@code void 2 of 3 (reached 0.41 M/s of 1.00 M/s)}; empty if there are
     * not.
     */
    public String remark(ComparisonRow row, Contestant contestant) {
        List<TrialOutcome> all = outcomes(row, contestant);
        List<String> parts = new ArrayList<>();
        for (TrialOutcome.Kind kind : TrialOutcome.Kind.values()) {
            List<TrialOutcome> some =
                    all.stream().filter(outcome -> outcome.kind() == kind).toList();
            if (kind != TrialOutcome.Kind.MEASURED && !some.isEmpty()) {
                String often = some.size() == all.size() ? "" : " " + some.size() + " of " + all.size();
                parts.add(word(kind) + often + " (" + some.get(0).reason() + ")");
            }
        }
        return all.isEmpty() ? "not measured" : String.join(", ", parts);
    }

    private static String word(TrialOutcome.Kind kind) {
        return kind == TrialOutcome.Kind.NOT_AVAILABLE
                ? "not available"
                : kind.name().toLowerCase(Locale.ROOT);
    }
}
