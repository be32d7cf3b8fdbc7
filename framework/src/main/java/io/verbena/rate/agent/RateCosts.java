package io.verbena.rate.agent;

import io.verbena.RateStatistics;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what a {@link RateAgent} costs. One thread writes, any reads. */
final class RateCosts {
    private final AtomicLong epochs = new AtomicLong();
    private final AtomicLong solves = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();

    void epoch() {
        epochs.lazySet(epochs.getPlain() + 1);
    }

    void solve() {
        solves.lazySet(solves.getPlain() + 1);
    }

    void took(long more) {
        nanos.lazySet(nanos.getPlain() + more);
    }

    long epochs() {
        return epochs.getPlain();
    }

    RateStatistics statistics() {
        return new RateStatistics(epochs.get(), solves.get(), nanos.get());
    }
}
