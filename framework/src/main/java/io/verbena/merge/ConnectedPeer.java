package io.verbena.merge;

import io.verbena.connection.Connection;
import io.verbena.connection.Connections;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.path.SendPath;

/**
 * A peer at the other end of a connection.
 *
 * @param connections of the node
 * @param connection to the peer's region
 */
public record ConnectedPeer(Connections connections, Connection connection) implements MergePeer {
    @Override
    public SendPath path() {
        return connection.path;
    }

    @Override
    public long nic() {
        return connection.peerNic;
    }

    @Override
    public int regionKey() {
        return connection.peer.regionKey;
    }

    @Override
    public boolean isOpen() {
        return connection.state == Connection.OPEN;
    }

    @Override
    public boolean isOver() {
        return connection.isOver();
    }

    @Override
    public void failed(WcStatus status) {
        connections.failed(connection, status);
    }
}
