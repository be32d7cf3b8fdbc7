package io.verbena.nic.engine;

import io.verbena.nic.append.TailPointerTable;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;

/**
 * What peers who have the control block mapped see of this engine's queue pairs: state, access and connection, one word
 * each. A peer may execute directly while its queue pair's word says so. Used under the baton.
 */
final class PublishedStates {
    private final ControlBlock control;
    private final TailPointerTable appendQueues;
    private final int engine;
    private final OccupiedSlots occupied;

    PublishedStates(ControlBlock control, TailPointerTable appendQueues, int engine) {
        this.control = control;
        this.appendQueues = appendQueues;
        this.engine = engine;
        this.occupied = new OccupiedSlots(control);
    }

    /** A queue pair's state, access or connection has changed. */
    void publish(QpContext qp) {
        if (qp.type() != QpType.RC || occupied.isClosed(qp)) { // the direct path is for RC alone
            publish(qp, QpState.RESET);
        } else if (qp.state() == QpState.RTR) {
            open(qp);
        } else {
            publish(qp, qp.state());
        }
    }

    /** Peers may execute directly where a slot has become theirs. */
    void openFreed() {
        if (!occupied.isEmpty()) {
            for (QpContext qp = occupied.takeFree(); qp != null; qp = occupied.takeFree()) {
                open(qp);
            }
        }
    }

    /** The peer may execute directly from now on. */
    private void open(QpContext qp) {
        Path path = qp.path();
        if (path != null) {
            appendQueues
                    .initiators()
                    .connected(qp.number(), path.peerNic(), engine); // before the peer can see that it is
        }
        publish(qp, qp.state());
    }

    private void publish(QpContext qp, QpState state) {
        control.setQpWord(
                qp.number(),
                QueuePairWord.pack(
                        state.ordinal(),
                        qp.connection().directAccess(),
                        qp.connection().takesFrom(),
                        qp.pd()));
    }
}
