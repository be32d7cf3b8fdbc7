package io.verbena.bench.perftest;

/** Ends a test; the message is the one line that the user sees. */
final class PerftestException extends RuntimeException {
    PerftestException(String message) {
        super(message);
    }

    PerftestException(String message, Throwable cause) {
        super(message, cause);
    }
}
