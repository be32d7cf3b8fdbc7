package io.verbena.connection;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The datagrams about one {@link Connection} that are sent again until they are answered: while it is made, and again
 * when it ends. Under its lock.
 */
final class Exchange {
    /** Ends when the connection that this side has asked for is open, or cannot be opened. */
    final CompletableFuture<Connection> opened = new CompletableFuture<>();

    /** Asks for it. */
    @Nullable
    ConnectionFlyweight request;

    /** PSN of the first packet that this side sends. */
    int firstPsn;

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

    /** Whether {@link Closings} looks at it. */
    boolean closing;

    /** Whether the peer was told that it is over. */
    boolean disconnectSent;

    /** Whether it is over here already, and the peer has not said that it knows. */
    boolean peerIsToKnow;
}
