package io.verbena.kv.store;

/** An {@link OverflowMemory} has no room for what is to be written. Without stack trace: it may come in numbers. */
public final class OverflowFullException extends RuntimeException {
    /**
     * Creates the exception.
     *
     * @param message one line that says who has how much room
     */
    public OverflowFullException(String message) {
        super(message, null, false, false);
    }
}
