package io.verbena;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A blocking operation on a {@link RemoteRegion} did not end in success. Whether the peer did it is not known. The
 * message is one line that names the operation, the region and the reason.
 */
public final class RemoteMemoryException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient @Nullable CloseReason reason;

    RemoteMemoryException(String message, @Nullable CloseReason reason) {
        super(message);
        this.reason = reason;
    }

    /** Why the region is closed; null if it is not, because the time was over. */
    public @Nullable CloseReason reason() {
        return reason;
    }
}
