package io.verbena.rate.agent;

import io.verbena.TenantAllocation.Basis;
import io.verbena.rate.AdmmSettings;
import io.verbena.rate.ExchangeCount;
import io.verbena.rate.ExchangeCounts;
import io.verbena.rate.ExchangeSources;
import io.verbena.rate.ExchangeTargets;
import io.verbena.rate.ExchangeTimes;
import io.verbena.rate.PriceExchange;
import io.verbena.rate.RateMessage;
import java.util.Arrays;
import java.util.function.Predicate;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The part of a node in a {@link PriceExchange} with the nodes that it is connected to: sources are its tenants, and
 * all that its inboxes deliver is one target.
 *
 * <pre>
 *   connections ──▶ PeerTraffic: which part of what a tenant sends goes to whom ──┐
 *   RateAgent ────▶ utilities, demands, capacity ────────────────────────────▶ PriceExchange ──▶ bound of each tenant
 *   datagrams ────▶ {@link #receive} ───────────────────────────────────────────┘       └──▶ datagrams
 * </pre>
 *
 * <p>Concurrency: the agent's thread calls everything but {@link #receive}, which whoever takes datagrams calls; both
 * hold this object's monitor while they touch the exchange, and connections are looked at without it.
 */
public final class PeerRates {
    /** What is granted in a second where nothing bounds what inboxes deliver. */
    private static final double UNBOUNDED = 1e9;

    private final ExchangeTimes times;
    private final ExchangeCounts counts = new ExchangeCounts();
    private final PriceExchange exchange;
    private final ConnectedPeers connected;
    private final RateNetwork network;
    private final Long2ObjectHashMap<PeerTraffic> traffic = new Long2ObjectHashMap<>();
    private final FadingCounts oneSided = new FadingCounts(); // what no peer delivers
    private final ConnectedPeers.Flow onFlow = this::onFlow;
    private final Predicate<PeerTraffic> isGone = this::isGone;
    private final PriceExchange.Network out = this::send;
    private final RateMessage incoming = new RateMessage();
    private final UnsafeBuffer in = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer sent = new UnsafeBuffer(new byte[RateFlyweight.MAX_LENGTH]);
    private int[] memberOf = {}; // of a group, by its number; below 0 for none
    private double[] sums = {};
    private RateSlot[] known = {};
    private long look;
    private long nextLook;
    private volatile int activePeers;

    /**
     * Begins without peers.
     *
     * @param settings of the node
     * @param connected connections of the node
     * @param network carries what is said
     * @param now by the node's clock
     */
    public PeerRates(RateSettings settings, ConnectedPeers connected, RateNetwork network, long now) {
        this.times = ExchangeTimes.of(settings.epochNanos());
        this.connected = connected;
        this.network = network;
        double taken = settings.pacesDeliveries() ? settings.completions() * (1 - settings.margin()) : UNBOUNDED;
        this.exchange = new PriceExchange(times, new ExchangeTargets(AdmmSettings.TWO_SIDED, 1, taken, 0), counts, now);
        this.nextLook = now;
    }

    // ---- by whoever takes datagrams
    // -----------------------------------------------------------------------------------

    /** Takes a datagram, if it is about rates. @return whether it is */
    public boolean receive(long peerNic, byte[] bytes, long now) {
        synchronized (this) {
            in.wrap(bytes);
            if (!RateFlyweight.isOne(in, bytes.length)) {
                return false;
            }
            if (RateFlyweight.decode(in, bytes.length, incoming)) {
                exchange.receive(peerNic, incoming, now);
            } else {
                counts.increment(ExchangeCount.MALFORMED);
            }
            return true;
        }
    }

    // ---- by the agent's thread
    // ----------------------------------------------------------------------------------------

    /**
     * Says who shares, and what.
     *
     * @param slots tenants
     * @param capacity operations a second that they have together
     */
    synchronized void members(RateSlot[] slots, double capacity) {
        ExchangeSources sources = exchange.sources(slots.length, capacity);
        if (slots == known) {
            return;
        }
        known = slots;
        Arrays.fill(memberOf, -1);
        for (int m = 0; m < slots.length; m++) {
            int group = slots[m].group();
            if (group >= memberOf.length) {
                int before = memberOf.length;
                memberOf = Arrays.copyOf(memberOf, group + 1);
                Arrays.fill(memberOf, before, memberOf.length, -1);
            }
            memberOf[group] = m;
        }
        sums = new double[slots.length];
        oneSided.resize(slots.length);
        for (PeerTraffic each : traffic.values()) {
            each.delivered.resize(slots.length);
            each.divide(sums);
        }
        exchange.settle();
        for (int m = 0; m < slots.length; m++) {
            sources.set(m, slots[m].asked().utility(), 1);
        }
    }

    /** Sets what a tenant always gets. */
    synchronized void minimum(int member, TenantUtility asked, double perSecond) {
        exchange.sources().set(member, asked.utility(), perSecond);
    }

    /** Sets what a tenant wants, operations a second. */
    synchronized void demand(int member, double perSecond) {
        exchange.sources().demand(member, perSecond);
    }

    /** What its peers let a tenant send, operations a second; infinite for no bound. */
    synchronized double bound(int member) {
        return member < known.length ? exchange.sources().bound(member) : Double.POSITIVE_INFINITY;
    }

    /** How that comes about. */
    synchronized Basis basis(int member) {
        return switch (exchange.basis(member)) {
            case ALONE -> Basis.ONE_SIDED;
            case AGREED -> Basis.TWO_SIDED;
            case NOT_ANSWERED -> Basis.NOT_ANSWERED;
            case LOST -> Basis.PEER_LOST;
        };
    }

    /** Looks at connections, and makes the steps that are due. @return whether bounds may have changed */
    boolean turn(long now) {
        if (known.length > 0 && now - nextLook >= 0) {
            nextLook = now + times.round();
            look++;
            oneSided.begin();
            connected.flows(onFlow);
            divide();
        }
        synchronized (this) {
            boolean isChanged = known.length > 0 && exchange.turn(now);
            activePeers = exchange.activePeers();
            return isChanged;
        }
    }

    /** Says what there is to be said; bounds are kept. @return datagrams */
    synchronized int send(long now) {
        return exchange.send(now, out);
    }

    private boolean send(long peer, RateMessage message) {
        return network.send(peer, sent, RateFlyweight.encode(message, sent));
    }

    private void onFlow(long peerNic, int group, boolean isDelivered, long messages) {
        PeerTraffic its = traffic.get(peerNic);
        if (its == null) {
            its = connect(peerNic);
        }
        its.see(look);
        int member = group < memberOf.length ? memberOf[group] : -1;
        (isDelivered ? its.delivered : oneSided).add(member, messages);
    }

    private synchronized PeerTraffic connect(long peerNic) {
        PeerTraffic its = new PeerTraffic(exchange.add(peerNic, 1));
        its.delivered.resize(known.length);
        traffic.put(peerNic, its);
        return its;
    }

    private synchronized void divide() {
        traffic.values().removeIf(isGone);
        Arrays.fill(sums, 0);
        oneSided.fade(sums);
        for (PeerTraffic its : traffic.values()) {
            its.delivered.fade(sums);
        }
        for (PeerTraffic its : traffic.values()) {
            its.divide(sums);
        }
        exchange.settle();
    }

    private boolean isGone(PeerTraffic its) {
        if (its.wasSeen(look)) {
            return false;
        }
        exchange.remove(its.peer.id());
        return true;
    }

    /** When {@link #turn} is needed at the latest. */
    synchronized long nextDeadline(long never) {
        return exchange.isIdle() ? never : exchange.nextDeadline();
    }

    // ---- any thread
    // ---------------------------------------------------------------------------------------------------

    /** What was counted. */
    public ExchangeCounts counts() {
        return counts;
    }

    /** Peers that govern what this node sends, or are governed by it. */
    public int activePeers() {
        return activePeers;
    }
}
