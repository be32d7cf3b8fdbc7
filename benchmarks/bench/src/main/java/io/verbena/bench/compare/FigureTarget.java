package io.verbena.bench.compare;

import io.verbena.bench.trial.Figure;
import java.util.Locale;

/**
 * What a figure must reach, measured against the row's first reference.
 *
 * @param figure which
 * @param bound how it is compared
 * @param value a ratio, or a difference in the figure's own unit
 */
public record FigureTarget(Figure figure, Bound bound, double value) {
    /** How a figure is compared with the reference's. */
    public enum Bound {
        /** Divided by the reference's it is at most so much. */
        RATIO_AT_MOST,
        /** Divided by the reference's it is at least so much. */
        RATIO_AT_LEAST,
        /** It is more by at most so much. */
        MORE_BY
    }

    /** At most so many times the reference's. */
    public static FigureTarget atMost(Figure figure, double ratio) {
        return new FigureTarget(figure, Bound.RATIO_AT_MOST, ratio);
    }

    /** At least so many times the reference's. */
    public static FigureTarget atLeast(Figure figure, double ratio) {
        return new FigureTarget(figure, Bound.RATIO_AT_LEAST, ratio);
    }

    /** More than the reference's by at most so much. */
    public static FigureTarget moreBy(Figure figure, double more) {
        return new FigureTarget(figure, Bound.MORE_BY, more);
    }

    /** What a table compares: the ratio, or the difference. */
    public double compare(double figure, double reference) {
        return bound == Bound.MORE_BY ? figure - reference : figure / reference;
    }

    /** How many times as good as it has to be a figure is. */
    public double score(double figure, double reference) {
        switch (bound) {
            case RATIO_AT_LEAST:
                return figure / reference / value;
            case RATIO_AT_MOST:
                return value * reference / figure;
            default:
                return (reference + value) / figure;
        }
    }

    /** Whether a comparison's result is good enough. */
    public boolean isMet(double compared) {
        return bound == Bound.RATIO_AT_LEAST ? compared >= value : compared <= value;
    }

    /** For a table: {@code <= 1.50}. */
    public String text() {
        switch (bound) {
            case RATIO_AT_MOST:
                return "<= " + ratio(value);
            case RATIO_AT_LEAST:
                return ">= " + ratio(value);
            default:
                return "<= " + difference(value);
        }
    }

    /** A comparison's result for a table. */
    public String text(double compared) {
        return bound == Bound.MORE_BY ? difference(compared) : ratio(compared);
    }

    /** A ratio for a table, two digits behind the point, or three significant ones below 0.1. */
    public static String ratio(double ratio) {
        return String.format(Locale.ROOT, Math.abs(ratio) < 0.0995 ? "%.3f" : "%.2f", ratio);
    }

    private String difference(double more) {
        return (more < 0 ? "-" : "+") + figure.text(Math.abs(more));
    }
}
