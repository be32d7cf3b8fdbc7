package io.verbena.rate;

/**
 * A peer in a {@link PriceExchange}: the messages that go and come, and what is known of what flows either way. For the
 * exchange's thread.
 */
public final class ExchangePeer {
    private static final int SENT_KEPT = 64; // a power of two

    final long id;
    final PeerInflow inflow;
    final PeerOutflow outflow;

    /** Of this node towards the peer. */
    long epoch;

    long sequence;
    private final long[] sentAt = new long[SENT_KEPT];

    /** Of the peer. */
    long itsEpoch;

    long heard; // latest sequence
    long kept; // latest sequence whose grants are kept
    long lastHeard; // when

    /** Whether something is to be said. */
    boolean isDirty;

    /** Whether no connection leads to it any more; it stays until what it may be using is free. */
    boolean isGone;

    ExchangePeer(long id, long epoch, int sources, int targets, int itsTargets) {
        this.id = id;
        this.epoch = epoch;
        inflow = new PeerInflow(targets);
        outflow = new PeerOutflow(sources, itsTargets);
    }

    /** Its identity. */
    public long id() {
        return id;
    }

    /**
     * Sets what a source sends to a target of the peer; {@link PriceExchange#settle} when all are set.
     *
     * @param share of what the source sends, from 0 on; below {@link RateMessage#MIN_SHARE} it is as good as none
     */
    public void part(int source, int target, double share) {
        outflow.part(source, target, share < RateMessage.MIN_SHARE ? 0 : share);
    }

    /** Whether its grants hold now. */
    public boolean isGoverned() {
        return outflow.isGoverned;
    }

    /** Whether it reports what it sends here. */
    public boolean isReporting() {
        return inflow.isReporting;
    }

    /** When a message was sent to it. @return whether that is known still */
    boolean wasSent(long number) {
        return number > 0 && number <= sequence && sequence - number < SENT_KEPT;
    }

    long sentAt(long number) {
        return sentAt[(int) (number & (SENT_KEPT - 1))];
    }

    /** Whether the lease of the grant before the last has ended, though it never confirmed the lower one. */
    boolean hasLapsed(long now, long lease) {
        return inflow.unconfirmed > 0 && inflow.unconfirmed <= sequence && now - inflow.unconfirmedSince >= lease;
    }

    void send(long now) {
        sequence++;
        sentAt[(int) (sequence & (SENT_KEPT - 1))] = now;
        if (sequence == inflow.unconfirmed) {
            inflow.unconfirmedSince = now;
        }
        isDirty = false;
    }

    /** It has forgotten this node, or is another one: all that it kept is free. */
    void begins(long anEpoch) {
        itsEpoch = anEpoch;
        heard = 0;
        kept = 0;
        inflow.release();
        outflow.forget();
    }

    /** There is a connection again. */
    void revive(long anEpoch) {
        isGone = false;
        epoch = anEpoch;
        sequence = 0;
        inflow.suspect();
        outflow.forget();
    }
}
