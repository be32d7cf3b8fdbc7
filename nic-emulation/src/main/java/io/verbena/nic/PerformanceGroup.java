package io.verbena.nic;

import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.MemoryQuota;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/**
 * A tenant's share of a NIC, as its administrator sees it: a weight among other groups, limits on what the tenant may
 * set itself, a ceiling and a floor. All queue pairs of the protection domains that
 * {@link Nic#allocateProtectionDomain(PerformanceGroup)} makes for it send at its expense. The tenant gets the
 * protection domain and not the group, so it can neither change nor read the group.
 *
 * <p>Thread-safe; not for the data path. Settings take effect at each engine's next turn. A busy engine holds up
 * neither the call nor the other engines, which schedule by the new settings while it finishes its turn by the old
 * ones.
 */
public final class PerformanceGroup implements AutoCloseable {
    /** Largest weight. */
    public static final int MAX_WEIGHT = GroupAttributes.MAX_WEIGHT;

    private final PerformanceGroups groups;
    private final FlowGroup flows;
    private final MemoryQuota memory;

    // Under the NIC's lock.
    private volatile GroupAttributes attributes; // replaced, never changed
    private final List<BooleanSupplier> idleRegions = new CopyOnWriteArrayList<>();
    private int protectionDomains;
    private int queuePairs;
    private boolean closed;

    PerformanceGroup(PerformanceGroups groups, FlowGroup flows, GroupAttributes a) {
        this.groups = groups;
        this.flows = flows;
        this.attributes = new GroupAttributes(a);
        this.memory = new MemoryQuota(a.name(), a.maxMemory());
        flows.rates(a.ceiling(), a.floor());
        flows.urgentLimit(a.urgentLimit());
    }

    /** Its name. */
    public String name() {
        synchronized (groups.lock()) {
            return attributes.name();
        }
    }

    /** Its number in the NIC, from 0; reused after it is closed. */
    public int index() {
        return flows.index();
    }

    /**
     * Sets everything but the name: start from {@link #query}. A refused call changes nothing. A lowered limit on queue
     * pairs or on their weights applies to new ones; if queue pairs may no longer be urgent, urgent ones become bulk.
     *
     * @throws IllegalArgumentException if it contradicts itself, has another name, or the floors of all groups exceed
     *     what the NIC can send
     * @throws IllegalStateException if it is closed
     */
    public void set(GroupAttributes a) {
        int before;
        GroupAttributes now = new GroupAttributes(a);
        synchronized (groups.lock()) {
            checkOpen();
            before = attributes.weight();
            if (now.name().isEmpty()) {
                now.name(attributes.name());
            }
            if (!now.name().equals(attributes.name())) {
                throw new IllegalArgumentException(
                        "group " + attributes.name() + " cannot become " + now.name() + ": a name is for good");
            }
            groups.check(now, this);
            boolean bulkOnly = attributes.mayBeUrgent() && !now.mayBeUrgent();
            put(now);
            groups.changed(this, bulkOnly);
        }
        if (now.weight() != before) {
            groups.reweighed(now.name(), before, now.weight());
        }
    }

    private void put(GroupAttributes now) {
        attributes = now;
        memory.limit(now.maxMemory());
        flows.weight(now.weight());
        flows.rates(now.ceiling(), now.floor());
        flows.urgentLimit(now.urgentLimit());
    }

    /** What is set. */
    public GroupAttributes query() {
        synchronized (groups.lock()) {
            return new GroupAttributes(attributes);
        }
    }

    /** Its weight now, without a copy of all attributes. Any thread. */
    public int weight() {
        return flows.weight();
    }

    /** {@link GroupAttributes#maxSendWindow}, without a copy of all attributes. Any thread. */
    public int maxSendWindow() {
        return attributes.maxSendWindow();
    }

    /**
     * Sets how many operations a second it may send, requests and answers, over all engines: a bound beside the
     * administrator's ceiling, for who shares the NIC's operations; the lower one holds. Takes no lock and allocates
     * nothing where another rate was set before. By one thread at a time.
     *
     * @param perSecond 0 for no bound, to {@link io.verbena.nic.arbiter.RateLimit#MAX_PER_SECOND}
     * @param nowNanos of the NIC's clock
     * @throws IllegalArgumentException if it is out of range, or the NIC's discipline knows no rates
     */
    public void operationRate(long perSecond, long nowNanos) {
        boolean was = flows.operations().perSecond() != 0;
        if (perSecond != 0 && !was) {
            groups.checkRates();
        }
        flows.operations().set(perSecond, nowNanos);
        if (was != (perSecond != 0)) {
            synchronized (groups.lock()) {
                groups.changed(this, false);
            }
        }
    }

    /** Operations a second that it may send, 0 for no bound. Any thread. */
    public long operationRate() {
        return flows.operations().perSecond();
    }

    /** What it uses of the NIC's memory. */
    public MemoryQuota memory() {
        return memory;
    }

    /** Counts of what it has sent, and how long it waited. */
    public GroupStatistics statistics() {
        return flows.statistics();
    }

    /** Queue pairs in it now. */
    public int queuePairs() {
        synchronized (groups.lock()) {
            return queuePairs;
        }
    }

    /** Memory regions and windows that its protection domains have now. */
    public int regions() {
        synchronized (groups.lock()) {
            return groups.regions(this);
        }
    }

    /** The number of its queue pairs whose class is URGENT. */
    public int urgentQueuePairs() {
        synchronized (groups.lock()) {
            return groups.urgentQueuePairs(this);
        }
    }

    /**
     * Destroys it. Idempotent.
     *
     * @throws IllegalStateException (EBUSY) if protection domains are in it, or it is the default group
     */
    @Override
    public void close() {
        synchronized (groups.lock()) {
            if (closed) {
                return;
            }
            if (protectionDomains > 0) {
                throw new IllegalStateException("group " + attributes.name() + " is busy (EBUSY): it has "
                        + protectionDomains + " protection domains");
            }
            groups.remove(this);
            closed = true;
        }
    }

    FlowGroup flows() {
        return flows;
    }

    /** The settings themselves, under the NIC's lock. */
    GroupAttributes attributes() {
        return attributes;
    }

    /** Throws if a protection domain of that NIC cannot be in it. */
    void checkMember(PerformanceGroups in) {
        checkOpen();
        if (in != groups) {
            throw new IllegalArgumentException("group " + attributes.name() + " is of another NIC");
        }
    }

    void enter() {
        protectionDomains++;
    }

    void leave() {
        protectionDomains--;
    }

    void checkQueuePairs() {
        if (queuePairs >= attributes.maxQueuePairs()) {
            throw new IllegalStateException("group " + attributes.name() + ": queue pairs " + (queuePairs + 1L)
                    + " > maximum " + attributes.maxQueuePairs());
        }
    }

    /** Throws if it may have no more memory regions or windows; called before anything is allocated. */
    void checkRegions() {
        if (!mayHaveRegion()) {
            throw new IllegalStateException("group " + attributes.name() + ": memory regions "
                    + (groups.regions(this) + 1L) + " > maximum " + attributes.maxRegions());
        }
    }

    /** Whether the group may have another region; idle ones make room. Under the NIC's lock. */
    boolean mayHaveRegion() {
        return isBelowMaxRegions() || (giveBackIdleRegions() && isBelowMaxRegions());
    }

    private boolean isBelowMaxRegions() {
        return attributes.maxRegions() == Integer.MAX_VALUE || groups.regions(this) < attributes.maxRegions();
    }

    /** Returns whether any was given back. Under the NIC's lock. */
    boolean giveBackIdleRegions() {
        boolean any = false;
        for (BooleanSupplier each : idleRegions) {
            any |= each.getAsBoolean();
        }
        return any;
    }

    /**
     * Adds what deregisters regions of the group that are kept and not used, when the group or the NIC has the maximum
     * number of regions and another is wanted. Any thread.
     *
     * @param giveBack called under the NIC's lock, by any thread; returns whether there were any
     */
    public void addIdleRegions(BooleanSupplier giveBack) {
        idleRegions.add(giveBack);
    }

    /** Removes what was added. Any thread. */
    public void removeIdleRegions(BooleanSupplier giveBack) {
        idleRegions.remove(giveBack);
    }

    /** Refuses a weight or a class that the tenant may not set. */
    void checkShare(QpAttributes a) {
        if (a.has(QpAttributes.WEIGHT) && a.weight > attributes.maxQueuePairWeight()) {
            throw new IllegalArgumentException("group " + attributes.name() + ": queue pair weight " + a.weight
                    + " > maximum " + attributes.maxQueuePairWeight());
        }
        if (a.has(QpAttributes.TRAFFIC_CLASS) && a.trafficClass == TrafficClass.URGENT && !attributes.mayBeUrgent()) {
            throw new IllegalArgumentException(
                    "group " + attributes.name() + ": traffic class URGENT, allowed is BULK");
        }
        if (a.has(QpAttributes.RATE_LIMIT) && !a.rateLimit.isNone()) {
            groups.checkRates();
        }
    }

    /** Bytes that a message of a class may have. */
    int maxMessage(TrafficClass trafficClass) {
        return trafficClass == TrafficClass.BULK ? Integer.MAX_VALUE : flows.urgentLimit();
    }

    void addQueuePair() {
        queuePairs++;
    }

    void removeQueuePair() {
        queuePairs--;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("group " + attributes.name() + " is closed");
        }
    }

    @Override
    public String toString() {
        return "group " + name();
    }
}
