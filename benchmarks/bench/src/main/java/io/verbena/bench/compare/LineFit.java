package io.verbena.bench.compare;

import io.verbena.bench.cores.Slice;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Figures;
import java.util.List;
import java.util.Optional;

/**
 * A round trip as a + b x line, by least squares: what the code costs, and how many round trips of a cache line it
 * contains.
 *
 * @param a nanoseconds
 * @param b lines
 * @param near slices that were near
 * @param far slices that were far
 */
public record LineFit(double a, double b, int near, int far) {
    /** Of medians of round trips, if there are some that were near and some that were far. */
    static Optional<LineFit> of(List<Slice<Figures>> slices) {
        int near = 0;
        int far = 0;
        double x = 0;
        double y = 0;
        double xx = 0;
        double xy = 0;
        for (Slice<Figures> slice : slices) {
            if (slice.tag() == Tag.NEAR || slice.tag() == Tag.FAR) {
                double line = slice.line();
                double roundTrip = slice.result().value(Figure.P50).orElseThrow();
                near += slice.tag() == Tag.NEAR ? 1 : 0;
                far += slice.tag() == Tag.FAR ? 1 : 0;
                x += line;
                y += roundTrip;
                xx += line * line;
                xy += line * roundTrip;
            }
        }
        if (near == 0 || far == 0) {
            return Optional.empty();
        }
        int count = near + far;
        double b = (count * xy - x * y) / (count * xx - x * x);
        return Optional.of(new LineFit((y - b * x) / count, b, near, far));
    }
}
