package io.verbena.bench.check.redis;

import org.jspecify.annotations.Nullable;

/**
 * What a player of a scenario does next.
 *
 * @param batch to send, or null for none
 * @param pauseSeconds to wait first
 * @param fresh whether over a new connection
 */
record Step(@Nullable Batch batch, double pauseSeconds, boolean fresh) {
    static Step of(Batch batch) {
        return new Step(batch, 0, false);
    }
}
