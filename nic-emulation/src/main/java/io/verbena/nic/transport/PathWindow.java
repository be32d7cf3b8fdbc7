package io.verbena.nic.transport;

import io.verbena.nic.arbiter.FlowGroup;
import java.util.concurrent.TimeUnit;

/**
 * Bounds what is under way to a peer while more than one group sends there, so that the rest waits at the arbiter,
 * which shares by weight: what waits in a kernel or at the peer is served first come, first served. A group that is
 * alone has no bound.
 *
 * <p>The window is twice the recent maximum of the delivery rate times the recent minimum of the delay (as BBR's),
 * at least {@link #MIN}. The least delay cannot be measured under load: now and then the path is left to drain, and
 * then carries a few packets alone.
 *
 * <p>Pure state: used under the engine's baton.
 */
public final class PathWindow {
    /** The smallest window in bytes: four laps of the arbiter. */
    static final int MIN = 256 * 1024;

    /** The largest window in bytes. */
    static final int MAX = 64 * 1024 * 1024;

    /** Nanoseconds from one measurement of the delay to the next, once there are {@link #PROBES}. */
    static final long PROBE_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    /** Measurements that the least delay is taken of. */
    static final int PROBES = 8;

    private static final long FIRST_PROBES_INTERVAL = TimeUnit.MILLISECONDS.toNanos(20);

    /** Most nanoseconds that a measurement may take: what is urgent, for instance, goes on meanwhile. */
    private static final long MAX_PROBE = TimeUnit.MILLISECONDS.toNanos(200);

    private static final int PROBE_BYTES = 8 * 1024;
    private static final int DRAINED = 4 * 1024; // acknowledgements, for instance, may always lie there
    private static final int RATES = 8; // intervals that the greatest rate is taken of
    private static final long RATE_INTERVAL = TimeUnit.MILLISECONDS.toNanos(2);

    private enum Phase {
        OPEN,
        DRAINING,
        PROBING
    }

    private final Contention contention;
    private int times; // that it was contended
    private boolean full; // until a quarter of the window is free: not a system call for each packet
    private int window = MIN;
    private long given; // bytes

    private final double[] rates = new double[RATES]; // bytes a nanosecond
    private int rateIndex;
    private boolean rated; // an interval has begun
    private long rateSince;
    private long deliveredThen; // when the interval began

    private final long[] delays = new long[PROBES];
    private int probes;
    private long leastDelay; // of them; 0 while there is none
    private Phase phase = Phase.OPEN;
    private long probeSince;
    private int probeLeft; // bytes of the probe that are to be sent
    private long probeAt; // when the last of it was sent
    private long nextProbe = Long.MIN_VALUE;

    /**
     * Creates one that bounds nobody yet.
     *
     * @param contention of those whom it bounds
     */
    PathWindow(Contention contention) {
        this.contention = contention;
    }

    /** Whether more than one group has sent recently. */
    public boolean isContended() {
        return contention.isContended();
    }

    /** The window in bytes, which holds while the path is contended. */
    public int window() {
        return window;
    }

    /**
     * A group is about to send.
     *
     * @return whether {@link #room} bounds it: it is not alone
     */
    public boolean binds(FlowGroup group, TransportServices services) {
        boolean is = contention.isContended(group, services);
        if (is && times != contention.times()) {
            times = contention.times();
            phase = Phase.OPEN;
            full = false;
            rated = false;
        }
        return is;
    }

    /** Bytes under way from which on nothing is added. */
    public int limit() {
        return phase != Phase.OPEN ? DRAINED : full ? window / 2 : window;
    }

    /**
     * Bytes that may be added now.
     *
     * @param underWay bytes that are
     * @return at most 0 if who sends has to wait
     */
    public int room(int underWay, long now) {
        measureRate(given - underWay, now);
        if (phase == Phase.OPEN && now >= nextProbe) {
            phase = Phase.DRAINING;
            probeSince = now;
        }
        if (phase != Phase.OPEN) {
            int room = probe(underWay <= DRAINED, now);
            if (phase != Phase.OPEN) {
                return room;
            }
        }
        full = underWay >= limit();
        return full ? 0 : window - underWay;
    }

    /** Goes on with a measurement. Returns the bytes that may be sent for it now. */
    private int probe(boolean empty, long now) {
        if (phase == Phase.DRAINING && empty) {
            phase = Phase.PROBING;
            probeLeft = PROBE_BYTES;
        }
        if (phase == Phase.PROBING && probeLeft > 0) {
            return probeLeft;
        }
        boolean measured = phase == Phase.PROBING && empty;
        if (measured) {
            delays[probes++ % PROBES] = now - probeAt;
            leastDelay = leastOf(Math.min(probes, PROBES));
            adapt();
        }
        if (measured || now - probeSince > MAX_PROBE) {
            phase = Phase.OPEN;
            nextProbe = now + (probes < PROBES ? FIRST_PROBES_INTERVAL : PROBE_INTERVAL);
        }
        return 0;
    }

    /** Whether who was refused would get room now. */
    public boolean hasRoom(int underWay) {
        return !isContended() || (phase == Phase.OPEN && underWay < limit());
    }

    /** So many bytes were given to the path. */
    public void sent(int bytes, TransportServices services) {
        given += bytes;
        contention.sent(bytes);
        if (phase == Phase.PROBING && probeLeft > 0) {
            probeLeft -= bytes;
            probeAt = services.now();
        }
    }

    /** Over intervals that are long beside a turn and a round trip: acknowledgements come in lumps. */
    private void measureRate(long delivered, long now) {
        long took = now - rateSince;
        if (!rated) {
            rated = true;
            rateSince = now;
            deliveredThen = delivered;
        } else if (took >= Math.max(RATE_INTERVAL, 2 * leastDelay)) {
            rates[rateIndex++ % RATES] = Math.max(0, delivered - deliveredThen) / (double) took;
            rateSince = now;
            deliveredThen = delivered;
            adapt();
        }
    }

    /**
     * Nanoseconds until the peer has what is sent alone; 0 while that is not known: it is measured while the path is
     * contended.
     */
    public long leastDelay() {
        return leastDelay;
    }

    private long leastOf(int count) {
        long least = delays[0];
        for (int i = 1; i < count; i++) {
            least = Math.min(least, delays[i]);
        }
        return least;
    }

    private void adapt() {
        double rate = 0;
        for (double one : rates) {
            rate = Math.max(rate, one);
        }
        window = (int) Math.max(MIN, Math.min(MAX, 2 * rate * leastDelay));
    }

    /** Another link carries the path from now on: nothing is known of it. */
    void restart() {
        probes = 0;
        leastDelay = 0;
        nextProbe = Long.MIN_VALUE;
        rated = false;
        window = MIN;
        phase = Phase.OPEN;
        full = false;
    }

    @Override
    public String toString() {
        return "window of " + window + " bytes" + (isContended() ? ", contended" : "") + ", delay " + leastDelay
                + " ns";
    }
}
