package io.verbena.bench.polling;

import java.util.Optional;

/**
 * What one scheme did at one load.
 *
 * @param scheme the scheme
 * @param load as a text, such as "1 k/s"
 * @param busy processes that burned a core each meanwhile
 * @param whyVoid why there are no figures, if there are none
 * @param figures what was measured; all 0 where void
 */
record PollingCell(SchemeName scheme, String load, int busy, Optional<String> whyVoid, Figures figures) {
    /**
     * Figures of a cell.
     *
     * @param messages round trips
     * @param rate of those a second
     * @param p50 median of the round trip, in ns
     * @param p99 its 99th percentile, in ns
     * @param cpuNanos processor time of both processes per round trip
     * @param wakeUps of threads of both processes per round trip
     */
    record Figures(long messages, double rate, double p50, double p99, double cpuNanos, double wakeUps) {
        static final Figures NONE = new Figures(0, 0, 0, 0, 0, 0);
    }

    static PollingCell ofVoid(SchemeName scheme, String load, int busy, String why) {
        return new PollingCell(scheme, load, busy, Optional.of(why), Figures.NONE);
    }

    /** Whether it is of the same load and with as many busy processes. */
    boolean isBeside(PollingCell other) {
        return load.equals(other.load) && busy == other.busy;
    }
}
