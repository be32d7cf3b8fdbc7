package io.verbena.nic;

import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;

/**
 * The state transitions of one queue pair: what {@link QueuePair#modify} does to its context, and the attributes given
 * since RESET. For any thread; changes are made under the engine's baton.
 */
final class QpTransitions {
    private final Engine engine;
    private final QpContext qp;
    private final QpAttributes given = new QpAttributes(); // since RESET
    private boolean closed;

    QpTransitions(Engine engine, QpContext qp) {
        this.engine = engine;
        this.qp = qp;
    }

    /**
     * Makes a transition, which may change its share within its group. A refused one changes nothing. Waits for the
     * engine's turn, like the methods below.
     *
     * @throws IllegalStateException if the state table does not allow it, or the queue pair is closed
     * @throws IllegalArgumentException if attributes are missing or extra, or the group does not allow them
     */
    void modify(ProtectionDomain pd, QpAttributes a) {
        if (a.hasShare()) {
            synchronized (pd.nic()) {
                pd.group().checkShare(a);
                make(a);
            }
        } else {
            make(a);
        }
    }

    private void make(QpAttributes a) {
        engine.call(() -> {
            checkNotClosed();
            move(a);
            given.take(a, qp.state());
            share();
        });
    }

    /** Makes it bulk, because its group may no longer have urgent queue pairs; from the engine's next turn on. */
    void makeBulk() {
        engine.callSoon(() -> {
            given.trafficClass = TrafficClass.BULK;
            share();
        });
    }

    /** Tells the arbiter of another weight, class or rate limit. */
    private void share() {
        if (given.weight != qp.weight()
                || given.trafficClass != qp.trafficClass()
                || !given.rateLimit.equals(qp.rateLimit())) {
            engine.configure(qp, given.weight, given.trafficClass, given.rateLimit);
        }
    }

    /** State and attributes as they are now. */
    QueuePairStatus status() {
        QueuePairStatus[] status = new QueuePairStatus[1];
        engine.call(() -> {
            checkNotClosed();
            status[0] = QueuePairStatus.of(qp, given);
        });
        return status[0];
    }

    /** Ends it: it stops sending, and the arbiter forgets it. */
    void close() {
        engine.call(() -> {
            closed = true;
            engine.remove(qp); // while it still knows its path
            qp.state(QpState.RESET);
        });
    }

    /** Whether it was destroyed. Any thread, a hint. */
    boolean isClosed() {
        return closed;
    }

    void checkNotClosed() {
        if (closed) {
            throw refusal("");
        }
    }

    /** The exception for something that its state does not allow. */
    IllegalStateException refusal(String need) {
        return new IllegalStateException(
                "queue pair " + qp.number() + (closed ? " is closed" : " is in " + qp.state() + ", " + need));
    }

    private void move(QpAttributes a) {
        QpState from = qp.state();
        if (a.isShareOnly() && from != QpState.RESET && from != QpState.ERR) {
            return;
        }
        QpState to = a.state == null ? from : a.state;
        if (!from.mayBecome(to)) {
            throw new IllegalStateException("queue pair " + qp.number() + " may not go from " + from + " to " + to);
        }
        a.check(qp.type(), from, to);
        if (to == QpState.RTR && from == QpState.INIT) {
            connect(a);
        }
        set(a);
        if (to == QpState.RTS && from == QpState.RTR) {
            qp.startSending(a.sendPsn);
        }
        boolean disconnects = to == QpState.RESET && qp.path() != null;
        if (disconnects) {
            engine.remove(qp); // while it still knows its path
        }
        qp.state(to);
        if (disconnects) {
            engine.add(qp); // at no port
        }
        if (to == QpState.RTS || to == QpState.SQD) {
            engine.services().schedule(qp);
        }
    }

    private void connect(QpAttributes a) {
        if (qp.type() == QpType.UD) {
            qp.receiveDatagrams();
            return;
        }
        Path path = engine.path(a.peerNic);
        path.checkMtu(a.pathMtu);
        qp.peerGroup(a.peerGroup);
        qp.connect(path, a.peerQp, a.pathMtu, a.receivePsn, a.maxDestRdAtomic);
        path.queuePairs().add(qp);
    }

    /** Sets the attributes that may be set in more than one state. */
    private void set(QpAttributes a) {
        if (a.has(QpAttributes.ACCESS)) {
            qp.access(a.access);
        }
        if (a.has(QpAttributes.QKEY)) {
            qp.connection().qkey(a.qkey);
        }
        if (a.has(QpAttributes.MIN_RNR_TIMER)) {
            qp.retries().minRnrTimer(a.minRnrTimer);
        }
        if (a.has(QpAttributes.TIMEOUT)) {
            qp.retries().timeout(a.timeout);
        }
        if (a.has(QpAttributes.RETRY_COUNT)) {
            qp.retries().retryCount(a.retryCount);
        }
        if (a.has(QpAttributes.RNR_RETRY)) {
            qp.retries().rnrRetry(a.rnrRetry);
        }
        if (a.has(QpAttributes.MAX_RD_ATOMIC)) {
            qp.connection().maxRdAtomic(a.maxRdAtomic);
        }
    }
}
