package io.verbena.nic.arbiter;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Ceilings and floors of groups on one engine: tokens that are taken from {@link GroupLedger} in lots, since they are
 * for all engines together. A group above its ceiling is parked, its work neither seen nor forgotten, until its tokens
 * come.
 */
final class GroupRates {
    private final ShareList<GroupEntry> parked = new ShareList<>();
    private final List<GroupEntry> floored = new ArrayList<>();
    private final NanoClock clock;
    private long deadline = Long.MAX_VALUE; // the first end of parking

    GroupRates(NanoClock clock) {
        this.clock = clock;
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
            entry.wakeNanos = clock.nanoTime(); // asks anew
            deadline = Math.min(deadline, entry.wakeNanos);
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

    /** Whether a group's ceiling lets it send now. */
    boolean admits(GroupEntry entry) {
        if (!entry.limited) {
            return true;
        }
        GroupLedger ledger = entry.group.ledger();
        if (entry.tokens <= 0) { // what was too much is waited for after the next lot
            entry.tokens += ledger.takeTokens(ledger.lot() - entry.tokens, clock.nanoTime());
        }
        return entry.tokens > 0;
    }

    /** Parks a group that was not admitted; it is in no list. */
    void park(GroupEntry entry) {
        entry.parked = true;
        entry.wakeNanos = entry.group.ledger().tokensAtNanos();
        deadline = Math.min(deadline, entry.wakeNanos);
        parked.addLast(entry);
    }

    long deadline() {
        return parked.isEmpty() ? Long.MAX_VALUE : deadline;
    }

    /** Takes a group out whose time has come; null if there is none. */
    @Nullable
    GroupEntry expired(long now) {
        if (now < deadline) {
            return null;
        }
        long first = Long.MAX_VALUE;
        for (GroupEntry entry = parked.first(); entry != null; entry = (GroupEntry) entry.next) {
            if (entry.wakeNanos <= now) {
                parked.remove(entry);
                entry.parked = false;
                return entry;
            }
            first = Math.min(first, entry.wakeNanos);
        }
        deadline = first;
        return null;
    }
}
