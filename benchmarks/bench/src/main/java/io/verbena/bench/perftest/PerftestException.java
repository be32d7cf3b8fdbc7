package io.verbena.bench.perftest;

import io.verbena.nic.Completion;
import io.verbena.verification.RunException;

/** Ends a test; the message is the one line that the user sees. */
final class PerftestException extends RunException {
    private final boolean ofRequest;

    PerftestException(String message) {
        super(message);
        ofRequest = false;
    }

    PerftestException(String message, Throwable cause) {
        super(message, cause);
        ofRequest = false;
    }

    /** A request that ended in a status other than success. */
    PerftestException(Completion completion) {
        super("queue pair " + completion.qpNumber() + ": a request ended in " + completion.status());
        ofRequest = true;
    }

    /** Whether the reason is a request's status, of which the other side may know more. */
    boolean isOfRequest() {
        return ofRequest;
    }
}
