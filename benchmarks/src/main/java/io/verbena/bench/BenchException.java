package io.verbena.bench;

import org.jspecify.annotations.Nullable;

/** Ends a measurement; the message is the one line that the user sees. */
public class BenchException extends RuntimeException {
    /** Creates one. */
    public BenchException(String message) {
        super(message);
    }

    /** Creates one. */
    public BenchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
