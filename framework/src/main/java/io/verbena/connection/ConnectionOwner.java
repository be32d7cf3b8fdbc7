package io.verbena.connection;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ProtectionDomain;
import io.verbena.path.StagingRing;

/**
 * Whose a connection is: a tenant of the node. Makes what uses its connections, under the lock of {@link Connections}.
 */
public interface ConnectionOwner {
    /** The tenant's name. */
    String name();

    /** What its queue pairs belong to. */
    ProtectionDomain pd();

    /** Pieces of memory that one operation of its remote regions may gather or scatter. */
    default int maxRegionEntries() {
        return 1;
    }

    /**
     * Makes the channel of a connection to or from an inbox.
     *
     * @param concurrent whether any number of threads send, or one at a time
     */
    ConnectionEnd channel(Connection connection, boolean concurrent);

    /**
     * Makes the remote region of a connection to a peer's region; memory is for the operations that it has under way.
     */
    ConnectionEnd region(Connection connection, StagingRing staging, CompletionQueue completions);
}
