package io.verbena.nic.port;

import java.io.Serial;

/** Memory was asked for that is not available; the message names what was wanted, what there is, and what to do. */
public final class MemoryExhaustedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message names both values and the remedy
     */
    public MemoryExhaustedException(String message) {
        super(message);
    }
}
