package io.verbena.nic.arbiter;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A group in one engine's arbiter: its place in the round of groups, and the round of its flows, port by port. */
final class GroupEntry extends Share {
    final FlowGroup group;
    final GroupAccount account;
    final WeightedRound<FlowQueue> queues = new WeightedRound<>();
    int flows; // that have work

    private final Map<@Nullable Port, FlowQueue> byPort = new HashMap<>();

    GroupEntry(FlowGroup group, EngineAccounts books) {
        this.group = group;
        this.account = new GroupAccount(books, group);
        this.weight = group.weight();
    }

    @Override
    long correction(long turn) {
        return account.correct(turn >> WeightedRound.FRACTION) << WeightedRound.FRACTION;
    }

    /** The queue of a port's flows, for one more; made if there is none. Control path. */
    FlowQueue attach(@Nullable Port port) {
        FlowQueue queue = byPort.get(port);
        if (queue == null) {
            queue = new FlowQueue(this, port);
            byPort.put(port, queue);
        }
        queue.attached++;
        return queue;
    }

    /** One flow less. Control path. */
    void detach(FlowQueue queue) {
        if (--queue.attached == 0) {
            byPort.remove(queue.port);
        }
    }

    /**
     * The queue whose turn it is; those whose port is full step aside.
     *
     * @return null if none can be served
     */
    @Nullable
    FlowQueue select(long lapBytes) {
        for (FlowQueue queue = queues.select(lapBytes); queue != null; queue = queues.select(lapBytes)) {
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
