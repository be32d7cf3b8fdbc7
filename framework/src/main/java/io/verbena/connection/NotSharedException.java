package io.verbena.connection;

/** A connection cannot share the queue pair that it was to share: it may have one of its own. */
final class NotSharedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean isApart;

    /**
     * Creates it.
     *
     * @param apart whether none that leads to the same inbox can share with the rest
     */
    NotSharedException(String reason, boolean apart) {
        super(reason);
        isApart = apart;
    }

    /** Whether none that leads to the same inbox can share with the rest. */
    boolean isApart() {
        return isApart;
    }
}
