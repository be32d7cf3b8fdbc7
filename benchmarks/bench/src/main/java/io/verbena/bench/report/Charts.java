package io.verbena.bench.report;

import io.verbena.verification.RunException;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.Styler.ChartTheme;
import org.knowm.xchart.style.Styler.LegendPosition;

/** What all pictures have in common: theme, colours and how they are written. Needs fonts, and no screen. */
public final class Charts {
    private static final Color[] COLORS = {
        new Color(0x1f77b4),
        new Color(0xd62728),
        new Color(0x2ca02c),
        new Color(0xff7f0e),
        new Color(0x9467bd),
        new Color(0x8c564b),
        new Color(0x17becf),
        new Color(0x7f7f7f)
    };

    private Charts() {}

    /** A color of lines; after the last comes the first. */
    public static Color color(int number) {
        return COLORS[number % COLORS.length];
    }

    /** All colors, in their order. */
    public static Color[] colors() {
        return COLORS.clone();
    }

    /** A chart of lines over a numeric axis, none yet. */
    public static XYChart lines(int width, int height, String title, String x, String y) {
        XYChart chart = new XYChartBuilder()
                .width(width)
                .height(height)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .theme(ChartTheme.XChart)
                .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        return chart;
    }

    /** A chart of bars over names, none yet. */
    public static CategoryChart bars(int width, int height, String title, String x, String y) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(width)
                .height(height)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .theme(ChartTheme.XChart)
                .build();
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setPlotGridVerticalLinesVisible(false);
        return chart;
    }

    /**
     * Draws a chart.
     *
     * @param chart made here, for that needs fonts too
     * @param name of the file, without {@code .png}
     * @return the file
     * @throws RunException if it cannot be drawn or written; names the file
     */
    public static Path write(Supplier<? extends IChart> chart, Path directory, String name) {
        Path file = directory.resolve(name + ".png");
        try {
            ImageIO.write(BitmapEncoder.getBufferedImage(chart.get()), "png", file.toFile());
        } catch (IOException e) {
            throw new RunException("cannot write " + file + ": " + e.getMessage(), e);
        } catch (LinkageError | InternalError e) {
            throw new RunException("cannot draw " + file + ", this system has no fonts: " + e.getMessage(), e);
        }
        return file;
    }
}
