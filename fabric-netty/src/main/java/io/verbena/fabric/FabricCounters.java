package io.verbena.fabric;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What has happened to the connections of one fabric since it was made. Any thread counts and reads; nothing here is on
 * the data path.
 */
public final class FabricCounters {
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong linksUp = new AtomicLong();
    private final AtomicLong linksDown = new AtomicLong();
    private final AtomicLong reconnects = new AtomicLong();
    private final AtomicLong failedConnects = new AtomicLong();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong malformedFrames = new AtomicLong();
    private final AtomicLong starved = new AtomicLong();
    private final AtomicLong expelled = new AtomicLong();

    /** Creates counters that are all 0. */
    public FabricCounters() {}

    /** Connections that came in. */
    public long accepted() {
        return accepted.get();
    }

    /** Links that came up, hello done. */
    public long linksUp() {
        return linksUp.get();
    }

    /** Links that went down, for whatever reason. */
    public long linksDown() {
        return linksDown.get();
    }

    /** Links that came up again after a break. */
    public long reconnects() {
        return reconnects.get();
    }

    /** Attempts to connect that came to nothing. */
    public long failedConnects() {
        return failedConnects.get();
    }

    /** Peers turned away and links ended for cause; each was told to the listener. */
    public long rejected() {
        return rejected.get();
    }

    /** Of the rejected, those whose hello was good and a later frame was not. */
    public long malformedFrames() {
        return malformedFrames.get();
    }

    /** Of the rejected, those whose frame was unfinished while the memory for receiving was used up. */
    public long starved() {
        return starved.get();
    }

    /** Of the rejected, links over which no packet had come while others needed their places. */
    public long expelled() {
        return expelled.get();
    }

    /** Counts a connection that came in. */
    public void countAccepted() {
        accepted.incrementAndGet();
    }

    /** Counts a link that came up. */
    public void countLinkUp() {
        linksUp.incrementAndGet();
    }

    /** Counts a link that went down. */
    public void countLinkDown() {
        linksDown.incrementAndGet();
    }

    /** Counts a link that came up again. */
    public void countReconnect() {
        reconnects.incrementAndGet();
    }

    /** Counts an attempt to connect that came to nothing. */
    public void countFailedConnect() {
        failedConnects.incrementAndGet();
    }

    /** Counts a rejection. */
    public void countRejected() {
        rejected.incrementAndGet();
    }

    /** Counts a malformed frame. */
    public void countMalformedFrame() {
        malformedFrames.incrementAndGet();
    }

    /** Counts a connection that ended for want of memory to receive with. */
    public void countStarved() {
        starved.incrementAndGet();
    }

    /** Counts a link that gave its place to others. */
    public void countExpelled() {
        expelled.incrementAndGet();
    }

    @Override
    public String toString() {
        return "accepted=" + accepted + " linksUp=" + linksUp + " linksDown=" + linksDown + " reconnects=" + reconnects
                + " failedConnects=" + failedConnects + " rejected=" + rejected + " malformedFrames=" + malformedFrames
                + " starved=" + starved + " expelled=" + expelled;
    }
}
