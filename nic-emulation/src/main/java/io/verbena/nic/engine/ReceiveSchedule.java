package io.verbena.nic.engine;

import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.port.Link;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Whom an engine receives from next, where it has several links: groups in turn by their weights, and in each group the
 * links that bring it packets, a few packets each.
 *
 * <pre>
 *   links that may have ──┬─▶ lane of a group ──┐
 *   something             ├─▶ lane of a group ──┼── deficit round robin ──▶ poll
 *                         └─▶ lane of strangers ┘
 * </pre>
 *
 * <p>A packet is charged to the group of the queue pair that it is for, and its link stands in that group's lane from then
 * on: whom the next one is for shows when it has been read. What no queue pair takes is charged where its link stands; one
 * that has never brought a queue pair anything stands with the strangers, who have the weight 1 together. So neither a peer
 * with many links nor a link that is never empty takes more of the engine's time than its group's share, and what a visit
 * overshoots is owed in the next turns (Shreedhar and Varghese).
 *
 * <p>While no link has more than a visit takes, all are polled out of turn, and nothing is charged.
 *
 * <p>A turn visits each lane once, so it ends, whatever the number of links; the next one goes on where it has stopped.
 *
 * <p>Used under the baton, but for {@link #isWaiting}.
 */
final class ReceiveSchedule {
    /** Most packets that a link is polled for in a visit. */
    static final int VISIT = 32;

    /** What the lane of the greatest weight is granted in a turn, in bytes. */
    static final int QUANTUM = 128 * 1024;

    /** What a packet costs on top of its bytes: about the time in which a KiB is copied. */
    static final int PACKET_COST = 1024;

    /** A link, and where it stands. */
    static final class Source {
        final Link link;
        int number = -1; // under which it announces; -1: it is asked each turn
        private Lane lane;
        private boolean queued;

        private Source(Link link, Lane lane) {
            this.link = link;
            this.lane = lane;
        }
    }

    /** The links that bring packets to a group. */
    private static final class Lane {
        final ArrayDeque<Source> waiting = new ArrayDeque<>();

        @Nullable
        FlowGroup group; // null: strangers

        long credit;
        boolean inRound;

        int weight() {
            FlowGroup of = group;
            return of == null ? 1 : of.weight();
        }
    }

    private final Lane strangers = new Lane();
    private @Nullable Lane[] lanes = {}; // by the index of the group
    private final ArrayDeque<Lane> round = new ArrayDeque<>();
    private volatile boolean waiting;

    // The turn under way.
    private @Nullable Lane visited;
    private Lane charged = strangers;
    private int lanesLeft;
    private int greatestWeight;
    private boolean served;

    /** Takes a link in; it has nothing yet. */
    Source add(Link link) {
        return new Source(link, strangers);
    }

    /** A link may have something. */
    void offer(Source source) {
        if (source.queued) {
            return;
        }
        source.queued = true;
        Lane lane = source.lane;
        lane.waiting.addLast(source);
        if (!lane.inRound) {
            lane.inRound = true;
            round.addLast(lane);
        }
    }

    /** Begins a turn. */
    void begin() {
        lanesLeft = round.size();
        greatestWeight = 1;
        for (Lane lane : round) {
            greatestWeight = Math.max(greatestWeight, lane.weight());
        }
        served = false;
    }

    /** The next link to be polled, for {@link #VISIT} packets; {@link #received} follows. Null when the turn is over. */
    @Nullable
    Source next() {
        while (true) {
            Lane lane = visited;
            if (lane != null) {
                Source source = lane.credit > 0 ? lane.waiting.pollFirst() : null;
                if (source != null) {
                    source.queued = false;
                    charged = lane;
                    served = true;
                    return source;
                }
                leave(lane);
            }
            if (lanesLeft == 0) {
                if (served || round.isEmpty()) {
                    break;
                }
                lanesLeft = round.size(); // all owe: time passes for them alone
            }
            Lane next = round.removeFirst();
            lanesLeft--;
            next.credit += Math.max(1, (long) QUANTUM * next.weight() / greatestWeight);
            visited = next;
        }
        waiting(!round.isEmpty());
        return null;
    }

    private void waiting(boolean now) {
        if (now != waiting) {
            waiting = now;
        }
    }

    /** A link that was polled out of turn, while none waited, has more: it waits for its turn from now on. */
    void defer(Source source) {
        offer(source);
        waiting(true);
    }

    private void leave(Lane lane) {
        visited = null;
        if (lane.waiting.isEmpty()) {
            lane.inRound = false;
            lane.credit = Math.min(lane.credit, 0); // what it owes stays owed, what was left over is not kept
        } else {
            round.addLast(lane);
        }
    }

    /**
     * A packet has come from the link that {@link #next} gave.
     *
     * @param group of the queue pair that takes it; null if none does
     */
    void charge(@Nullable FlowGroup group, int bytes) {
        Lane lane = charged;
        if (group != null && lane.group != group) {
            lane = lane(group);
            charged = lane;
        }
        lane.credit -= PACKET_COST + bytes;
    }

    private Lane lane(FlowGroup group) {
        int index = group.index();
        if (index >= lanes.length) {
            lanes = Arrays.copyOf(lanes, Math.max(index + 1, lanes.length * 2));
        }
        Lane lane = lanes[index];
        if (lane == null) {
            lane = new Lane();
            lanes[index] = lane;
        }
        lane.group = group; // a number is given anew when its group was destroyed
        return lane;
    }

    /** The link that {@link #next} gave was polled; whether it may have more. */
    void received(Source source, boolean more) {
        source.lane = charged;
        if (more) {
            offer(source);
        }
    }

    /** Whether links that may have something have not been polled in the last turn. Any thread. */
    boolean isWaiting() {
        return waiting;
    }

    /** No link has anything any more. */
    void clear() {
        Lane now = visited;
        if (now != null) {
            now.waiting.clear();
            leave(now);
        }
        for (Lane lane = round.pollFirst(); lane != null; lane = round.pollFirst()) {
            lane.waiting.clear();
            lane.inRound = false;
        }
        waiting = false;
    }
}
