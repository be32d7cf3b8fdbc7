package io.verbena.rate.agent;

import io.verbena.RateStatistics;
import io.verbena.TenantAllocation.Basis;
import io.verbena.TenantAllocation.Bound;
import io.verbena.dispatch.DutyCycleAgent;
import io.verbena.rate.Allocation;
import io.verbena.rate.ExactHost;
import io.verbena.rate.HostProblem;
import java.util.Arrays;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Shares what one node can send and deliver among its tenants by their utilities, each epoch anew: looks at what each
 * has done, solves, and publishes.
 *
 * <pre>
 *   each epoch   counts of a tenant ──▶ demand: what it sent, and some more; without bound if its rate held it
 *                CapacityMeter ───────▶ q, c less the margin
 *                HostProblem ─────────▶ ExactHost ──▶ what all want fits: what is left, by weight, on top of it
 *                                                └──▶ rates: first those that fall, then those that rise
 * </pre>
 *
 * <p>A tenant is two applications of the problem: what it sends, of which each request causes 1 / batch deliveries, and
 * what is sent to it unasked, where deliveries have rates. Both have its utility. There is no latency term, so rates
 * stand as weights to the power of 1 / alpha where a capacity is short. Rates are upper bounds: the sum of those that
 * are published is never above the capacity, and a tenant that wants less lends the rest from the next epoch on. A
 * tenant that wants more is held in an epoch, and has its share in the next.
 *
 * <p>While nothing is sent the agent sleeps with its node, and begins an epoch with the first turn after that.
 *
 * <p>Concurrency: {@link #doWork} is for one thread at a time, the rest for any. Once it
 * has seen all tenants it allocates nothing, but where a measured capacity or settings have changed.
 */
public final class RateAgent implements DutyCycleAgent {
    private static final RateSlot[] NONE = {};

    /** Deliveries of a request that nothing answers, and operations of a delivery that nothing asked for. */
    private static final double NOTHING = 1e-6;

    /** Of a demand or capacity that moves by a smaller part nothing is computed. */
    private static final double MOVED = 0.02;

    /** The same for a bound of peers. */
    private static final double BOUND_MOVED = 0.001;

    private static final double BACKLOGGED = 0.5;

    /** Operations a second that a NIC is taken for while nobody knows, and those that minimum rates are parts of. */
    private static final double UNKNOWN = 1e9;

    private static final double NARROW = 1_000;

    private final RateSettings settings;
    private final NanoClock clock;
    private final ExactHost host = new ExactHost();
    private final Allocation answer = new Allocation();
    private final CapacityMeter meter;
    private final @Nullable PeerRates peers; // null: the node shares by itself
    private volatile RateSlot[] slots = NONE; // replaced under this
    private volatile boolean isStale = true; // slots or settings have changed
    private volatile boolean hasNew; // slots without a share
    private RateSlot[] members = NONE; // that the problem is of
    private @Nullable HostProblem problem;
    private double capacity; // that it is of; where none is known yet, more than anybody sends
    private boolean isMeasured; // whether it is known
    private boolean isPreemptible; // what is left is set aside
    private long since;
    private long next;
    private boolean isIdle;
    private long[] requests = {}; // rates to publish
    private long[] completions = {};
    private final RateCosts costs = new RateCosts();

    /**
     * Creates it, without tenants.
     *
     * @param settings of the node
     * @param clock of the node: begins the first epoch, and times the work
     * @param peers with whom it agrees, or null if it shares by itself
     */
    public RateAgent(RateSettings settings, NanoClock clock, @Nullable PeerRates peers) {
        this.settings = settings;
        this.peers = peers;
        this.clock = clock;
        this.meter = new CapacityMeter(settings.requests());
        this.since = clock.nanoTime();
        this.next = since + settings.epochNanos();
    }

    /** Applications of a tenant. */
    private int roles() {
        return settings.pacesDeliveries() ? 2 : 1;
    }

    /** Whether deliveries have rates too. */
    public boolean pacesDeliveries() {
        return settings.pacesDeliveries();
    }

    /** Takes a tenant in. It has almost no rate until the next turn, for all others keep theirs till then. */
    public synchronized RateSlot add(RateMember member) {
        RateSlot slot = new RateSlot(member);
        slot.requestRate(meter.perSecond() > 0 ? 1 : 0);
        slot.completionRate(settings.pacesDeliveries() ? 1 : 0);
        RateSlot[] more = Arrays.copyOf(slots, slots.length + 1);
        more[slots.length] = slot;
        slots = more;
        isStale = true;
        hasNew = true;
        return slot;
    }

    /** A tenant is gone. */
    public synchronized void remove(RateSlot slot) {
        slots = Arrays.stream(slots).filter(each -> each != slot).toArray(RateSlot[]::new);
        isStale = true;
    }

    /** A tenant's settings have changed. */
    public void changed() {
        isStale = true;
    }

    /** What it has cost. Any thread. */
    public RateStatistics statistics() {
        return costs.statistics();
    }

    @Override
    public int doWork(long now) {
        int work = epoch(now);
        PeerRates with = peers;
        if (with != null) {
            if (with.turn(now)) {
                allocate(); // before peers are told what is kept
            }
            work += with.send(now);
        }
        return work;
    }

    private int epoch(long now) {
        if (hasNew) {
            hasNew = false;
            allocate(); // by what the others wanted in the last epoch
        }
        if (now - next < 0) {
            return 0;
        }
        long elapsed = now - since;
        since = now;
        next = now + settings.epochNanos();
        boolean hasSlept = isIdle && elapsed > 2 * settings.epochNanos();
        look(elapsed);
        if (hasSlept) {
            isIdle = false; // what was done was done just now: this begins an epoch
            return 0;
        }
        long begin = clock.nanoTime();
        costs.epoch();
        allocate();
        costs.took(clock.nanoTime() - begin);
        return 1;
    }

    private void look(long elapsed) {
        double sent = 0;
        double heldSent = 0;
        double heldAllocated = 0;
        boolean isShort = false;
        boolean isQuiet = true;
        for (RateSlot slot : slots) {
            slot.look(elapsed);
            sent += slot.sentRate;
            if (slot.isHeldForRequests()) {
                heldSent += slot.sentRate;
                heldAllocated += slot.requestRate();
            }
            isShort |= slot.waited > BACKLOGGED && !slot.isHeld;
            isQuiet &= slot.isIdle();
        }
        isIdle = isQuiet;
        if (elapsed <= 2 * settings.epochNanos()) { // after a pause nobody knows what the NIC could have done
            meter.observe(sent, capacity, heldSent, heldAllocated, isShort);
        }
    }

    private void allocate() {
        double measured = meter.perSecond() * (1 - settings.margin());
        double now = measured > 0 ? measured : UNKNOWN;
        if (slots.length == 0 || (measured <= 0 && !settings.pacesDeliveries() && peers == null)) {
            return;
        }
        HostProblem of = problem;
        boolean isChanged = isStale || of == null || Math.abs(now - capacity) > MOVED * capacity;
        if (of == null || isChanged) {
            isStale = false;
            members = slots;
            capacity = now;
            isMeasured = measured > 0;
            of = build();
            problem = of;
        }
        if (demands(of) || isChanged) {
            host.solve(of, answer);
            costs.solve();
            share(of);
            publish(of);
        }
    }

    /** Sets what tenants want, and may have of what their peers take. @return whether that has changed */
    private boolean demands(HostProblem of) {
        boolean isChanged = false;
        for (int i = 0; i < members.length; i++) {
            RateSlot slot = members[i];
            int j = i * roles();
            double bound = bound(i);
            double wanted = slot.requestDemand();
            boolean isAbove = isAbove(slot.requestRate(), bound);
            isChanged |= isAbove; // though what it wants and may have is what it was
            isChanged |= of.demand(j, Math.min(wanted, bound), isAbove ? 0 : bound < wanted ? BOUND_MOVED : MOVED);
            if (roles() == 2) {
                isChanged |= of.demand(j + 1, slot.deliveryDemand(), MOVED);
            }
            if (peers != null) {
                peers.demand(i, wanted);
                isChanged |= slot.basis() != peers.basis(i);
            }
        }
        return isChanged;
    }

    /** Whether a rate that is published is more than peers allow, or another where they alone bound it. */
    private boolean isAbove(long published, double bound) {
        return bound < Double.POSITIVE_INFINITY && (isMeasured ? published > whole(bound) : published != whole(bound));
    }

    /** What the peers of a member let it send. */
    private double bound(int member) {
        return peers == null ? Double.POSITIVE_INFINITY : peers.bound(member);
    }

    private HostProblem build() {
        double deliveries = roles() == 2 ? settings.completions() * (1 - settings.margin()) : capacity;
        double part = HostProblem.DEFAULT_FLOOR / members.length;
        double needed = 0;
        isPreemptible = false;
        double delivered = roles() == 2 ? HostProblem.DEFAULT_FLOOR * deliveries : 0;
        double shared = isMeasured ? capacity : NARROW;
        for (RateSlot slot : members) {
            TenantUtility asked = slot.asks();
            double least = least(asked, part * shared);
            isPreemptible |= asked.preemptible() > 0;
            needed += least * (1 + asked.preemptible());
            delivered += least * answers(asked);
        }
        double cut =
                Math.min(HostProblem.cutOfMinimums(needed, capacity), HostProblem.cutOfMinimums(delivered, deliveries));
        HostProblem.Builder builder = HostProblem.builder(capacity, deliveries, 0);
        if (peers != null) {
            peers.members(members, capacity);
        }
        for (int i = 0; i < members.length; i++) {
            TenantUtility asked = members[i].asked();
            double minimum = cut * least(asked, part * shared);
            builder.application(asked.utility(), answers(asked))
                    .minimum(minimum)
                    .preemptible(asked.preemptible());
            if (peers != null) {
                peers.minimum(i, asked, minimum);
            }
            if (roles() == 2) {
                builder.application(asked.utility(), 1).cost(NOTHING).minimum(cut * part * deliveries);
            }
        }
        return builder.build();
    }

    private static double least(TenantUtility asked, double part) {
        return asked.minimum() > 0 ? asked.minimum() : part;
    }

    private double answers(TenantUtility asked) {
        return roles() == 2 && asked.batch() > 0 ? 1.0 / asked.batch() : NOTHING;
    }

    /** What is to be published: the answer, and by weight what all of them leave. */
    private void share(HostProblem of) {
        if (requests.length < members.length) {
            requests = new long[members.length];
            completions = new long[members.length];
        }
        double spare = isPreemptible ? 0 : of.spareRequests(answer);
        double spareDeliveries = of.spareCompletions(answer);
        double weights = 0;
        double weightsOfSpare = 0;
        for (int i = 0; i < members.length; i++) {
            double weight = members[i].asked().utility().weight();
            weights += weight;
            weightsOfSpare += takesNoMore(of, i) ? 0 : weight;
        }
        for (int i = 0; i < members.length; i++) {
            int j = i * roles();
            double weight = members[i].asked().utility().weight();
            double share = weight / weights;
            double shareOfSpare = takesNoMore(of, i) ? 0 : weight / weightsOfSpare;
            double bound = bound(i);
            requests[i] = isMeasured
                    ? whole(Math.min(answer.requests(j) + shareOfSpare * spare, bound))
                    : bound < Double.POSITIVE_INFINITY ? whole(bound) : 0;
            completions[i] = roles() == 2
                    ? whole(answer.completions(j) + answer.completions(j + 1) + share * spareDeliveries)
                    : 0;
        }
    }

    /** Whether more requests would only wait: for their answers, or where they are sent to. */
    private boolean takesNoMore(HostProblem of, int member) {
        int j = member * roles();
        return (!of.isAtDemand(answer, j) && of.isBoundByCompletions(answer, j)) || answer.requests(j) >= bound(member);
    }

    private static long whole(double perSecond) {
        return Math.max(1, (long) perSecond);
    }

    /** Lowers before it raises: at no instant is more allocated than there is. */
    private void publish(HostProblem of) {
        for (int i = 0; i < members.length; i++) {
            RateSlot slot = members[i];
            if ((requests[i] > 0 && requests[i] < slot.requestRate()) || slot.requestRate() == 0) {
                slot.requestRate(requests[i]);
            }
            if (completions[i] < slot.completionRate() || slot.completionRate() == 0) {
                slot.completionRate(completions[i]);
            }
        }
        for (int i = 0; i < members.length; i++) {
            RateSlot slot = members[i];
            slot.requestRate(requests[i]);
            slot.completionRate(completions[i]);
            int j = i * roles();
            slot.certify(
                    Math.max(1, costs.epochs()),
                    of.price(answer, j),
                    answer,
                    requests[i] >= bound(i) - 1 ? Bound.PEERS : bound(of, j),
                    peers == null ? Basis.ONE_SIDED : peers.basis(i));
        }
    }

    private Bound bound(HostProblem of, int j) {
        if (of.isAtDemand(answer, j)) {
            return Bound.DEMAND;
        }
        if (of.isAtMinimum(answer, j)) {
            return Bound.MINIMUM;
        }
        return of.isBoundByCompletions(answer, j) ? Bound.COMPLETIONS : Bound.REQUESTS;
    }

    /** When the epoch ends; never while nothing is sent or delivered. */
    @Override
    public long nextDeadline() {
        long ofPeers = peers == null ? NEVER : peers.nextDeadline(NEVER);
        return DutyCycleAgent.earlier(isIdle ? NEVER : next, ofPeers);
    }
}
