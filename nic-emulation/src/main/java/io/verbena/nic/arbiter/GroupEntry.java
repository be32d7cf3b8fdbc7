package io.verbena.nic.arbiter;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A group in one engine's arbiter: its place in the round of groups, and its flows. Bulk flows stand in queues, an
 * output each; urgent ones stand before them.
 */
final class GroupEntry extends Share {
    final FlowGroup group;
    final GroupAccount account;
    final FlowStatistics statistics;
    final UrgentFlows urgent = new UrgentFlows(this);
    final WeightedRound<FlowQueue> queues = new WeightedRound<>();
    final OperationTokens operations;
    int flows; // that have work
    boolean began; // a turn, and nobody has looked at that yet
    boolean limited; // has a ceiling or a rate of operations
    long ceiling; // that the tokens are of; 0 for none
    long floor; // likewise
    long tokens; // charged units that its ceiling lets it send yet
    long floorTokens; // that its floor lets it send before others
    long floorAtNanos = Long.MIN_VALUE; // when its floor gives again
    long contended; // the arbiter's contended time when this was published

    private final Map<@Nullable OutputQueue, FlowQueue> byOutput = new HashMap<>();
    private final List<FlowQueue> attached = new ArrayList<>();
    private @Nullable FlowQueue
            left; // without flows: one whose flows come and go between it and the queue without an output

    GroupEntry(FlowGroup group, EngineAccounts books) {
        this.group = group;
        this.account = new GroupAccount(books, group);
        this.statistics = group.statistics().part(books.engine());
        this.operations = new OperationTokens(group.operations());
        this.weight = group.weight();
        this.limited = group.isLimited();
    }

    @Override
    void begin(long turn) {
        credit += turn + (account.correct(turn >> WeightedRound.FRACTION) << WeightedRound.FRACTION);
        began = true;
    }

    /**
     * The queue of an output's flows, for one more; made if there is none, and not where a flow goes back and forth.
     */
    FlowQueue attach(@Nullable OutputQueue output) {
        FlowQueue queue = byOutput.get(output);
        if (queue == null) {
            queue = new FlowQueue(this, output);
            byOutput.put(output, queue);
            attached.add(queue);
        }
        queue.attached++;
        return queue;
    }

    /** One flow less. The queue of the last output that was left stays, and the one without an output. */
    void detach(FlowQueue queue) {
        if (--queue.attached > 0 || queue.output == null) {
            return;
        }
        FlowQueue before = left;
        if (before != null && before != queue && before.attached == 0) {
            byOutput.remove(before.output);
            attached.remove(before);
        }
        left = queue;
    }

    /** Its flows with work whose output has room for who waits for its turn. */
    int inTurn() {
        int count = 0;
        for (int i = 0; i < attached.size(); i++) {
            FlowQueue queue = attached.get(i);
            OutputQueue output = queue.output;
            count += output != null && output.full ? 0 : queue.flows.members() + queue.urgent;
        }
        return count;
    }

    /**
     * Counts its flows among those that have work behind their outputs, or no longer.
     *
     * @param sign 1 or -1
     * @return how many of them are behind an output with room
     */
    int count(int sign) {
        int ready = 0;
        for (int i = 0; i < attached.size(); i++) {
            FlowQueue queue = attached.get(i);
            int bulk = queue.flows.members();
            OutputQueue output = queue.output;
            if (output == null) {
                ready += bulk + queue.urgent;
            } else {
                output.backlog += sign * bulk;
                output.urgentBacklog += sign * queue.urgent;
                ready += (output.full ? 0 : bulk) + (output.urgentFull ? 0 : queue.urgent);
            }
        }
        return ready;
    }

    /**
     * The queue whose turn it is; those whose output is full step aside.
     *
     * @param lapUnits for all of its flows together, if a lap begins
     * @return null if none can be served
     */
    @Nullable
    FlowQueue select(long lapUnits) {
        for (FlowQueue queue = queues.select(lapUnits); queue != null; queue = queues.select(lapUnits)) {
            OutputQueue output = queue.output;
            if (output == null || !output.full) {
                return queue;
            }
            queues.stall(queue);
            output.stalledQueues.addLast(queue);
        }
        return null;
    }
}
