package io.verbena.nic.arbiter;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A group in one engine's arbiter: its place in the round of groups, and its flows. Bulk flows stand in queues, a port each;
 * urgent ones stand before them.
 */
final class GroupEntry extends Share {
    final FlowGroup group;
    final GroupAccount account;
    final FlowStatistics statistics;
    final UrgentFlows urgent = new UrgentFlows(this);
    final WeightedRound<FlowQueue> queues = new WeightedRound<>();
    int flows; // that have work
    boolean began; // a turn, and nobody has looked at that yet
    boolean limited; // has a ceiling
    boolean parked; // above its ceiling: until then
    long ceiling; // that the tokens are of
    long floor; // likewise
    long tokens; // charged units that its ceiling lets it send yet
    long floorTokens; // that its floor lets it send before others
    long wakeNanos; // end of parking
    long floorAtNanos = Long.MIN_VALUE; // when its floor gives again
    long contested; // the arbiter's contested time when this was published

    private final Map<@Nullable Port, FlowQueue> byPort = new HashMap<>();
    private final List<FlowQueue> attached = new ArrayList<>();
    private @Nullable FlowQueue
            left; // without flows: one whose flows come and go between it and the queue without a port

    GroupEntry(FlowGroup group, EngineAccounts books) {
        this.group = group;
        this.account = new GroupAccount(books, group);
        this.statistics = group.statistics().part(books.engine());
        this.weight = group.weight();
        this.limited = group.isLimited();
    }

    @Override
    void begin(long turn) {
        credit += turn + (account.correct(turn >> WeightedRound.FRACTION) << WeightedRound.FRACTION);
        began = true;
    }

    /** The queue of a port's flows, for one more; made if there is none, and not where a flow goes back and forth. */
    FlowQueue attach(@Nullable Port port) {
        FlowQueue queue = byPort.get(port);
        if (queue == null) {
            queue = new FlowQueue(this, port);
            byPort.put(port, queue);
            attached.add(queue);
        }
        queue.attached++;
        return queue;
    }

    /** One flow less. The queue of the last port that was left stays, and the one without a port. */
    void detach(FlowQueue queue) {
        if (--queue.attached > 0 || queue.port == null) {
            return;
        }
        FlowQueue before = left;
        if (before != null && before != queue && before.attached == 0) {
            byPort.remove(before.port);
            attached.remove(before);
        }
        left = queue;
    }

    /** Its flows with work whose port has room for who waits for its turn. */
    int inTurn() {
        int count = 0;
        for (int i = 0; i < attached.size(); i++) {
            FlowQueue queue = attached.get(i);
            Port port = queue.port;
            count += port != null && port.full ? 0 : queue.flows.members() + queue.urgent;
        }
        return count;
    }

    /**
     * Counts its flows among those that have work behind their ports, or no longer.
     *
     * @param sign 1 or -1
     * @return how many of them are behind a port with room
     */
    int count(int sign) {
        int ready = 0;
        for (int i = 0; i < attached.size(); i++) {
            FlowQueue queue = attached.get(i);
            int bulk = queue.flows.members();
            Port port = queue.port;
            if (port == null) {
                ready += bulk + queue.urgent;
            } else {
                port.backlog += sign * bulk;
                port.urgentBacklog += sign * queue.urgent;
                ready += (port.full ? 0 : bulk) + (port.urgentFull ? 0 : queue.urgent);
            }
        }
        return ready;
    }

    /**
     * The queue whose turn it is; those whose port is full step aside.
     *
     * @param lapUnits for all of its flows together, if a lap begins
     * @return null if none can be served
     */
    @Nullable
    FlowQueue select(long lapUnits) {
        for (FlowQueue queue = queues.select(lapUnits); queue != null; queue = queues.select(lapUnits)) {
            Port port = queue.port;
            if (port == null || !port.full) {
                return queue;
            }
            queues.stall(queue);
            port.stalledQueues.addLast(queue);
        }
        return null;
    }
}
