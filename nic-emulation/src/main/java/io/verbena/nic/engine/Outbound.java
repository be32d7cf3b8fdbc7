package io.verbena.nic.engine;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.baseline.SoftwareChunking;
import io.verbena.nic.poll.RunDelay;
import io.verbena.nic.transport.InlineData;
import io.verbena.nic.transport.MappedQueue;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * What leaves an engine: requests and answers of the queue pairs that the arbiter chooses, and acknowledgements. Used
 * under the baton.
 */
final class Outbound implements AutoCloseable {
    private static final int VISITS_PER_TURN = 64;

    /** Bytes after which a turn ends: what arrives is looked at in between, and others get the baton. */
    private static final int BYTES_PER_TURN = 1024 * 1024;

    /**
     * Bytes of a turn after which all doorbells are heard: who has work anew takes part soon, while long messages are
     * copied.
     */
    private static final int BYTES_UNHEARD = 64 * 1024;

    /** In place of bytes: a visit found that its output has no room for bulk. */
    private static final int NO_ROOM = -1;

    private final Arbiter arbiter;
    private final Doorbells doorbells;
    private final @Nullable SoftwareChunking chunking; // the arbiter, if that waits for acknowledgements
    private final TransportServices services;
    private final boolean timed;
    private final RunDelay runDelay = new RunDelay();
    private final VisitTimer timer;
    private final RoomWaiters waiters;
    private final Acknowledgements acknowledgements;
    private @Nullable QpContext newcomer; // has work, and the arbiter has not been told: it may stay the only one
    private @Nullable QpContext visited; // now
    private final VisitWindow window;
    private boolean again; // it was given something to send in its visit

    /**
     * Creates it, with nothing to send.
     *
     * @param doorbells whose urgent ones are heard between visits
     * @param services told of the paths that something was sent on
     * @param clock times visits
     * @param timed whether the arbiter charges a visit's time
     */
    Outbound(Arbiter arbiter, Doorbells doorbells, TransportServices services, NanoClock clock, boolean timed) {
        this.arbiter = arbiter;
        this.doorbells = doorbells;
        this.chunking = arbiter instanceof SoftwareChunking waits ? waits : null;
        this.services = services;
        this.acknowledgements = new Acknowledgements(services);
        this.window = new VisitWindow(services);
        this.waiters = new RoomWaiters(arbiter, services);
        this.timed = timed;
        this.timer = new VisitTimer(clock, runDelay::sum);
    }

    /**
     * Visits queue pairs as the arbiter says, a bounded number, until a bounded number of bytes is sent.
     *
     * @return visits that found something to do
     */
    int send() {
        waiters.reopen();
        int most = Math.min(BYTES_PER_TURN, arbiter.turnBytes());
        int visits = 0;
        int bytes = 0;
        int unheard = 0;
        for (; visits < VISITS_PER_TURN && bytes < most; visits++) {
            if (unheard >= BYTES_UNHEARD) {
                unheard = 0;
                hear();
            } else if (doorbells.hasUrgent()) {
                hearUrgent();
            }
            QpContext qp = next();
            if (qp == null) {
                break;
            }
            int sent = visit(qp);
            if (sent > 0) {
                bytes += sent;
                unheard += sent;
            }
            if (sent == NO_ROOM || (qp.outcome() == QpContext.BLOCKED && sent == 0)) {
                visits--; // found no room: no work was done (the loop ends, for a blocked flow is not active)
                if (!isScheduled()) {
                    break;
                }
            }
        }
        return Math.max(visits, 0);
    }

    /** The queue pair to visit next: the newcomer if nobody else has work, else the arbiter's choice. */
    private @Nullable QpContext next() {
        QpContext qp = newcomer;
        if (qp != null) {
            newcomer = null;
            if (arbiter.nextAlone(qp)) {
                return qp;
            }
            arbiter.active(qp);
        }
        return (QpContext) arbiter.next();
    }

    private boolean isScheduled() {
        return newcomer != null || arbiter.hasActive();
    }

    /**
     * A queue pair has something to send, in the turn of whoever posted it: at once if it is the only one, else as the
     * arbiter says.
     */
    void send(QpContext qp) {
        schedule(qp);
        if (newcomer == qp && waiters.nobodyAtLinks() && arbiter.nextAlone(qp)) {
            newcomer = null;
            visit(qp);
            if (!isScheduled()) {
                return;
            }
        }
        send();
    }

    /**
     * Lets a queue pair execute a request as it is posted, if nothing else has anything to send.
     *
     * @return whether it was done
     */
    boolean executeNow(QpContext qp, int slot, InlineData data, int longest) {
        if (!qp.attached
                || newcomer != null
                || qp.blockedOn != null
                || !acknowledgements.isEmpty()
                || waiters.hasBlocked()) {
            return false;
        }
        Path path = qp.path();
        window.begin();
        if (path != null && path.contention().isContended(qp.group(), services) && !mayAppend(qp, path, slot)) {
            return false;
        }
        if (!arbiter.nextAlone(qp)) {
            return false;
        }
        visited = qp;
        again = false;
        if (timed) {
            timer.begin();
        }
        int sent;
        try {
            sent = qp.executeNow(slot, data, longest);
        } catch (RuntimeException | Error e) {
            services.broken(qp, e);
            sent = NO_ROOM; // not done: it is posted, and flushed
        }
        if (sent >= 0) {
            arbiter.charge(qp, sent, 1, timed ? timer.end() : 0);
            window.sent(qp, sent);
        }
        visited = null;
        if (again) {
            arbiter.active(qp);
        } else {
            arbiter.idle(qp);
        }
        return sent >= 0;
    }

    private int transmitted(QpContext qp, int budget) {
        try {
            return qp.transmit(budget);
        } catch (RuntimeException | Error e) {
            services.broken(qp, e);
            return 0;
        }
    }

    private boolean mayAppend(QpContext qp, Path path, int slot) {
        MappedQueue queue = qp.queue(path, slot);
        return queue == null || window.inQueue(path, queue, qp.group()) > 0;
    }

    private void hear() {
        QpContext qp = doorbells.hear();
        for (int i = 1; qp != null; i++) {
            schedule(qp);
            qp = i < VISITS_PER_TURN ? doorbells.hear() : null; // more can be rung meanwhile
        }
    }

    private void hearUrgent() {
        for (QpContext qp = doorbells.hearUrgent(); qp != null; qp = doorbells.hearUrgent()) {
            schedule(qp);
        }
    }

    /** Lets a queue pair send what it is granted. Returns the bytes charged, or {@link #NO_ROOM}. */
    private int visit(QpContext qp) {
        int budget = qp.budget();
        Path path = qp.path();
        window.begin();
        if (path != null && !qp.isUrgent() && qp.hasWork()) { // one that has failed has none, and leaves
            budget = Math.min(budget, roomFor(qp, path));
            if (budget <= 0) {
                return NO_ROOM;
            }
        }
        visited = qp;
        again = false;
        if (timed) {
            timer.begin();
        }
        int sent = transmitted(qp, budget);
        arbiter.charge(qp, sent, qp.operations(), timed ? timer.end() : 0);
        window.sent(qp, sent);
        visited = null;
        weigh(qp);
        if (qp.outcome() == QpContext.MORE) {
            standAnew(qp);
        }
        settle(qp);
        return sent;
    }

    private int roomFor(QpContext qp, Path path) {
        boolean contended = path.contention().isContended(qp.group(), services);
        if (!contended && path.output().bulkWindow() == Integer.MAX_VALUE) {
            return Integer.MAX_VALUE;
        }
        try {
            MappedQueue queue = qp.nextQueue();
            if (queue != null) {
                return contended ? mappedRoom(qp, path, queue) : Integer.MAX_VALUE;
            }
            return qp.isNextDirect() ? Integer.MAX_VALUE : linkRoom(qp, path, contended);
        } catch (RuntimeException | Error e) {
            services.broken(qp, e);
            return Integer.MAX_VALUE; // it has nothing to send any more
        }
    }

    /** Bytes that a queue pair may add to what its link carries; if none, it waits. */
    private int linkRoom(QpContext qp, Path path, boolean contended) {
        int room = window.onLink(path, qp.group(), contended);
        if (room > 0) {
            return room;
        }
        if (qp.hasDirectPath()) {
            waiters.look(qp, path.output());
        } else {
            waiters.fullForBulk(qp, path);
        }
        return room;
    }

    /** Bytes that a queue pair may add to what its peer has not taken of mapped queues; if none, it waits. */
    private int mappedRoom(QpContext qp, Path path, MappedQueue queue) {
        int room = window.inQueue(path, queue, qp.group());
        if (room <= 0) {
            waiters.look(qp, path.window(queue) == path.window() ? path.output() : queue.output());
        }
        return room;
    }

    /**
     * Where the peer's memory is mapped, a queue pair stands behind the link while what it has next goes there, behind
     * what is short where it appends, and else behind nothing.
     */
    private void stand(QpContext qp) {
        Path path = qp.path();
        if (path != null && qp.hasDirectPath()) {
            MappedQueue queue = qp.nextQueue();
            if (queue != null) {
                arbiter.attach(qp, path.output(queue));
            } else {
                arbiter.attach(qp, qp.isNextDirect() ? null : path.output());
            }
        }
    }

    private void standAnew(QpContext qp) {
        try {
            stand(qp);
        } catch (RuntimeException | Error e) { // what it has next makes no sense
            services.broken(qp, e);
        }
    }

    private void settle(QpContext qp) {
        switch (qp.outcome()) {
            case QpContext.MORE:
                arbiter.active(qp);
                break;
            case QpContext.BLOCKED:
                waiters.block(qp);
                break;
            case QpContext.REFUSED:
                waiters.refused(qp);
                break;
            case QpContext.WAITING:
                if (again) {
                    arbiter.active(qp);
                } else {
                    arbiter.blocked(qp);
                }
                break;
            default:
                if (qp.hasWork() && qp.state().receives()) {
                    arbiter.active(qp);
                } else {
                    arbiter.idle(qp);
                }
        }
    }

    /** There may be room for who waits on a path. */
    void unblock(Path path) {
        waiters.unblock(path);
    }

    /**
     * Sends the acknowledgements that are due.
     *
     * @return how many
     */
    int acknowledgeAll() {
        return acknowledgements.send();
    }

    /** All that a queue pair has sent was answered, or is to be sent again, or never will be. */
    void nothingUnderWay(QpContext qp) {
        if (chunking != null) {
            chunking.acknowledged(qp);
        }
    }

    /** A queue pair has something to send. */
    void schedule(QpContext qp) {
        if (qp == visited) {
            again = true; // what becomes of it is said at the end of its visit
        } else if (qp.attached && (qp.blockedOn == null || needsNoLink(qp, qp.blockedOn))) {
            if (qp.outcome() == QpContext.IDLE) {
                standAnew(qp);
            }
            weigh(qp);
            if (newcomer == null) {
                newcomer = qp;
            } else if (newcomer != qp) {
                arbiter.active(qp);
            }
        }
    }

    /** A queue pair that many feed weighs as much as those of them that have something to send. */
    private void weigh(QpContext qp) {
        int before = qp.weight();
        int now = qp.sendRing().weight(before);
        if (now != before) {
            qp.configure(now, qp.trafficClass());
            arbiter.changed(qp, before, now, qp.trafficClass());
        }
    }

    /**
     * Whether a queue pair that waits for a link has something to do that needs none: flushing, or giving up datagrams.
     */
    private static boolean needsNoLink(QpContext qp, Path path) {
        if (path.isUp() || (qp.type() == QpType.RC && qp.state() == QpState.RTS)) {
            return false;
        }
        path.unblock(qp);
        return true;
    }

    /** A queue pair has an acknowledgement to send. */
    void acknowledge(QpContext qp) {
        acknowledgements.add(qp);
    }

    /** Whether something is left to be sent. */
    boolean hasActive() {
        return isScheduled() || !acknowledgements.isEmpty();
    }

    /** As {@link RoomWaiters#hasRoom}. Under the baton, after the flush. */
    boolean hasRoom() {
        return waiters.hasRoom(window);
    }

    /** A queue pair is new, or its path or the path's link is. */
    void attach(QpContext qp) {
        qp.attached = true;
        Path path = qp.path();
        arbiter.attach(qp, path == null || qp.hasDirectPath() ? null : path.output());
    }

    /** Forgets a queue pair that is removed. */
    void remove(QpContext qp) {
        qp.attached = false;
        if (newcomer == qp) {
            newcomer = null;
        }
        waiters.leave(qp.output());
        arbiter.detach(qp);
        Path path = qp.blockedOn;
        if (path != null) {
            path.unblock(qp);
        }
    }

    /** Nothing is sent any more. */
    void clear() {
        newcomer = null;
        waiters.clear();
        acknowledgements.clear();
    }

    /** Lets go of what it asks for how long its thread waits. */
    @Override
    public void close() {
        runDelay.close();
    }
}
