package io.verbena.verification;

import org.jspecify.annotations.Nullable;

/** Ends a run or a measurement; the message is the one line that the user sees. */
public class RunException extends RuntimeException {
    /** Creates one. */
    public RunException(String message) {
        super(message);
    }

    /** Creates one. */
    public RunException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
