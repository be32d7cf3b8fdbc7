package io.verbena.bench.trial;

import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;

/**
 * What one measurement has found.
 *
 * @param values by figure
 * @param curve percentiles of a latency, ascending; empty if there is none
 * @param count messages that were measured
 */
public record Figures(Map<Figure, Double> values, List<Percentile> curve, long count) {
    /** Percentiles of a curve: enough of them for the tail's shape. */
    private static final double[] CURVE = {
        0, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.75, 99.9, 99.95, 99.975, 99.99, 99.995, 99.9975, 99.999, 99.9999
    };

    /**
     * A point of a curve.
     *
     * @param percent of the messages
     * @param nanos that took no longer
     */
    public record Percentile(double percent, double nanos) {}

    /** Of messages one way. */
    static Figures ofStream(long messages, long nanos, int bytes) {
        Map<Figure, Double> values = new EnumMap<>(Figure.class);
        putRate(values, messages, nanos, bytes);
        return new Figures(values, List.of(), messages);
    }

    /** Of latencies alone. */
    static Figures ofLatency(Histogram nanos) {
        return new Figures(latencies(nanos), curve(nanos), nanos.getTotalCount());
    }

    /** Of latencies of some of the messages, and the rate of all. */
    static Figures ofWindow(Histogram sampled, long messages, long nanos, int bytes) {
        Map<Figure, Double> values = latencies(sampled);
        putRate(values, messages, nanos, bytes);
        return new Figures(values, curve(sampled), messages);
    }

    private static void putRate(Map<Figure, Double> values, long messages, long nanos, int bytes) {
        double rate = messages * 1e9 / nanos;
        values.put(Figure.RATE, rate);
        values.put(Figure.BYTES, rate * bytes);
    }

    private static Map<Figure, Double> latencies(Histogram histogram) {
        if (histogram.getTotalCount() == 0) {
            throw new RunException("no message was measured");
        }
        Map<Figure, Double> values = new EnumMap<>(Figure.class);
        values.put(Figure.P50, (double) histogram.getValueAtPercentile(50));
        values.put(Figure.P90, (double) histogram.getValueAtPercentile(90));
        values.put(Figure.P99, (double) histogram.getValueAtPercentile(99));
        values.put(Figure.P999, (double) histogram.getValueAtPercentile(99.9));
        values.put(Figure.MAX, (double) histogram.getMaxValue());
        return values;
    }

    /** The tail ends where a percentile would speak of fewer than one message. */
    private static List<Percentile> curve(Histogram histogram) {
        List<Percentile> points = new ArrayList<>();
        for (double percent : CURVE) {
            if ((100 - percent) / 100 * histogram.getTotalCount() >= 1) {
                points.add(new Percentile(percent, histogram.getValueAtPercentile(percent)));
            }
        }
        return points;
    }

    /** A figure, if it was measured. */
    public OptionalDouble value(Figure figure) {
        Double value = values.get(figure);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
