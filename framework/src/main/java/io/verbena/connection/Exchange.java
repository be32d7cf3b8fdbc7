package io.verbena.connection;

import io.verbena.mux.SharedConnection;
import org.jspecify.annotations.Nullable;

/** The datagrams about one {@link Connection} that are sent again until they are answered. Under its lock. */
final class Exchange {
    /** Asks for it. */
    @Nullable
    ConnectionFlyweight request;

    /** PSN of the first packet that this side sends. */
    int firstPsn;

    /** The connections with which it counts, on the side that asks; null if it cannot share. */
    @Nullable
    SharedConnection among;

    /** Whether the request cannot be sent yet. */
    boolean waits;

    /** Says that it is made here. */
    @Nullable
    ConnectionFlyweight reply;

    /** Times that the last of them was sent. */
    int attempts;

    /** When it is sent again. */
    long nextAttempt;

    /** When nobody waits any more. */
    long deadline;

    /** Whether the peer was told that it is over. */
    boolean disconnectSent;
}
