package io.verbena.connection;

/** A connection cannot share the queue pair that it was to share: it may have one of its own. */
final class NotSharedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotSharedException(String reason) {
        super(reason);
    }
}
