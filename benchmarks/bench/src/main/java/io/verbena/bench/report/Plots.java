package io.verbena.bench.report;

import io.verbena.bench.Interval;
import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.FigureTarget;
import io.verbena.bench.compare.Results;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A comparison as PNG files: one a row, and one over all targets. Needs fonts, and no screen. */
public final class Plots {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 800;
    private static final int BAR_WIDTH = 30;
    private static final int UPRIGHT = 90;
    /** From this factor between the least and the greatest on, bars need a logarithmic axis. */
    private static final double WIDE = 40;
    /** Scores beyond this factor are drawn as this. */
    private static final double MAX = 1000;

    private final Results results;
    private final Path directory;
    private final List<Path> written = new ArrayList<>();

    /**
     * Of these results.
     *
     * @param directory that the files go to
     */
    public Plots(Results results, Path directory) {
        this.results = results;
        this.directory = directory;
    }

    /** What was written so far. */
    public List<Path> written() {
        return List.copyOf(written);
    }

    /** {@code targets.png}: how many times as good as it must be each target is. */
    public void targets() {
        List<String> names = new ArrayList<>();
        List<Interval> scores = new ArrayList<>();
        for (ComparisonRow row : results.rows()) {
            for (Contestant subject : row.references().isEmpty() ? List.<Contestant>of() : row.subjects()) {
                for (FigureTarget target : subject.targets()) {
                    score(row, subject, target).ifPresent(score -> {
                        names.add(row.id() + " " + subject.label().replace("verbena-", "") + " "
                                + target.figure().title());
                        scores.add(score);
                    });
                }
            }
        }
        bars("targets", "times as good as the target asks (1 and more: met)", names, scores);
    }

    private Optional<Interval> score(ComparisonRow row, Contestant subject, FigureTarget target) {
        return results.compare(row, subject, row.references().get(0), target.figure(), Tag.VALID, target::score)
                .map(score -> new Interval(
                        drawable(score.median()), drawable(score.min()), drawable(score.max()), score.count()));
    }

    /** What took nothing at all is infinitely good, which no axis shows. */
    private static double drawable(double score) {
        return Double.isNaN(score) ? MAX : Math.min(Math.max(score, 1 / MAX), MAX);
    }

    /** A file a row and unit: bars of medians, with the least and the greatest of the rounds. */
    public void rows() {
        for (ComparisonRow row : results.rows()) {
            Map<String, List<Figure>> units = new LinkedHashMap<>();
            for (Figure figure : row.figures()) {
                units.computeIfAbsent(figure.plotUnit(), any -> new ArrayList<>())
                        .add(figure);
            }
            int files = 0;
            for (Map.Entry<String, List<Figure>> unit : units.entrySet()) {
                files++;
                bars(row, unit.getKey(), unit.getValue(), files == 1 ? row.id() : row.id() + "-" + files);
            }
        }
    }

    private void bars(ComparisonRow row, String unit, List<Figure> figures, String name) {
        List<String> names = new ArrayList<>();
        List<Interval> intervals = new ArrayList<>();
        for (Figure figure : figures) {
            for (Contestant contestant : row.contestants()) {
                for (Tag tag : results.tags(row, contestant)) {
                    results.interval(row, contestant, figure, tag).ifPresent(interval -> {
                        names.add(Tagged.label(contestant.label(), tag)
                                + (figures.size() > 1 ? " " + figure.title() : ""));
                        intervals.add(scaled(interval, figure));
                    });
                }
            }
        }
        bars(name, row.title() + ", " + unit + " (bar: median, dots: least and greatest)", names, intervals);
    }

    private static Interval scaled(Interval interval, Figure figure) {
        double by = 1 / figure.plotScale();
        return new Interval(interval.median() * by, interval.min() * by, interval.max() * by, interval.count());
    }

    private void bars(String name, String title, List<String> names, List<Interval> intervals) {
        if (names.isEmpty()) {
            return;
        }
        CategoryChart chart = categories(title, names.size());
        double least = intervals.stream().mapToDouble(Interval::min).min().orElse(0);
        double greatest = intervals.stream().mapToDouble(Interval::max).max().orElse(0);
        chart.getStyler().setOverlapped(true);
        if (least > 0 && greatest / least > WIDE) {
            chart.getStyler().setYAxisLogarithmic(true);
            chart.getStyler().setYAxisLogarithmicDecadeOnly(false);
            chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(least))));
        } else {
            chart.getStyler().setYAxisMin(0.0);
        }
        chart.addSeries(
                "median", names, intervals.stream().map(Interval::median).toList());
        dots(chart, "least", names, intervals.stream().map(Interval::min).toList());
        dots(chart, "greatest", names, intervals.stream().map(Interval::max).toList());
        save(chart, name);
    }

    private static void dots(CategoryChart chart, String name, List<String> names, List<Double> values) {
        CategorySeries series = chart.addSeries(name, names, values);
        series.setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter);
        series.setMarker(SeriesMarkers.CIRCLE);
    }

    /** A file: a figure of each path, not pinned, side by side, a group of bars a row, on a logarithmic axis. */
    public void groups(String name, Figure figure) {
        Map<String, List<@Nullable Double>> bars = new LinkedHashMap<>();
        for (ComparisonRow row : results.rows()) {
            for (Contestant contestant : row.contestants()) {
                bars.computeIfAbsent(contestant.label(), any -> new ArrayList<>())
                        .add(results.interval(row, contestant, figure, Tag.UNPINNED)
                                .map(interval -> interval.median() / figure.plotScale())
                                .orElse(null));
            }
        }
        double least = bars.values().stream()
                .flatMap(List::stream)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .min()
                .orElse(0);
        if (least <= 0) {
            return;
        }
        List<String> rows = results.rows().stream().map(ComparisonRow::title).toList();
        CategoryChart chart = categories(figure.title() + ", " + figure.plotUnit(), bars.size() * rows.size());
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmicDecadeOnly(false);
        chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(least))));
        bars.forEach((label, values) -> {
            if (values.size() == rows.size()) {
                chart.addSeries(label, rows, values);
            }
        });
        save(chart, name);
    }

    private static CategoryChart categories(String title, int bars) {
        CategoryChart chart = Charts.bars(Math.max(WIDTH, BAR_WIDTH * bars), HEIGHT, title, "", "");
        chart.getStyler().setXAxisLabelRotation(UPRIGHT);
        chart.getStyler().setXAxisMaxLabelCount(Math.max(2, bars));
        return chart;
    }

    /** Saves a chart as {@code <name>.png}. */
    void save(IChart chart, String name) {
        written.add(Charts.write(() -> chart, directory, name));
    }

    Results results() {
        return results;
    }
}
