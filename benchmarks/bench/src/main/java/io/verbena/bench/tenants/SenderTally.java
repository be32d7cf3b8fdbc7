package io.verbena.bench.tenants;

import java.util.concurrent.atomic.AtomicLong;

/** What has become of a sender's requests. Counted by its thread; {@link #completed} is for any thread. */
final class SenderTally {
    private final AtomicLong completed = new AtomicLong();

    /** Completions that were no success. */
    long errors;

    /** Requests that were refused as they were posted. */
    long refused;

    /** Times that a queue pair was brought back from ERR. */
    long lives;

    /** Some messages are complete. */
    void complete(long messages) {
        completed.setOpaque(completed.getPlain() + messages);
    }

    /** Messages that are complete. Any thread. */
    long completed() {
        return completed.getOpaque();
    }
}
