package io.verbena.bench.report;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.internal.chartpart.IChart;

/** Draws charts into files. Needs fonts, and no screen. */
public final class PngFile {
    private PngFile() {}

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
