package io.verbena.nic.arbiter;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Ceilings, floors and rates of operations of groups on one engine, and rates of its flows. A group's tokens are
 * taken from {@link GroupLedger} in lots, since they are for all engines together; a flow's are its own
 * ({@link FlowLimit}). A group above its ceiling or a flow above its rate is parked in the one {@link TimingWheel}, its
 * work neither seen nor forgotten, until its tokens come.
 */
final class GroupRates {
    private final TimingWheel parked;
    private final List<GroupEntry> floored = new ArrayList<>();
    private final NanoClock clock;

    GroupRates(NanoClock clock) {
        this.clock = clock;
        this.parked = new TimingWheel(clock.nanoTime());
    }

    /** A group is new, or has changed; rates that are as they were keep what was taken of them. */
    void changed(GroupEntry entry) {
        long ceiling = entry.group.ceilingBytesPerSecond();
        long floor = entry.group.floorBytesPerSecond();
        entry.limited = entry.group.isLimited();
        if (ceiling != entry.ceiling) {
            entry.ceiling = ceiling;
            entry.tokens = Math.min(entry.tokens, 0);
        }
        if (floor != entry.floor) {
            entry.floor = floor;
            entry.floorTokens = 0;
        }
        entry.floorAtNanos = Long.MIN_VALUE; // asks anew: it may have asked while it had none
        floored.remove(entry);
        if (entry.group.floorBytesPerSecond() > 0) {
            floored.add(entry);
        }
        if (entry.parked) {
            parkUntil(entry, clock.nanoTime()); // asks anew
        }
    }

    /** A group is gone for good. */
    void forget(GroupEntry entry) {
        floored.remove(entry);
    }

    boolean hasFloors() {
        return !floored.isEmpty();
    }

    /** A group with a floor. */
    GroupEntry floored(int index) {
        return floored.get(index);
    }

    /**
     * The first group, from one on, to serve before all others, because it has not had its floor; -1 if there is none
     * with work.
     */
    int belowFloor(int from) {
        for (int i = from; i < floored.size(); i++) {
            GroupEntry entry = floored.get(i);
            if (entry.flows > 0 && !entry.parked) {
                if (entry.floorTokens <= 0) {
                    takeFloor(entry);
                }
                if (entry.floorTokens > 0) {
                    return i;
                }
            }
        }
        return -1;
    }

    private void takeFloor(GroupEntry entry) {
        long now = clock.nanoTime();
        if (now < entry.floorAtNanos) {
            return;
        }
        GroupLedger ledger = entry.group.ledger();
        entry.floorTokens += ledger.takeFloor(ledger.lot() - entry.floorTokens, now);
        entry.floorAtNanos = entry.floorTokens > 0 ? Long.MIN_VALUE : ledger.floorAtNanos();
    }

    /** Whether a group's ceiling and rate let it send now. */
    boolean admits(GroupEntry entry) {
        if (!entry.limited) {
            return true;
        }
        if (entry.ceiling != 0 && entry.tokens <= 0) { // what was too much is waited for after the next lot
            GroupLedger ledger = entry.group.ledger();
            entry.tokens += ledger.takeTokens(ledger.lot() - entry.tokens, clock.nanoTime());
        }
        return (entry.ceiling == 0 || entry.tokens > 0) && entry.operations.admits(clock);
    }

    /** Whether a group that is alone has no ceiling, and its rate of operations lets it send now. */
    boolean admitsAlone(GroupEntry entry) {
        return entry.ceiling == 0 && entry.operations.admits(clock);
    }

    /** Parks a group that was not admitted; it is in no list. */
    void park(GroupEntry entry) {
        long now = clock.nanoTime(); // the ledger's time is before all others if another ceiling was set meanwhile
        boolean isAboveCeiling = entry.ceiling != 0 && entry.tokens <= 0;
        long at = isAboveCeiling ? Math.max(entry.group.ledger().tokensAtNanos(), now) : now;
        if (!isAboveCeiling && entry.operations.isSpent()) {
            entry.account.held();
            at = Math.max(at, entry.operations.admitsAt(now));
        }
        parkUntil(entry, at);
    }

    /** A flow is new, or its rate has changed: one that is parked asks anew. */
    void changed(Flow flow) {
        RateLimit configured = flow.rateLimit();
        FlowLimit limit = flow.limit;
        if (limit == null && configured.isNone()) {
            return;
        }
        if (limit == null) {
            limit = new FlowLimit();
        }
        limit.set(configured, clock.nanoTime());
        flow.limit = configured.isNone() ? null : limit;
        flow.onePacket = flow.limit != null && limit.countsOperations();
        if (flow.parked) {
            parkUntil(flow, clock.nanoTime());
        }
    }

    /** Whether a flow's rate lets it send now. */
    boolean admits(Flow flow) {
        FlowLimit limit = flow.limit;
        return limit == null || limit.admits(clock.nanoTime());
    }

    /** Parks a flow that was not admitted; it is in no list. */
    void park(Flow flow) {
        FlowLimit limit = flow.limit;
        long now = clock.nanoTime();
        parkUntil(flow, limit == null ? now : limit.admitsAt(now));
    }

    /**
     * What a flow may send in the visit that it is granted: this many bytes, or what its rate leaves of them, or its
     * group's operations; one packet where few operations are left, or its own are limited.
     */
    int budget(Flow flow, int budget) {
        FlowLimit limit = flow.limit;
        OperationTokens operations = flow.queue().entry.operations;
        if (limit == null && operations.isPlenty(budget)) { // as mostly, and quicker than a division
            flow.onePacket = false;
            return budget;
        }
        long mean = flow.statistics.bytes() / Math.max(1, flow.statistics.messages());
        flow.onePacket = (limit != null && limit.countsOperations()) || operations.isFew(mean);
        int most = operations.budget(budget, mean);
        return limit == null ? most : limit.budget(most, clock.nanoTime());
    }

    /** A flow has sent. */
    void charge(FlowLimit limit, int bytes, int operations) {
        limit.charge(bytes, operations, clock.nanoTime());
    }

    private void parkUntil(Share share, long nanos) {
        unpark(share);
        share.wakeNanos = nanos;
        parked.add(share);
    }

    /** Who is parked is so no more; does nothing for others. */
    void unpark(Share share) {
        if (share.parked) {
            parked.remove(share);
        }
    }

    long deadline() {
        return parked.deadline();
    }

    /** Takes a group or flow out whose time has come; null if there is none. */
    @Nullable
    Share expired(long now) {
        return parked.expired(now);
    }

    /** How often anybody was moved while parked. */
    long moves() {
        return parked.moves();
    }
}
