package io.verbena.bench.compare;

import io.verbena.bench.trial.Outcome;

/** Where a comparison tells how far it is. */
public interface Progress extends AutoCloseable {
    /**
     * A measurement begins.
     *
     * @param done measurements that have ended
     * @param total of all
     * @param secondsLeft estimate
     */
    void begin(Row row, Contestant contestant, int round, int done, int total, double secondsLeft);

    /** It has ended. */
    void end(Row row, Contestant contestant, int round, Outcome outcome);

    @Override
    void close();
}
