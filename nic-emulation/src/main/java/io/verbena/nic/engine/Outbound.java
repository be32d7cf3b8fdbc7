package io.verbena.nic.engine;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.Port;
import io.verbena.nic.port.Link;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * What leaves an engine: requests and answers of the queue pairs that the arbiter chooses, and acknowledgements. Used under
 * the baton.
 */
final class Outbound {
    private static final int VISITS_A_TURN = 64;

    private final Arbiter arbiter;
    private final boolean wantsAcknowledgements;
    private final TransportServices services;
    private final NanoClock clock;
    private final List<Port> full = new ArrayList<>(); // until the next turn
    private final List<Path> blocked = new ArrayList<>();
    private List<QpContext> acknowledgements = new ArrayList<>();
    private List<QpContext> acknowledging = new ArrayList<>();

    /**
     * Creates it, with nothing to send.
     *
     * @param services told of the paths that something was sent on
     * @param clock times visits, where the arbiter wants that
     */
    Outbound(Arbiter arbiter, TransportServices services, NanoClock clock) {
        this.arbiter = arbiter;
        this.wantsAcknowledgements = arbiter.wantsAcknowledgements();
        this.services = services;
        this.clock = clock;
    }

    /**
     * Visits queue pairs as the arbiter says, a bounded number.
     *
     * @return visits that found something to do
     */
    int send() {
        for (int i = full.size() - 1; i >= 0; i--) {
            arbiter.room(full.remove(i));
        }
        for (int i = blocked.size() - 1; i >= 0; i--) {
            unblock(blocked.remove(i));
        }
        int visits = 0;
        for (; visits < VISITS_A_TURN; visits++) {
            QpContext qp = (QpContext) arbiter.next();
            if (qp == null) {
                break;
            }
            int sent = visit(qp);
            if (qp.outcome() == QpContext.BLOCKED && sent == 0) {
                visits--; // found no room: no work was done (the loop ends, for a blocked flow is not active)
                if (!arbiter.hasActive()) {
                    break;
                }
            }
        }
        return Math.max(visits, 0);
    }

    /**
     * A queue pair has something to send, in the turn of whoever posted it: at once if it is the only one, else as the
     * arbiter says.
     */
    void send(QpContext qp) {
        if (qp.blockedOn == null && blocked.isEmpty() && arbiter.nextAlone(qp)) {
            visit(qp);
            if (!arbiter.hasActive()) {
                return;
            }
        } else {
            schedule(qp);
        }
        send();
    }

    /**
     * Lets a queue pair execute a request as it is posted, if nothing else has anything to send.
     *
     * @return whether it was done
     */
    boolean executeNow(QpContext qp, int slot, DirectBuffer data, int from) {
        if (qp.blockedOn != null || !acknowledgements.isEmpty() || !blocked.isEmpty() || !arbiter.nextAlone(qp)) {
            return false;
        }
        long begun = arbiter.isTimed() ? clock.nanoTime() : 0;
        int sent = qp.executeNow(slot, data, from);
        if (sent >= 0) {
            arbiter.charge(qp, sent, 1, arbiter.isTimed() ? clock.nanoTime() - begun : 0);
        }
        arbiter.idle(qp);
        return sent >= 0;
    }

    /** Lets a queue pair send what it is granted. */
    private int visit(QpContext qp) {
        long begun = arbiter.isTimed() ? clock.nanoTime() : 0;
        long first = qp.sendRing().next();
        int sent = qp.transmit(qp.budget());
        int operations = (int) Math.max(0, qp.sendRing().next() - first); // fewer after going back
        arbiter.charge(qp, sent, operations, arbiter.isTimed() ? clock.nanoTime() - begun : 0);
        settle(qp);
        return sent;
    }

    private void settle(QpContext qp) {
        switch (qp.outcome()) {
            case QpContext.MORE:
                arbiter.active(qp);
                break;
            case QpContext.BLOCKED:
                block(qp);
                break;
            case QpContext.WAITING:
                arbiter.blocked(qp);
                break;
            default:
                if (qp.hasWork() && qp.state().receives()) {
                    arbiter.active(qp);
                } else {
                    arbiter.idle(qp);
                }
        }
    }

    private void block(QpContext qp) {
        Port port = qp.port();
        if (port != null) {
            if (!port.isFull()) {
                full.add(port);
            }
            arbiter.full(qp);
            return;
        }
        arbiter.blocked(qp);
        Path path = qp.sendPath();
        if (path != null && qp.blockedOn == null) {
            qp.blockedOn = path;
            if (path.blocked().isEmpty()) {
                blocked.add(path);
            }
            path.blocked().add(qp);
        }
    }

    private void unblock(Path path) {
        List<QpContext> waiting = path.blocked();
        for (int i = 0; i < waiting.size(); i++) {
            QpContext qp = waiting.get(i);
            qp.blockedOn = null;
            arbiter.active(qp);
        }
        waiting.clear();
    }

    /**
     * Sends the acknowledgements that are due.
     *
     * @return how many
     */
    int acknowledgeAll() {
        if (acknowledgements.isEmpty()) {
            return 0;
        }
        List<QpContext> due = acknowledgements;
        acknowledgements = acknowledging;
        acknowledging = due;
        int sent = 0;
        for (int i = 0; i < due.size(); i++) {
            QpContext qp = due.get(i);
            qp.acknowledgementListed = false;
            Path path = qp.path();
            Link link = path == null ? null : path.link();
            if (path != null && link != null && link.state() == Link.State.UP) {
                if (qp.responder().acknowledge(link)) {
                    services.touch(path);
                    sent++;
                } else {
                    acknowledge(qp);
                }
            }
        }
        due.clear();
        return sent;
    }

    /** All that a queue pair has sent was answered, or is to be sent again, or never will be. */
    void nothingUnderWay(QpContext qp) {
        if (wantsAcknowledgements) {
            arbiter.acknowledged(qp);
        }
    }

    /** A queue pair has something to send. */
    void schedule(QpContext qp) {
        if (qp.blockedOn == null) {
            arbiter.active(qp);
        }
    }

    /** A queue pair has an acknowledgement to send. */
    void acknowledge(QpContext qp) {
        if (!qp.acknowledgementListed) {
            qp.acknowledgementListed = true;
            acknowledgements.add(qp);
        }
    }

    /** Whether something is left to be sent. */
    boolean hasActive() {
        return arbiter.hasActive() || !acknowledgements.isEmpty();
    }

    /** A queue pair is new, or its path or the path's link is. */
    void attach(QpContext qp) {
        Path path = qp.path();
        arbiter.attach(qp, path == null ? null : path.port());
    }

    /** Forgets a queue pair that is removed. */
    void remove(QpContext qp) {
        arbiter.detach(qp);
        Path path = qp.blockedOn;
        if (path != null) {
            path.blocked().remove(qp);
            qp.blockedOn = null;
        }
    }

    /** Nothing is sent any more. */
    void clear() {
        full.clear();
        blocked.clear();
        acknowledgements.clear();
    }
}
