package io.verbena.papers.figures;

import io.verbena.bench.report.Charts;
import java.awt.BasicStroke;
import java.awt.Color;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * A picture of a figure: lines over a numeric axis, or groups of bars over names; our data and, as points, what the
 * paper prints. Fluent; not thread-safe. Saving needs fonts, and no screen.
 */
public final class PaperPlot {
    /** Width of a picture in pixels. */
    public static final int WIDTH = 1000;

    /** Height of a picture in pixels. */
    public static final int HEIGHT = 620;

    /** Letters of categories that fit side by side. */
    private static final int MAX_LETTERS = 100;

    private static final int SLANTED = 30;

    private static final BasicStroke SOLID = new BasicStroke(2);
    private static final BasicStroke DASHED =
            new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {7, 5}, 0);

    private enum Look {
        LINE,
        DASHES,
        POINTS
    }

    private record Series(String name, List<Double> x, List<Double> y, Look look, int color) {}

    private record Bars(String name, List<Double> values) {}

    private final String name;
    private final String title;
    private final String xAxis;
    private final String yAxis;
    private final List<Series> series = new ArrayList<>();
    private final List<String> categories = new ArrayList<>();
    private final List<Bars> bars = new ArrayList<>();
    private boolean logarithmicX;
    private boolean logarithmicY;

    /**
     * A picture without data yet.
     *
     * @param name of its file, without {@code .png}
     * @param title above it
     * @param xAxis what the horizontal axis is
     * @param yAxis what the vertical axis is, with its unit
     */
    public PaperPlot(String name, String title, String xAxis, String yAxis) {
        this.name = name;
        this.title = title;
        this.xAxis = xAxis;
        this.yAxis = yAxis;
    }

    /** Name of its file, without {@code .png}. */
    public String name() {
        return name;
    }

    /** Makes the horizontal axis logarithmic. */
    public PaperPlot logarithmicX() {
        logarithmicX = true;
        return this;
    }

    /** Makes the vertical axis logarithmic. */
    public PaperPlot logarithmicY() {
        logarithmicY = true;
        return this;
    }

    /** A solid line. */
    public PaperPlot line(String label, List<Double> x, List<Double> y, int color) {
        return add(new Series(label, List.copyOf(x), List.copyOf(y), Look.LINE, color));
    }

    /** A dashed line. */
    public PaperPlot dashes(String label, List<Double> x, List<Double> y, int color) {
        return add(new Series(label, List.copyOf(x), List.copyOf(y), Look.DASHES, color));
    }

    /** What the paper prints: points alone. */
    public PaperPlot points(String label, List<Double> x, List<Double> y, int color) {
        return add(new Series(label, List.copyOf(x), List.copyOf(y), Look.POINTS, color));
    }

    private PaperPlot add(Series added) {
        if (added.x.size() != added.y.size() || added.x.isEmpty()) {
            throw new IllegalArgumentException(
                    name + ", " + added.name + ": " + added.x.size() + " x for " + added.y.size() + " y");
        }
        series.add(added);
        return this;
    }

    /** What the bars stand over. */
    public PaperPlot categories(List<String> names) {
        categories.clear();
        categories.addAll(names);
        return this;
    }

    /** A bar over each category. */
    public PaperPlot bars(String label, List<Double> values) {
        if (values.size() != categories.size()) {
            throw new IllegalArgumentException(
                    name + ", " + label + ": " + values.size() + " bars for " + categories.size() + " categories");
        }
        bars.add(new Bars(label, List.copyOf(values)));
        return this;
    }

    /**
     * Draws it.
     *
     * @param directory where {@code <name>.png} is written
     * @return the file
     */
    public Path save(Path directory) {
        return Charts.write(this::chart, directory, name);
    }

    private IChart chart() {
        if (series.isEmpty() && bars.isEmpty()) {
            throw new IllegalStateException(name + " has no data");
        }
        return bars.isEmpty() ? lines() : categories();
    }

    private XYChart lines() {
        XYChart chart = Charts.lines(WIDTH, HEIGHT, title, xAxis, yAxis);
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setMarkerSize(9);
        chart.getStyler().setXAxisLogarithmic(logarithmicX);
        if (logarithmicX) {
            chart.getStyler().setXAxisLogarithmicDecadeOnly(true);
            chart.getStyler().setXAxisTickLabelsFormattingFunction(Numbers::tick);
        }
        chart.getStyler().setYAxisLogarithmic(logarithmicY);
        if (logarithmicY) {
            chart.getStyler().setYAxisLogarithmicDecadeOnly(true);
            chart.getStyler().setYAxisTickLabelsFormattingFunction(Numbers::tick);
            chart.getStyler().setYAxisMin(decadeBelow(leastLine()));
        }
        for (Series each : series) {
            XYSeries drawn = chart.addSeries(each.name, each.x, each.y);
            Color color = Charts.color(each.color);
            drawn.setLineColor(color);
            drawn.setMarkerColor(color);
            drawn.setLineStyle(each.look == Look.DASHES ? DASHED : SOLID);
            if (each.look == Look.POINTS) {
                drawn.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
                drawn.setMarker(SeriesMarkers.DIAMOND);
            } else {
                drawn.setMarker(SeriesMarkers.NONE);
            }
        }
        return chart;
    }

    private CategoryChart categories() {
        CategoryChart chart = Charts.bars(WIDTH, HEIGHT, title, xAxis, yAxis);
        chart.getStyler().setXAxisMaxLabelCount(Math.max(2, categories.size()));
        chart.getStyler().setSeriesColors(Charts.colors());
        if (categories.stream().mapToInt(String::length).sum() > MAX_LETTERS) {
            chart.getStyler().setXAxisLabelRotation(SLANTED);
        }
        chart.getStyler().setYAxisLogarithmic(logarithmicY);
        if (logarithmicY) {
            chart.getStyler().setYAxisLogarithmicDecadeOnly(true);
            chart.getStyler().setYAxisTickLabelsFormattingFunction(Numbers::tick);
            chart.getStyler().setYAxisMin(decadeBelow(leastBar()));
        } else {
            chart.getStyler().setYAxisMin(0.0);
        }
        for (Bars each : bars) {
            chart.addSeries(each.name, categories, each.values);
        }
        return chart;
    }

    private double leastLine() {
        return series.stream()
                .flatMap(each -> each.y.stream())
                .mapToDouble(Double::doubleValue)
                .min()
                .orElse(1);
    }

    private double leastBar() {
        return bars.stream()
                .flatMap(each -> each.values.stream())
                .mapToDouble(Double::doubleValue)
                .min()
                .orElse(1);
    }

    private double decadeBelow(double least) {
        if (!(least > 0)) {
            throw new IllegalStateException(
                    String.format(Locale.ROOT, "%s: %s has no place on a logarithmic axis", name, least));
        }
        return StrictMath.pow(10, StrictMath.floor(StrictMath.log10(least)));
    }
}
