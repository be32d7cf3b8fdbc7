package io.verbena.verification.fabric;

import io.verbena.nic.port.Link;
import io.verbena.verification.RunException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A link that was asked for. */
final class PendingLink {
    private PendingLink() {}

    /** Throws the reason if it has failed. */
    static void check(@Nullable CompletableFuture<Link> link) {
        if (link != null && link.isCompletedExceptionally()) {
            try {
                link.join();
            } catch (CompletionException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                throw new RunException(String.valueOf(cause.getMessage()), cause);
            }
        }
    }
}
