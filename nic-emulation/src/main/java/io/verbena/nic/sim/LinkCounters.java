package io.verbena.nic.sim;

/** What became of the packets that one end of a simulated link has sent. */
public final class LinkCounters {
    long sent;
    long sentBytes;
    long delivered;
    long lost;
    long cut;
    long corrupted;
    long duplicated;
    long reordered;
    long overrun;
    long noRoom;
    long wakes;

    LinkCounters() {}

    void add(LinkCounters c) {
        sent += c.sent;
        sentBytes += c.sentBytes;
        delivered += c.delivered;
        lost += c.lost;
        cut += c.cut;
        corrupted += c.corrupted;
        duplicated += c.duplicated;
        reordered += c.reordered;
        overrun += c.overrun;
        noRoom += c.noRoom;
        wakes += c.wakes;
    }

    /** Packets put on the wire. */
    public long sent() {
        return sent;
    }

    /** Bytes put on the wire, overhead not counted. */
    public long sentBytes() {
        return sentBytes;
    }

    /** Packets that the peer has polled, copies included. */
    public long delivered() {
        return delivered;
    }

    /** Packets lost by chance or by a tamper's word. */
    public long lost() {
        return lost;
    }

    /** Packets lost to a partition, or to a link that was broken or closed. */
    public long cut() {
        return cut;
    }

    /** Packets damaged and therefore dropped. */
    public long corrupted() {
        return corrupted;
    }

    /** Packets that were sent twice. */
    public long duplicated() {
        return duplicated;
    }

    /** Packets that were held back. */
    public long reordered() {
        return reordered;
    }

    /** Packets dropped because the peer did not poll. */
    public long overrun() {
        return overrun;
    }

    /** Claims that found the window full. */
    public long noRoom() {
        return noRoom;
    }

    @Override
    public String toString() {
        return "sent " + sent + ", delivered " + delivered + ", lost " + lost + ", cut " + cut + ", corrupted "
                + corrupted
                + ", duplicated " + duplicated + ", reordered " + reordered + ", overrun " + overrun + ", no room "
                + noRoom;
    }
}
