package io.verbena.redis;

import io.verbena.redis.WorkerStatistics.Counter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a worker's clients take together: what they have sent and was not executed, what is queued for EXEC, and
 * replies that they have not taken. If it exceeds its share of {@code maxmemory-clients}, the client that takes most is
 * closed, as Redis does it; the others do not notice. For one worker's thread.
 */
final class ClientMemory {
    private final Settings settings;
    private final WorkerStatistics statistics;
    private long bytes;

    ClientMemory(Settings settings, WorkerStatistics statistics) {
        this.settings = settings;
        this.statistics = statistics;
    }

    /** Begins to count what a client takes, which is nothing yet. */
    Account open() {
        return new Account();
    }

    /** What one client takes. */
    final class Account {
        private long held;
        private long taken;

        /** A reply of that length is on its way to the client in pieces; negative when it is here, or never will be. */
        void hold(long length) {
            held += length;
        }

        /** The client takes that much now, beside what is held. */
        void update(long besides) {
            set(besides + held);
        }

        /** The client is gone. */
        void close() {
            set(0);
        }

        /** Bytes as of the last update. */
        long taken() {
            return taken;
        }

        private void set(long now) {
            bytes += now - taken;
            statistics.add(Counter.CLIENT_MEMORY, now - taken);
            taken = now;
        }
    }

    /** Bytes that all clients take. */
    long bytes() {
        return bytes;
    }

    /**
     * Whether a client's replies may go on piling up that it has not taken: a quarter of what all clients of the worker
     * may take, as long as together they take less than half of it.
     *
     * @param pending bytes of its replies
     */
    boolean mayPileUp(long pending) {
        long limit = settings.maxMemoryClients();
        long share = limit == 0 ? Long.MAX_VALUE : limit / settings.context().workers();
        return pending < share / 4 && bytes < share / 2;
    }

    /** Closes clients, largest first, until the others are within the limit. */
    void enforce(List<ClientConnection> connections) {
        long limit = settings.maxMemoryClients();
        if (limit == 0) {
            return;
        }
        long share = limit / settings.context().workers();
        if (bytes <= share) {
            return;
        }
        long left = 0; // without those that are being closed
        for (ClientConnection connection : connections) {
            left += connection.isClosed() ? 0 : connection.memory();
        }
        while (left > share) {
            ClientConnection largest = largest(connections);
            if (largest == null) {
                return;
            }
            left -= largest.memory();
            largest.close(
                    ClientCloseReason.CLIENT_MEMORY,
                    "it took " + largest.memory() + " of " + bytes + " bytes of all clients, limit " + share
                            + " (a worker's share of maxmemory-clients)");
        }
    }

    private static @Nullable ClientConnection largest(List<ClientConnection> connections) {
        ClientConnection largest = null;
        for (ClientConnection connection : connections) {
            if (!connection.isClosed() && (largest == null || connection.memory() > largest.memory())) {
                largest = connection;
            }
        }
        return largest == null || largest.memory() == 0 ? null : largest;
    }
}
