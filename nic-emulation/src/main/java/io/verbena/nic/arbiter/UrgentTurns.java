package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * The groups whose urgent flows are served before all bulk, in turn, a visit each.
 *
 * <p>Urgent service is an advance: it is taken from the group's own credit in the round of groups, and may put it so
 * far below zero and no further. A group that is beyond that has its urgent flows served first in its own turn, and
 * early again when its turns have paid. Its share is therefore what its weight says, urgent or not, and who marks
 * everything urgent delays others by the advance at most.
 */
final class UrgentTurns {
    private final ShareList<UrgentFlows> turns = new ShareList<>();
    private final int engine;
    private final long advance; // fractions
    private final long lapUnits;

    UrgentTurns(int engine, long advance, long lapUnits) {
        this.engine = engine;
        this.advance = advance << WeightedRound.FRACTION;
        this.lapUnits = lapUnits;
    }

    boolean isEmpty() {
        return turns.isEmpty();
    }

    /** What a group's urgent flows may still be served early, in fractions of a unit. */
    long left(GroupEntry entry) {
        return entry.credit + advance;
    }

    /** A group's urgent flows have work, or its credit has grown: they take part if they may. */
    void offer(GroupEntry entry) {
        UrgentFlows urgent = entry.urgent;
        if (urgent.list == null && !entry.parked && urgent.flows.hasReady() && left(entry) > 0) {
            turns.addLast(urgent);
        }
    }

    void withdraw(GroupEntry entry) {
        if (entry.urgent.list == turns) {
            turns.remove(entry.urgent);
        }
    }

    /**
     * The flow to serve early.
     *
     * @param contended whether another group has work, so that an advance is to be paid
     * @return null if there is none that may be
     */
    @Nullable
    Flow select(boolean contended) {
        for (UrgentFlows urgent = turns.first(); urgent != null; urgent = turns.first()) {
            if (contended && left(urgent.entry) <= 0) {
                turns.remove(urgent);
                urgent.entry.group.statistics().demote(engine, 1);
                continue;
            }
            Flow flow = urgent.select(lapUnits);
            if (flow != null) {
                return flow;
            }
            turns.remove(urgent);
        }
        return null;
    }

    /** The urgent flow to serve in its group's own turn; null if all are behind full outputs. */
    @Nullable
    Flow select(GroupEntry entry) {
        return entry.urgent.select(lapUnits);
    }

    /** A group's urgent flow was served: the next group follows. */
    void served(GroupEntry entry) {
        if (entry.urgent.list == turns && turns.first() == entry.urgent) {
            turns.rotate();
        }
    }
}
