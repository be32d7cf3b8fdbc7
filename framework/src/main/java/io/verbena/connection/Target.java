package io.verbena.connection;

import io.verbena.AccessRequest;
import org.jspecify.annotations.Nullable;

/** Something of a node's that peers can be connected to. */
public interface Target {
    /** What it is. */
    AccessRequest.Kind kind();

    /** Whose it is. */
    ConnectionOwner owner();

    /** What connections of peers are made with, as far as the owner may set it now. */
    ChannelSettings settings();

    /** Where messages go, of what takes some. */
    @Nullable
    MessageQueue queue();

    /** Bytes of a region, 0 of anything else. */
    long regionLength();

    /** What its owner lets peers have at most, of {@link io.verbena.nic.memory.Access#REMOTE}. */
    int grantable();

    /**
     * The key under which a peer has these rights to a region, and no others.
     *
     * @param rights of {@link io.verbena.nic.memory.Access#REMOTE}
     * @return 0 for what is no region
     * @throws IllegalStateException if the region is closed, or the node has as many keys as it may have
     */
    int regionKey(int rights);
}
