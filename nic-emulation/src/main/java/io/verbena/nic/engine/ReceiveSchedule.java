package io.verbena.nic.engine;

import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.port.Link;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whom an engine receives from next, where it has several links: groups in turn by their weights, in each group the
 * peers that bring it packets, and of each of these its links, a few packets each.
 *
 * <pre>
 *   links that may have ──▶ peers that may have ──▶ lane of a group ───┐
 *   something               something           ──▶ lane of a group ───┼── deficit round robin ──▶ poll
 *                                               ──▶ lane of strangers ─┘
 * </pre>
 *
 * <p>A packet is charged to the group of the queue pair that it is for, and its link stands in that group's lane from
 * then on: whom the next one is for shows when it has been read. What no queue pair takes is charged where its link
 * stands; one that has never brought a queue pair anything stands with the strangers, who have the weight 1 together.
 * So neither a peer with many links nor a link that is never empty takes more of the engine's time than its group's
 * share, nor in its group more than its peer's; and what a visit overshoots is owed in the next turns (Shreedhar and
 * Varghese). {@link Link#peerKey} says whose a link is.
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

    /** What a peer, and a link, is granted when its turn comes: no more than a visit that is not cut short costs. */
    static final int GRANT = VISIT * PACKET_COST;

    /** One that takes turns with others of its kind. */
    private abstract static class Taker {
        long credit; // granted, less what was taken
        boolean inRound;
    }

    /** Takers that may have something, in turn: who owes is passed over until its grants have paid for what it took. */
    private static final class Round<T extends Taker> {
        private final ArrayDeque<T> takers = new ArrayDeque<>();

        void join(T taker) {
            if (!taker.inRound) {
                taker.inRound = true;
                taker.credit =
                        Math.min(taker.credit, 0) + GRANT; // what it owes stays owed, what was left over is not kept
                takers.addLast(taker);
            }
        }

        /** Whose turn it is; null if there is none. */
        @Nullable
        T next() {
            T first = takers.peekFirst();
            while (first != null && first.credit <= 0) {
                first.credit += GRANT;
                takers.addLast(takers.removeFirst());
                first = takers.peekFirst();
            }
            return first;
        }

        /** Whom {@link #next} gave is gone. */
        void leave() {
            takers.removeFirst().inRound = false;
        }

        boolean isEmpty() {
            return takers.isEmpty();
        }
    }

    /** A link, and where it stands. */
    static final class Source extends Taker {
        final Link link;
        int number = -1; // under which it announces; -1: it is asked each turn
        private final Peer peer;
        private PeerLane lane;

        private Source(Link link, Peer peer, PeerLane lane) {
            this.link = link;
            this.peer = peer;
            this.lane = lane;
        }
    }

    /** Whose links are one. */
    private static final class Peer {
        int links;
        private @Nullable PeerLane[] lanes = {}; // by the index of the lane

        PeerLane in(Lane lane) {
            if (lane.index >= lanes.length) {
                lanes = Arrays.copyOf(lanes, Math.max(lane.index + 1, lanes.length * 2));
            }
            PeerLane in = lanes[lane.index];
            if (in == null) {
                in = new PeerLane(lane);
                lanes[lane.index] = in;
            }
            return in;
        }
    }

    /** The links of a peer that bring packets to a group. */
    private static final class PeerLane extends Taker {
        final Lane lane;
        final Round<Source> links = new Round<>();

        PeerLane(Lane lane) {
            this.lane = lane;
        }
    }

    /** The peers that bring packets to a group. */
    private static final class Lane extends Taker {
        final int index;
        final Round<PeerLane> peers = new Round<>();

        @Nullable
        FlowGroup group; // null: strangers

        Lane(int index) {
            this.index = index;
        }

        int weight() {
            FlowGroup of = group;
            return of == null ? 1 : of.weight();
        }

        /** The link whose turn it is, which leaves. */
        @Nullable
        Source poll() {
            PeerLane peer = peers.next();
            if (peer == null) {
                return null;
            }
            Source source = peer.links.next();
            peer.links.leave();
            if (peer.links.isEmpty()) {
                peers.leave();
            }
            return source;
        }
    }

    private final Map<Object, Peer> peers = new HashMap<>();
    private @Nullable Lane[] lanes = {}; // strangers, and by the index of the group, from 1
    private final ArrayDeque<Lane> round = new ArrayDeque<>();
    private volatile boolean waiting;

    // The turn under way.
    private @Nullable Lane visited;
    private @Nullable Source polled;
    private @Nullable FlowGroup paying; // in whose lane it stands
    private long taken; // and not charged yet
    private int lanesLeft;
    private int greatestWeight;
    private boolean served;

    /** Takes a link in; it has nothing yet. */
    Source add(Link link) {
        Peer peer = peers.computeIfAbsent(link.peerKey(), any -> new Peer());
        peer.links++;
        return new Source(link, peer, peer.in(lane(null)));
    }

    /** Forgets a link that {@link #next} gave. */
    void remove(Source source) {
        settle();
        polled = null;
        if (--source.peer.links == 0) {
            peers.remove(source.link.peerKey(), source.peer);
        }
    }

    /** A link may have something. */
    void offer(Source source) {
        PeerLane peer = source.lane;
        Lane lane = peer.lane;
        peer.links.join(source);
        lane.peers.join(peer);
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

    /**
     * The next link to be polled, for {@link #VISIT} packets; {@link #received} follows. Null when the turn is over.
     */
    @Nullable
    Source next() {
        settle();
        while (true) {
            Lane lane = visited;
            if (lane != null) {
                Source source = lane.credit > 0 ? lane.poll() : null;
                if (source != null) {
                    polled = source;
                    paying = source.lane.lane.group;
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
        if (lane.peers.isEmpty()) {
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
        if (group != null && group != paying) {
            move(group);
        }
        taken += PACKET_COST + bytes;
    }

    /** The link that is polled stands in another lane from now on. */
    private void move(FlowGroup group) {
        settle();
        Source source = polled;
        if (source != null) {
            source.lane = source.peer.in(lane(group));
        }
        paying = group;
    }

    /** Charges what was taken. */
    private void settle() {
        Source source = polled;
        if (source != null && taken > 0) {
            PeerLane peer = source.lane;
            source.credit -= taken;
            peer.credit -= taken;
            peer.lane.credit -= taken;
        }
        taken = 0;
    }

    private Lane lane(@Nullable FlowGroup group) {
        int index = group == null ? 0 : group.index() + 1;
        if (index >= lanes.length) {
            lanes = Arrays.copyOf(lanes, Math.max(index + 1, lanes.length * 2));
        }
        Lane lane = lanes[index];
        if (lane == null) {
            lane = new Lane(index);
            lanes[index] = lane;
        }
        lane.group = group; // a number is given anew when its group was destroyed
        return lane;
    }

    /** The link that {@link #next} gave was polled; whether it may have more. */
    void received(Source source, boolean more) {
        settle();
        if (more) {
            offer(source);
        }
    }

    /** Whether links that may have something have not been polled in the last turn. Any thread. */
    boolean isWaiting() {
        return waiting;
    }

    /** There are no links any more. */
    void clear() {
        peers.clear();
        lanes = new Lane[0];
        round.clear();
        visited = null;
        polled = null;
        lanesLeft = 0;
        waiting = false;
    }
}
