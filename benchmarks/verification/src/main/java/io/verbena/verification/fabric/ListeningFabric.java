package io.verbena.verification.fabric;

import io.verbena.nic.port.Link;
import io.verbena.verification.RunException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * What the fabrics between processes have in common.
 *
 * @param <F> the fabric that the NIC's engine is bound to
 */
abstract class ListeningFabric<F extends AutoCloseable> implements NodeFabric {
    @Nullable
    F fabric;

    @Nullable
    CompletableFuture<Link> connecting;

    private @Nullable SocketDirectory directory;

    /** Where to put a socket. */
    final SocketDirectory newDirectory() {
        SocketDirectory made = new SocketDirectory();
        directory = made;
        return made;
    }

    final F bound() {
        F made = fabric;
        if (made == null) {
            throw new IllegalStateException("not bound to a NIC yet");
        }
        return made;
    }

    @Override
    public final void checkConnecting() {
        CompletableFuture<Link> link = connecting;
        if (link != null && link.isCompletedExceptionally()) {
            try {
                link.join();
            } catch (CompletionException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                throw new RunException(String.valueOf(cause.getMessage()), cause);
            }
        }
    }

    @Override
    public final void close() {
        F made = fabric;
        if (made != null) {
            end(made);
        }
        SocketDirectory used = directory;
        if (used != null) {
            used.close();
        }
    }

    abstract void end(F made);
}
