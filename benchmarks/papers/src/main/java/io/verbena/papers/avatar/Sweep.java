package io.verbena.papers.avatar;

import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleBiFunction;

/** What several lines have at the same points. */
final class Sweep {
    private final List<String> lines;
    private final List<Double> points;
    private final String unit;
    private final List<List<Double>> values = new ArrayList<>();

    /**
     * Measures line by line.
     *
     * @param lines for people
     * @param points numbers of the horizontal axis
     * @param unit of what is measured
     * @param measured by the numbers of the line and of the point
     */
    Sweep(List<String> lines, List<Double> points, String unit, ToDoubleBiFunction<Integer, Integer> measured) {
        this.lines = List.copyOf(lines);
        this.points = List.copyOf(points);
        this.unit = unit;
        for (int i = 0; i < lines.size(); i++) {
            List<Double> of = new ArrayList<>();
            for (int j = 0; j < points.size(); j++) {
                of.add(measured.applyAsDouble(i, j));
            }
            values.add(of);
        }
    }

    /** Of ways. */
    static List<String> titles(List<Way> ways) {
        return ways.stream().map(Way::title).toList();
    }

    /** Points of the horizontal axis. */
    static List<Double> points(int[] numbers, double divisor) {
        List<Double> points = new ArrayList<>();
        for (int number : numbers) {
            points.add(number / divisor);
        }
        return points;
    }

    double at(int line, int point) {
        return values.get(line).get(point);
    }

    /** At the last point. */
    double last(int line) {
        return at(line, points.size() - 1);
    }

    double highest(int line) {
        return values.get(line).stream().mapToDouble(each -> each).max().orElseThrow();
    }

    double lowest(int line) {
        return values.get(line).stream().mapToDouble(each -> each).min().orElseThrow();
    }

    /** A row a point. */
    DataTable table(String title, String point, String unitOfPoints) {
        List<String> heads = new ArrayList<>(List.of(point));
        heads.addAll(lines);
        List<List<String>> rows = new ArrayList<>();
        for (int j = 0; j < points.size(); j++) {
            List<String> row = new ArrayList<>(List.of(Numbers.text(points.get(j), unitOfPoints)));
            for (List<Double> of : values) {
                row.add(Numbers.text(of.get(j), unit));
            }
            rows.add(row);
        }
        return new DataTable(title, heads, rows);
    }

    /** A line each. */
    PaperPlot plot(PaperPlot plot) {
        for (int i = 0; i < lines.size(); i++) {
            plot.line(lines.get(i), points, values.get(i), i);
        }
        return plot;
    }
}
