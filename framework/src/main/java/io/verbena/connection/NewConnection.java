package io.verbena.connection;

import org.jspecify.annotations.Nullable;

/**
 * What a connection is to be.
 *
 * @param peerNic NIC of the peer
 * @param transaction what the side that asks calls it
 * @param incoming whether the peer asks for it
 * @param kind {@link ConnectionFlyweight#INBOX} or {@link ConnectionFlyweight#REGION}
 * @param name what it leads to
 * @param owner whose it is on this side
 * @param queue where the peer's messages go on this side, or null if there is nowhere
 * @param settings what it is made with
 */
record NewConnection(
        long peerNic,
        long transaction,
        boolean incoming,
        int kind,
        String name,
        ConnectionOwner owner,
        @Nullable MessageQueue queue,
        ChannelSettings settings) {}
