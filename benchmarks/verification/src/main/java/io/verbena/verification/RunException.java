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

    /** Ends what was asked for with a value below a minimum or above a maximum. */
    public static void requireRange(String name, long value, long minimum, long maximum) {
        if (value < minimum) {
            throw new RunException(name + " " + value + " < minimum " + minimum);
        }
        if (value > maximum) {
            throw new RunException(name + " " + value + " > maximum " + maximum);
        }
    }
}
