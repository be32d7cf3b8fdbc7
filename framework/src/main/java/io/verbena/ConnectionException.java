package io.verbena;

import java.io.Serial;

/** A connection could not be made; the message is one line that names the address, the reason and what to do. */
public final class ConnectionException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public ConnectionException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    public ConnectionException(String message, Throwable cause) {
        super(message, cause);
    }
}
