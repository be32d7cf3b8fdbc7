package io.verbena.connection;

/** Makes connections that share the queue pair of another one. */
public final class Streams {
    private Streams() {}

    /** A connection by the queue pair of another, of whose peer what is of a stream comes. */
    public static Connection beside(Connection c, int peerStream) {
        Connection beside =
                new Connection(c.queuePair, c.path, c.stream + 1, c.peerNic, c.transaction, c.incoming, c.kind, c.name);
        beside.peer.qp = c.peer.qp;
        beside.peer.stream = peerStream;
        return beside;
    }
}
