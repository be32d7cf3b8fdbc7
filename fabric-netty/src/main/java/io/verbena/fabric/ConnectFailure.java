package io.verbena.fabric;

import java.io.FileNotFoundException;
import java.net.ConnectException;
import org.jspecify.annotations.Nullable;

/** Says why a connection could not be made, in words; the system's own are at times none. */
public final class ConnectFailure {
    private ConnectFailure() {}

    /**
     * The reason, and what to do about it where that is known.
     *
     * @param cause of a failed attempt; null if it was cancelled
     */
    public static String reason(@Nullable Throwable cause) {
        if (cause == null) {
            return "cancelled";
        }
        String message = cause.getMessage();
        if (cause instanceof FileNotFoundException || (message != null && message.contains("No such file"))) {
            return "there is no such socket; is a node listening there?";
        }
        if (cause instanceof ConnectException && (message == null || message.contains("refused"))) {
            return "nobody listens there; start the peer, or correct the address";
        }
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
