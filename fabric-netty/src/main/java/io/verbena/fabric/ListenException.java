package io.verbena.fabric;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** An address cannot be listened on; the message is one line that says why and what to do. */
public final class ListenException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message names the address, the reason and the remedy
     * @param cause what the system said, or null
     */
    public ListenException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
