package io.verbena.kv.store;

/** Bytes of an {@link OverflowMemory} are lost, or cannot be written. Without stack trace: it may come in numbers. */
public final class OverflowException extends RuntimeException {
    /**
     * Creates the exception.
     *
     * @param message one line that says what is lost and with whom, for the client
     */
    public OverflowException(String message) {
        super(message, null, false, false);
    }
}
