package io.verbena.bench.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** A Markdown table whose columns stand below each other in a terminal too. */
public final class MarkdownTable {
    private final List<List<String>> lines = new ArrayList<>();
    private final int columns;

    /** With these heads, and no line yet. */
    public MarkdownTable(List<String> heads) {
        columns = heads.size();
        lines.add(List.copyOf(heads));
    }

    /** Adds a line: a cell a head. */
    public void line(List<String> cells) {
        if (cells.size() != columns) {
            throw new IllegalArgumentException(cells.size() + " cells for " + columns + " columns");
        }
        lines.add(List.copyOf(cells));
    }

    /** Prints it. */
    public void print(PrintStream out) {
        int[] widths = new int[columns];
        for (List<String> line : lines) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        for (int i = 0; i < lines.size(); i++) {
            out.println(text(lines.get(i), widths));
            if (i == 0) {
                out.println(rule(widths));
            }
        }
    }

    private static String text(List<String> cells, int[] widths) {
        StringBuilder text = new StringBuilder("|");
        for (int i = 0; i < widths.length; i++) {
            String cell = cells.get(i);
            text.append(' ')
                    .append(cell)
                    .append(" ".repeat(widths[i] - cell.length()))
                    .append(" |");
        }
        return text.toString();
    }

    private static String rule(int[] widths) {
        StringBuilder text = new StringBuilder("|");
        for (int width : widths) {
            text.append("-".repeat(width + 2)).append('|');
        }
        return text.toString();
    }
}
