package io.verbena.connection;

/** Makes connections that share the queue pair of another one. */
public final class Streams {
    private Streams() {}

    /** A connection by the queue pair of another, of whose peer what is of a stream comes. */
    public static Connection beside(Connection c, int peerStream) {
        Connection beside = new Connection(c.queuePair, c.path, c.peerNic, c.transaction, c.incoming, c.kind, c.name);
        beside.peer = c.peer;
        beside.peerStream = peerStream;
        return beside;
    }
}
