package io.verbena.connection;

import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The connections that peers have asked for, by the peer's NIC and what it calls the request: one that comes again is
 * known. Under the lock of {@link Connections}.
 */
final class AcceptedRequests {
    private final Long2ObjectHashMap<Long2ObjectHashMap<Connection>> byPeer = new Long2ObjectHashMap<>();

    AcceptedRequests() {}

    /** The connection that a request has led to; null if it is a new one. */
    @Nullable
    Connection find(long peerNic, long transaction) {
        Long2ObjectHashMap<Connection> its = byPeer.get(peerNic);
        return its == null ? null : its.get(transaction);
    }

    /** A request has led to a connection. */
    void add(Connection c) {
        byPeer.computeIfAbsent(c.peerNic, nic -> new Long2ObjectHashMap<>()).put(c.transaction, c);
    }

    /** A request like that of a connection would be a new one. */
    void remove(Connection c) {
        Long2ObjectHashMap<Connection> its = byPeer.get(c.peerNic);
        if (its != null && its.remove(c.transaction, c) && its.isEmpty()) {
            byPeer.remove(c.peerNic);
        }
    }
}
