package io.verbena.bench.report;

import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.Results;
import io.verbena.bench.trial.Figure;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Results as a table with a column a figure: a line a row and contestant. */
public final class FigureTable {
    private final Results results;
    private final String rowHead;
    private final List<Figure> figures;

    /**
     * Of these results.
     *
     * @param rowHead what rows differ in
     * @param figures the columns
     */
    public FigureTable(Results results, String rowHead, List<Figure> figures) {
        this.results = results;
        this.rowHead = rowHead;
        this.figures = List.copyOf(figures);
    }

    /** Prints it. */
    public void print(PrintStream out) {
        List<String> heads = new ArrayList<>(List.of(rowHead, "path"));
        figures.forEach(figure -> heads.add(figure.title()));
        heads.addAll(List.of("slices", "remark"));
        MarkdownTable table = new MarkdownTable(heads);
        for (ComparisonRow row : results.rows()) {
            for (Contestant contestant : row.contestants()) {
                List<String> cells = new ArrayList<>(List.of(row.title(), contestant.label()));
                for (Figure figure : figures) {
                    String text = RatioTable.text(results, row, contestant, figure);
                    cells.add(text.isEmpty() ? "-" : text);
                }
                cells.add(Tagged.slices(results, row, contestant));
                cells.add(results.remark(row, contestant));
                table.line(cells);
            }
        }
        table.print(out);
    }
}
