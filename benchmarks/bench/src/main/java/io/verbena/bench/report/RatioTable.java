package io.verbena.bench.report;

import io.verbena.bench.Interval;
import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.FigureTarget;
import io.verbena.bench.compare.Results;
import io.verbena.bench.trial.Figure;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A comparison as a table: each figure of each contestant, its ratio to the row's reference, and whether that is
 * enough.
 */
public final class RatioTable {
    private static final String NONE = "";

    private final Results results;

    /** Of these results. */
    public RatioTable(Results results) {
        this.results = results;
    }

    /** Prints it. */
    public void print(PrintStream out) {
        MarkdownTable table = new MarkdownTable(
                List.of("row", "path", "figure", "median (range)", "ratio (range)", "target", "met", "slices"));
        for (ComparisonRow row : results.rows()) {
            String id = row.id();
            for (Contestant contestant : row.contestants()) {
                for (List<String> line : lines(row, contestant)) {
                    List<String> cells = new ArrayList<>(List.of(id));
                    cells.addAll(line);
                    table.line(cells);
                    id = NONE;
                }
            }
        }
        table.print(out);
    }

    private List<List<String>> lines(ComparisonRow row, Contestant contestant) {
        List<List<String>> lines = new ArrayList<>();
        String label = contestant.label();
        String slices = Tagged.slices(results, row, contestant);
        for (Figure figure : row.figures()) {
            String text = text(results, row, contestant, figure);
            if (!text.isEmpty()) {
                List<String> line = new ArrayList<>(List.of(label, figure.title(), text));
                line.addAll(compared(row, contestant, figure));
                line.add(slices);
                lines.add(line);
                label = NONE;
                slices = NONE;
            }
        }
        String remark = results.remark(row, contestant);
        if (!remark.isEmpty()) {
            lines.add(List.of(label, NONE, remark, NONE, NONE, NONE, slices));
        }
        return lines;
    }

    private List<String> compared(ComparisonRow row, Contestant contestant, Figure figure) {
        if (row.references().isEmpty()) {
            return List.of(NONE, NONE, NONE);
        }
        Contestant reference = row.references().get(0);
        if (contestant.equals(reference)) {
            return List.of("reference", NONE, NONE);
        }
        Optional<FigureTarget> target = contestant.target(figure);
        FigureTarget by = target.orElse(FigureTarget.atMost(figure, 1));
        Optional<Interval> compared = results.compare(row, contestant, reference, by);
        return List.of(
                Tagged.text(
                        results.tags(row, contestant),
                        tag -> results.compare(row, contestant, reference, figure, List.of(tag), by::compare)
                                .map(c -> by.text(c.median()) + range(by.text(c.min()), by.text(c.max()), c.count()))),
                target.map(FigureTarget::text).orElse(NONE),
                target.isPresent()
                        ? compared.map(c -> by.isMet(c.median()) ? "yes" : "NO").orElse("?")
                        : NONE);
    }

    /** A figure of each tag. */
    static String text(Results results, ComparisonRow row, Contestant contestant, Figure figure) {
        return Tagged.text(
                results.tags(row, contestant),
                tag -> results.interval(row, contestant, figure, tag).map(interval -> text(figure, interval)));
    }

    private static String text(Figure figure, Interval interval) {
        return figure.text(interval.median())
                + range(figure.text(interval.min()), figure.text(interval.max()), interval.count());
    }

    /** {@code (0.95-1.02)}; a unit that both have stands once. */
    private static String range(String min, String max, int count) {
        if (count < 2) {
            return NONE;
        }
        int space = max.indexOf(' ');
        String unit = space > 0 ? max.substring(space) : NONE;
        String shorter = min.endsWith(unit) ? min.substring(0, min.length() - unit.length()) : min;
        return " (" + shorter + "-" + max + ")";
    }

    /** Promises that were kept, and all that could be judged: {@code 17 of 20 targets met}. */
    public String verdict() {
        int met = 0;
        int judged = 0;
        for (ComparisonRow row : results.rows()) {
            if (!row.references().isEmpty()) {
                for (Contestant contestant : row.subjects()) {
                    for (FigureTarget target : contestant.targets()) {
                        Optional<Interval> compared = results.compare(
                                row, contestant, row.references().get(0), target);
                        judged += compared.isPresent() ? 1 : 0;
                        met += compared.isPresent()
                                        && target.isMet(compared.get().median())
                                ? 1
                                : 0;
                    }
                }
            }
        }
        return met + " of " + judged + " targets met";
    }
}
