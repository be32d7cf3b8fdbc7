package io.verbena.bench.report;

import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.LineFit;
import io.verbena.bench.compare.Results;
import io.verbena.bench.trial.Figure;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What round trips are made of, of the paths that were measured both near and far; nothing if there are none. */
public final class LineTable {
    private final Results results;

    /** Of these results. */
    public LineTable(Results results) {
        this.results = results;
    }

    /** Prints it. */
    public void print(PrintStream out) {
        MarkdownTable table = new MarkdownTable(List.of("row", "path", "a", "b", "slices"));
        boolean any = false;
        for (ComparisonRow row : results.rows()) {
            for (Contestant contestant : row.contestants()) {
                Optional<LineFit> fit = results.fit(row, contestant);
                if (fit.isPresent()) {
                    any = true;
                    table.line(List.of(
                            row.id(),
                            contestant.label(),
                            Figure.P50.text(fit.get().a()),
                            String.format(Locale.ROOT, "%.2f", fit.get().b()),
                            fit.get().near() + " near, " + fit.get().far() + " far"));
                }
            }
        }
        if (any) {
            out.println();
            out.println("round trip = a + b x the round trip of a cache line between the two cores:");
            out.println();
            table.print(out);
        }
    }
}
