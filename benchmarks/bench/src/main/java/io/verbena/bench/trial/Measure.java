package io.verbena.bench.trial;

import java.util.List;

/** How a path is measured. */
public enum Measure {
    /** One message at a time, there and back; every round trip counts. */
    ROUND_TRIP("round trip", List.of(Figure.P50, Figure.P99)),
    /** As many messages one way as go; the far end counts them, or for one-sided verbs the completions do. */
    STREAM("one way", List.of(Figure.RATE)),
    /** A fixed number of messages under way, each answered. */
    WINDOW("window", List.of(Figure.RATE, Figure.P50)),
    /** Messages at the scheduled times of a fixed rate, answered; latency counts from the scheduled time. */
    SCHEDULED("scheduled", List.of(Figure.P50, Figure.P90, Figure.P99, Figure.P999, Figure.MAX)),
    /** What a process takes that does nothing; has no path. */
    IDLE("idle", List.of(Figure.PROCESSOR, Figure.MEMORY));

    private final String title;
    private final List<Figure> figures;

    Measure(String title, List<Figure> figures) {
        this.title = title;
        this.figures = figures;
    }

    /** In words. */
    public String title() {
        return title;
    }

    /** What a table shows of it. */
    public List<Figure> figures() {
        return figures;
    }
}
