package io.verbena.bench.polling;

import io.verbena.bench.polling.PollingCell.Figures;
import io.verbena.bench.report.MarkdownTable;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * How far schemes are from the best of each row, which is a load and a number of busy processes: the default row by
 * row, and each over all rows, by the geometric mean.
 */
final class PollingVerdict {
    private static final double TOLERATED = 1.1;

    private final List<PollingCell> cells;

    /** Of cells, of which those that are void do not count. */
    PollingVerdict(List<PollingCell> cells) {
        this.cells = cells.stream().filter(cell -> cell.whyVoid().isEmpty()).toList();
    }

    void print(PrintStream out) {
        for (PollingCell own : cells) {
            if (own.scheme() == SchemeName.KVM) {
                out.println(own.busy() + " busy, " + own.load() + ": " + against("round trip", own, Figures::p50) + "; "
                        + against("CPU", own, Figures::cpuNanos));
            }
        }
        out.println();
        MarkdownTable table = new MarkdownTable(List.of(
                "by the best of each row, geometric mean",
                "p50",
                "p99",
                "CPU",
                "rows",
                "p50 within 10 %",
                "CPU within 10 %",
                "both"));
        for (SchemeName scheme : SchemeName.values()) {
            List<PollingCell> own =
                    cells.stream().filter(cell -> cell.scheme() == scheme).toList();
            if (!own.isEmpty()) {
                table.line(line(scheme, own));
            }
        }
        table.print(out);
    }

    private List<String> line(SchemeName scheme, List<PollingCell> own) {
        List<String> line = new ArrayList<>(List.of(scheme.text()));
        for (ToDoubleFunction<Figures> figure :
                List.<ToDoubleFunction<Figures>>of(Figures::p50, Figures::p99, Figures::cpuNanos)) {
            line.add(text("%.2f", mean(scheme, figure)));
        }
        line.add(String.valueOf(own.size()));
        line.add(count(own, cell -> byBest(cell, Figures::p50)));
        line.add(count(own, cell -> byBest(cell, Figures::cpuNanos)));
        line.add(count(own, cell -> Math.max(byBest(cell, Figures::p50), byBest(cell, Figures::cpuNanos))));
        return line;
    }

    private static String count(List<PollingCell> own, ToDoubleFunction<PollingCell> ratio) {
        return String.valueOf(own.stream()
                .filter(cell -> ratio.applyAsDouble(cell) <= TOLERATED)
                .count());
    }

    /** The geometric mean, over the rows that a scheme has a cell in, of what it takes by the best. */
    double mean(SchemeName scheme, ToDoubleFunction<Figures> figure) {
        return Math.exp(cells.stream()
                .filter(cell -> cell.scheme() == scheme)
                .mapToDouble(cell -> Math.log(byBest(cell, figure)))
                .average()
                .orElse(Double.NaN));
    }

    private double byBest(PollingCell own, ToDoubleFunction<Figures> figure) {
        return figure.applyAsDouble(own.figures())
                / figure.applyAsDouble(best(own, figure).figures());
    }

    private PollingCell best(PollingCell own, ToDoubleFunction<Figures> figure) {
        return cells.stream()
                .filter(cell -> cell.isBeside(own))
                .min(Comparator.comparingDouble(cell -> figure.applyAsDouble(cell.figures())))
                .orElse(own);
    }

    private String against(String what, PollingCell own, ToDoubleFunction<Figures> figure) {
        double ratio = byBest(own, figure);
        return text(
                "default's %s %.2f of the best (%s)%s",
                what, ratio, best(own, figure).scheme().text(), ratio <= TOLERATED ? "" : ", beyond 1.10");
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
