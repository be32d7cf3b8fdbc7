package io.verbena;

/** Why a {@link Channel} or a {@link RemoteRegion} is closed. */
public enum CloseReason {
    /** This side closed it. */
    CLOSED_HERE("closed on this side"),
    /** The peer closed it, or its node was closed. */
    CLOSED_BY_PEER("closed by the peer"),
    /** The peer's process ended, or its link broke and did not come back in time. */
    PEER_LOST("the peer is gone"),
    /** The peer did not acknowledge within the retries. */
    TIMED_OUT("the peer did not acknowledge in time"),
    /** The peer refused: the inbox or region that was connected to is not there any more. */
    REFUSED("the peer's inbox or region is gone"),
    /**
     * The peer gave up a long message: no part of it had come for the {@link InboxOptions#unfinishedTimeout} of its
     * inbox.
     */
    ABORTED("the peer gave up a message that had stopped half-way for too long"),
    /**
     * The peer's memory was exhausted, for ten seconds in which it had nothing left to consume; its log names the way
     * out.
     */
    OUT_OF_MEMORY("the peer has no memory for messages"),
    /** One side sent what the other does not take; the log of both says what. */
    PROTOCOL_ERROR("the transport met an error");

    private final String text;

    CloseReason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
