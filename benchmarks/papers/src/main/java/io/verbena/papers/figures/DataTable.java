package io.verbena.papers.figures;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows of a figure's data, for people and for files.
 *
 * @param title what it shows
 * @param heads of the columns
 * @param rows a cell a column each
 */
public record DataTable(String title, List<String> heads, List<List<String>> rows) {
    /** Checks that each row has a cell a column. */
    public DataTable {
        heads = List.copyOf(heads);
        List<List<String>> copies = new ArrayList<>();
        for (List<String> row : rows) {
            if (row.size() != heads.size()) {
                throw new IllegalArgumentException(
                        title + ": " + row.size() + " cells for " + heads.size() + " columns");
            }
            copies.add(List.copyOf(row));
        }
        rows = List.copyOf(copies);
    }
}
