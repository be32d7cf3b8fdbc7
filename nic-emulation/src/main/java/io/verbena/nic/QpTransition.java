package io.verbena.nic;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;

/** What a move of {@link QueuePair#modify} does to the queue pair's context, under the engine's baton. */
final class QpTransition {
    private QpTransition() {}

    /**
     * Makes a move. A refused one changes nothing.
     *
     * @throws IllegalStateException if the state table does not allow it
     * @throws IllegalArgumentException if attributes are missing or extra
     */
    static void make(Engine engine, QpContext qp, QpAttributes a) {
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
            connect(engine, qp, a);
        }
        set(qp, a);
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

    private static void connect(Engine engine, QpContext qp, QpAttributes a) {
        if (qp.type() == QpType.UD) {
            qp.receiveDatagrams();
            return;
        }
        Path path = engine.path(a.peerNic);
        path.checkMtu(a.pathMtu);
        qp.connect(path, a.peerQp, a.pathMtu, a.receivePsn, a.maxDestRdAtomic);
        path.queuePairs().add(qp);
    }

    /** Sets what may be set in more than one state. */
    private static void set(QpContext qp, QpAttributes a) {
        if (a.has(QpAttributes.ACCESS)) {
            qp.access(a.access);
        }
        if (a.has(QpAttributes.QKEY)) {
            qp.qkey(a.qkey);
        }
        if (a.has(QpAttributes.MIN_RNR_TIMER)) {
            qp.minRnrTimer(a.minRnrTimer);
        }
        if (a.has(QpAttributes.TIMEOUT)) {
            qp.timeout(a.timeout);
        }
        if (a.has(QpAttributes.RETRY_COUNT)) {
            qp.retryCount(a.retryCount);
        }
        if (a.has(QpAttributes.RNR_RETRY)) {
            qp.rnrRetry(a.rnrRetry);
        }
        if (a.has(QpAttributes.MAX_RD_ATOMIC)) {
            qp.maxRdAtomic(a.maxRdAtomic);
        }
    }
}
