package io.verbena.nic.port;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One path to one peer NIC: carries packets, holds a bounded number of unsent bytes, never blocks.
 *
 * <p>Concurrency: {@link #state}, {@link #wakePeer} and {@link #close} may be called by any thread. Everything else is
 * called by the thread that holds the engine's baton; the baton hands the link's state from thread to thread. A link
 * that cannot write to its socket by that thread passes bytes to the socket's own, and wakes it only if it sleeps.
 *
 * <p>A link is a wire, not a promise: a packet that was committed may be lost (when the link breaks), and reliability
 * is the NIC's own. Packets that arrive do so whole and unchanged.
 */
public interface Link extends AutoCloseable {
    /** Returned by {@link #claim} when the window of unsent bytes is full. */
    int NO_ROOM = -1;

    /** Where a link is in its life. */
    enum State {
        /** Packets flow. */
        UP,
        /** Broken; a new link to the same peer may follow. */
        DOWN,
        /**
         * The other end is gone for good: the peer's process has ended, or it has closed the link. Queue pairs to it
         * fail, and wait for no other link. Which of the two it was, {@link PeerMemory#gone} tells.
         */
        DEAD,
        /** Closed on this side. */
        CLOSED
    }

    /** The 64-bit identity of the NIC at the other end, as its hello gave it. */
    long peerNic();

    /**
     * What the peer is known by: an engine that cannot take all that comes takes as much from each peer of a group,
     * however many links, and NICs, it has. By default {@link #peerNic}.
     *
     * @return equal for links of the same peer; the same for as long as the link lasts
     */
    default Object peerKey() {
        return peerNic();
    }

    /** The state now. */
    State state();

    /** The largest packet in bytes, headers included; constant for a link's life, at least 512. */
    int maxPacket();

    /**
     * Reserves room for one packet, until it is {@linkplain #commit committed}. A claim that is not, because what was
     * to be written there met an exception, is given up by the next.
     *
     * @param length bytes of the packet, 1 to {@link #maxPacket}
     * @return the offset in {@link #buffer}, a multiple of 8; or {@link #NO_ROOM}
     */
    int claim(int length);

    /**
     * Reserves a packet whose payload lies elsewhere already; the caller writes the headers alone. A link may send the
     * payload from where it lies, at the latest at the {@link #flush} that ends the turn, or copy it here: the memory
     * must be there until then, and what it holds then is what is sent.
     *
     * @param headerLength bytes that the caller writes at the offset returned
     * @param payload holds the rest of the packet
     * @param payloadOffset of its first byte
     * @param payloadLength in bytes; with the headers 1 to {@link #maxPacket}
     * @return as {@link #claim(int)}
     */
    default int claim(int headerLength, DirectBuffer payload, int payloadOffset, int payloadLength) {
        int at = claim(headerLength + payloadLength);
        if (at != NO_ROOM) {
            buffer().putBytes(at + headerLength, payload, payloadOffset, payloadLength);
        }
        return at;
    }

    /** The buffer in which the last claim lies. It may be another one after each claim. */
    MutableDirectBuffer buffer();

    /** Says that the claimed packet is complete; it belongs to the link from here on. */
    void commit();

    /** Pushes committed packets towards the peer, without blocking; called once an engine turn. */
    void flush();

    /**
     * Whether a flush is a system call, and one that the waiter's owner makes best: then requests that can wait for the
     * engine's next turn do, and share one. Constant for a link's life.
     */
    default boolean isFlushCostly() {
        return false;
    }

    /**
     * Delivers packets that have arrived. Whoever got some flushes in the same turn: the link may have something of its
     * own to send for them.
     *
     * @param handler takes each packet
     * @param limit most packets to deliver
     * @return packets delivered
     */
    int poll(PacketHandler handler, int limit);

    /** Whether {@link #poll} would find something; a cheap look by a thread that is about to block. */
    boolean hasInbound();

    /** Bytes committed here that the medium has not taken yet (a retransmission timer does not run for them). */
    int unsent();

    /**
     * Bytes that a packet committed now would be behind: those that the medium has not taken and, where the link can
     * find out, those that the peer's engine has not received. A link that must ask the peer does so from this call on.
     *
     * @param limit in bytes: if it is reached, the answer that says that there is less is awaited, and wakes the owner
     */
    default int ahead(int limit) {
        return unsent();
    }

    /** Bytes that the medium spends on a packet on top of the packet's own; what is scheduled by bytes counts them. */
    default int overhead() {
        return 0;
    }

    /**
     * Asks for the waiter to be woken once when {@link #unsent} falls below a number of bytes. A link that cannot say
     * so does nothing: the peer's next packet wakes as well.
     */
    default void wakeBelow(int bytes) {}

    /** The peer's memory as it is mapped here, or null where there is no direct path. */
    @Nullable
    PeerMemory peerMemory();

    /**
     * Wakes an engine of the peer; called only after that engine's park word was seen to say PARKED.
     *
     * @param engine index of the engine in the peer's NIC
     */
    void wakePeer(int engine);

    /**
     * Asks the link to say when something has come, in place of being polled each turn: by {@link Arrivals#arrived} for
     * packets that this process receives, and for changes of state; where the peer writes packets into memory of this
     * side, by telling the peer's end the number ({@link #takeAnnouncement}). The caller polls once after this. Under
     * the baton.
     *
     * @param arrivals told of arrivals, or null: the link is polled each turn again
     * @param number of the link
     * @return false if the link cannot; it is then polled each turn
     */
    default boolean announceTo(@Nullable Arrivals arrivals, int number) {
        return false;
    }

    /**
     * The number under which the peer's engine wants to be told, in its control block, of what was flushed here since
     * the last call. The caller has fenced after the flush.
     *
     * @return -1 if nothing was flushed, or the peer looks by itself
     */
    default int takeAnnouncement() {
        return -1;
    }

    /** Closes this end. Idempotent. The peer sees the link go down. */
    @Override
    void close();

    /**
     * Gives back the memory that only this link and its {@link #peerMemory} lead to. Called once, after {@link #close},
     * by the engine that had it, when it has let go of all that leads there and no thread is in the middle of a look at
     * it; only {@link #state} and {@link #close} are called afterwards. A link that no engine gives back is left to the
     * collector.
     */
    default void release() {}
}
