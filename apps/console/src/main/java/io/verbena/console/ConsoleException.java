package io.verbena.console;

import org.jspecify.annotations.Nullable;

/** Ends a command; the message is the one line that the user sees. */
final class ConsoleException extends RuntimeException {
    ConsoleException(String message) {
        super(message);
    }

    ConsoleException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
