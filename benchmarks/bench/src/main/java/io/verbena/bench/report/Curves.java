package io.verbena.bench.report;

import io.verbena.bench.Interval;
import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.Results;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Figures;
import java.awt.BasicStroke;
import java.awt.Color;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Curves as PNG files: a figure over what rows differ in, and percentiles of latencies. */
public final class Curves {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 700;
    private static final BasicStroke SOLID = new BasicStroke(2);
    private static final BasicStroke THIN =
            new BasicStroke(1, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {3, 3}, 0);

    private final Plots plots;
    private final Results results;

    /** Drawn with these. */
    public Curves(Plots plots) {
        this.plots = plots;
        this.results = plots.results();
    }

    /**
     * A file: a figure of each path over the rows, a line a tag.
     *
     * @param file its name, without {@code .png}
     * @param axis what rows differ in
     * @param position a row's on that axis, above 0
     */
    public void sweep(String file, String axis, Figure figure, ToDoubleFunction<ComparisonRow> position) {
        XYChart chart = chart(axis, figure.title() + ", " + figure.plotUnit(), file);
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setXAxisTickLabelsFormattingFunction(Curves::plain);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmicDecadeOnly(false);
        double scale = figure.plotScale();
        int color = 0;
        for (String label : labels()) {
            for (Tag tag : Tag.VALID) {
                List<Double> x = new ArrayList<>();
                List<Interval> y = new ArrayList<>();
                for (ComparisonRow row : results.rows()) {
                    interval(row, label, figure, tag).ifPresent(interval -> {
                        x.add(position.applyAsDouble(row));
                        y.add(interval);
                    });
                }
                if (!x.isEmpty()) {
                    Color used = Charts.color(color++);
                    String name = Tagged.label(label, tag);
                    line(chart, name, x, y.stream().map(each -> each.median() / scale), used);
                    range(chart, name + " least", x, y.stream().map(each -> each.min() / scale), used);
                    range(chart, name + " greatest", x, y.stream().map(each -> each.max() / scale), used);
                }
            }
        }
        if (color > 0) {
            plots.save(chart, file);
        }
    }

    /** A file a row: the percentiles of each path's latency. */
    public void percentiles() {
        for (ComparisonRow row : results.rows()) {
            XYChart chart = chart("percentile", "us", row.title());
            chart.getStyler().setXAxisLogarithmic(true);
            chart.getStyler().setXAxisLogarithmicDecadeOnly(true);
            chart.getStyler().setYAxisLogarithmic(true);
            chart.getStyler().setXAxisTickLabelsFormattingFunction(Curves::percent);
            int color = 0;
            for (Contestant contestant : row.contestants()) {
                for (Tag tag : results.tags(row, contestant)) {
                    List<Figures.Percentile> curve = results.curve(row, contestant, tag);
                    line(
                            chart,
                            Tagged.label(contestant.label(), tag),
                            curve.stream()
                                    .map(point -> 100 / (100 - point.percent()))
                                    .toList(),
                            curve.stream().map(point -> Math.max(point.nanos(), 1) / 1e3),
                            Charts.color(color++));
                }
            }
            if (color > 0) {
                plots.save(chart, row.id());
            }
        }
    }

    /** A tick at 10, 100, 1000 stands for 90 %, 99 %, 99.9 %. */
    private static String percent(double tick) {
        double percent = 100 - 100 / tick;
        return String.format(Locale.ROOT, "%s%%", trimmed(percent));
    }

    /** Ticks stand at powers of ten: {@code 10k}, {@code 1M}. */
    private static String plain(double tick) {
        return tick >= 1e6
                ? String.format(Locale.ROOT, "%.0fM", tick / 1e6)
                : tick >= 1e3 ? String.format(Locale.ROOT, "%.0fk", tick / 1e3) : trimmed(tick);
    }

    private static String trimmed(double percent) {
        String text = String.format(Locale.ROOT, "%.5f", percent);
        return text.replaceAll("\\.?0+$", "");
    }

    private Set<String> labels() {
        Set<String> labels = new LinkedHashSet<>();
        results.rows().forEach(row -> row.contestants().forEach(each -> labels.add(each.label())));
        return labels;
    }

    private Optional<Interval> interval(ComparisonRow row, String label, Figure figure, Tag tag) {
        return row.contestants().stream()
                .filter(each -> each.label().equals(label))
                .findFirst()
                .flatMap(each -> results.interval(row, each, figure, tag));
    }

    private static XYChart chart(String x, String y, String title) {
        XYChart chart = Charts.lines(WIDTH, HEIGHT, title, x, y);
        chart.getStyler().setLegendPosition(LegendPosition.OutsideS);
        chart.getStyler().setMarkerSize(6);
        return chart;
    }

    private static void line(XYChart chart, String name, List<Double> x, Stream<Double> y, Color color) {
        XYSeries series = chart.addSeries(name, x, y.toList());
        series.setLineColor(color);
        series.setLineStyle(SOLID);
        series.setMarkerColor(color);
        series.setMarker(SeriesMarkers.CIRCLE);
    }

    private static void range(XYChart chart, String name, List<Double> x, Stream<Double> y, Color color) {
        XYSeries series = chart.addSeries(name, x, y.toList());
        series.setLineColor(color);
        series.setLineStyle(THIN);
        series.setMarker(SeriesMarkers.NONE);
        series.setShowInLegend(false);
    }
}
