package io.verbena.nic.engine;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.port.Link;
import io.verbena.nic.transport.MappedQueue;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where queue pairs wait that have something to send and found no room: behind a full link until the next turn, behind
 * what a peer takes in its memory until it is looked at again, on a path without a link until there is one. Used under
 * the baton.
 */
final class RoomWaiters {
    /** How soon a mapped queue is looked at again that had no room, in nanoseconds. */
    private static final long LOOK_NANOS = 10_000;

    private final Arbiter arbiter;
    private final TransportServices services;
    private final List<Path> full = new ArrayList<>(); // links without room, until the next turn
    private final List<Path> bulkFull = new ArrayList<>(); // links whose room is left to urgent packets, likewise
    private final List<OutputQueue> refusing = new ArrayList<>(); // append queues of mapped peers without room
    private final List<Path> blocked = new ArrayList<>();

    RoomWaiters(Arbiter arbiter, TransportServices services) {
        this.arbiter = arbiter;
        this.services = services;
    }

    /** A turn begins: what was full in the last one may be tried again, and what was to be looked at by now. */
    void reopen() {
        for (int i = full.size() - 1; i >= 0; i--) {
            arbiter.room(full.remove(i).output());
        }
        for (int i = bulkFull.size() - 1; i >= 0; i--) {
            arbiter.room(bulkFull.remove(i).output());
        }
        for (int i = refusing.size() - 1; i >= 0; i--) {
            if (services.now() >= refusing.get(i).reopensAt()) {
                arbiter.room(refusing.remove(i));
            }
        }
        for (int i = blocked.size() - 1; i >= 0; i--) {
            unblock(blocked.remove(i));
        }
    }

    /** Whether a path has room for who waits on it, and has not been looked at. */
    boolean hasBlocked() {
        return !blocked.isEmpty();
    }

    /** Whether no link was found full in this turn, and nobody waits on a path that is up. */
    boolean nobodyAtLinks() {
        return full.isEmpty() && bulkFull.isEmpty() && blocked.isEmpty();
    }

    /** A link has room for urgent packets, and none for this bulk. */
    void fullForBulk(QpContext qp, Path path) {
        if (waitForLink(qp, path)) {
            bulkFull.add(path);
            qp.requester().awaitsRoom();
        }
    }

    /** Whether a link has room again that was full in this turn: has sent all, or enough of bulk. After the flush. */
    boolean hasRoom(VisitWindow window) {
        for (int i = 0; i < bulkFull.size(); i++) {
            if (window.hasRoom(bulkFull.get(i))) {
                return true;
            }
        }
        return haveSentAll(full) || haveSentAll(blocked);
    }

    /** Whether a link has sent all; one that is a ring does not say, and those behind it have another turn anyway. */
    private static boolean haveSentAll(List<Path> paths) {
        for (int i = 0; i < paths.size(); i++) {
            Link link = paths.get(i).link();
            if (link == null || (link.isFlushCostly() && link.unsent() == 0)) {
                return true;
            }
        }
        return false;
    }

    /** A queue pair of an output is removed. */
    void leave(@Nullable OutputQueue output) {
        if (output != null && refusing.remove(output)) {
            arbiter.room(output); // it may be the one whose timer was to ask again
        }
    }

    /** Nothing is sent any more. */
    void clear() {
        full.clear();
        bulkFull.clear();
        refusing.clear();
        blocked.clear();
    }

    /** Who takes from mapped memory does not say so: any turn may find room, and one is had soon. */
    void look(QpContext qp, OutputQueue output) {
        wait(qp, output, services.now());
        services.arm(qp, services.now() + LOOK_NANOS);
    }

    /** A queue of the peer's has refused a message. */
    void refused(QpContext qp) {
        MappedQueue queue = qp.nextQueue();
        if (queue == null) {
            arbiter.blocked(qp);
            return;
        }
        queue.refused();
        wait(qp, queue.output(), qp.deadline());
    }

    /**
     * A queue of the peer's has no room, or all that its engine takes: whoever sends there waits its turn, so that what
     * room there comes to be is shared by weight and is not whose who asks first. Nobody says when there is room: it is
     * looked at again.
     */
    private void wait(QpContext qp, OutputQueue output, long until) {
        arbiter.attach(qp, output);
        if (!refusing.contains(output)) {
            refusing.add(output);
        }
        output.reopensAt(until);
        arbiter.full(qp);
    }

    /** A queue pair's link has no room, or there is no link. */
    void block(QpContext qp) {
        Path path = qp.sendPath();
        if (path != null && path == qp.path() && path.isUp()) {
            if (qp.output() != path.output()) {
                arbiter.attach(
                        qp, path.output()); // its packets wait as all do; what is executed on mapped memory goes on
            }
            if (waitForLink(qp, path) || bulkFull.remove(path)) {
                full.add(path);
            }
            return;
        }
        arbiter.blocked(qp);
        if (path != null && qp.blockedOn == null) {
            // Where there is no link it is the next one that has room: until then nobody asks, and nobody else pays.
            if (path.isUp() && !path.hasBlocked()) {
                blocked.add(path);
            }
            path.block(qp);
        }
    }

    /** Returns whether that was not known in this turn. */
    private boolean waitForLink(QpContext qp, Path path) {
        OutputQueue output = path.output();
        boolean known = output.isFull();
        arbiter.full(qp);
        if (known) {
            return false;
        }
        if (path.noRoom(services.now())) {
            for (int i = 0; i < path.queuePairs().size(); i++) {
                QpContext waiting = path.queuePairs().get(i);
                if (waiting.output() == output) {
                    waiting.requester().awaitsRoom(); // not only whose turn it is: all give up in time
                }
            }
        }
        return true;
    }

    /** There may be room for who waits on a path. */
    void unblock(Path path) {
        for (QpContext qp = path.unblockOne(); qp != null; qp = path.unblockOne()) {
            arbiter.active(qp);
        }
    }
}
