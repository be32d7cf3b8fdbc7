package io.verbena.bench.compare;

import io.verbena.bench.trial.TrialOutcome;

/** Where a comparison tells how far it is. */
public interface Progress extends AutoCloseable {
    /**
     * A measurement begins.
     *
     * @param done measurements that have ended
     * @param total of all
     * @param secondsLeft estimate
     */
    void begin(ComparisonRow row, Contestant contestant, int round, int done, int total, double secondsLeft);

    /** It has ended. */
    void end(ComparisonRow row, Contestant contestant, int round, TrialOutcome outcome);

    @Override
    void close();
}
