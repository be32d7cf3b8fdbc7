package io.verbena.nic.engine;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.QpState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs that were reset and connected again while an initiator of the connection before was in the middle of a
 * direct operation, or had died there. What their in-flight slots say is needed until that has ended: a claim is closed
 * by it, memory kept. Until then the new peer may not write there: its requests travel as packets.
 *
 * <p>Under the engine's baton.
 */
final class OccupiedSlots {
    private final ControlBlock control;
    private final List<QpContext> waiting = new ArrayList<>();

    OccupiedSlots(ControlBlock control) {
        this.control = control;
    }

    /** Whether there is none. */
    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Whether a queue pair whose state is to be published is closed to direct operations for now. */
    boolean isClosed(QpContext qp) {
        if (!qp.state().receives()) {
            waiting.remove(qp);
            return false; // it is by its state
        }
        if (qp.state() == QpState.RTR && !isIdle(qp) && !waiting.contains(qp)) {
            waiting.add(qp);
        }
        return !waiting.isEmpty() && waiting.contains(qp);
    }

    /** The next queue pair whose slot has become free, which is forgotten here; null if there is none. */
    @Nullable
    QpContext takeFree() {
        for (int i = 0; i < waiting.size(); i++) {
            if (isIdle(waiting.get(i))) {
                return waiting.remove(i);
            }
        }
        return null;
    }

    private boolean isIdle(QpContext qp) {
        return control.isSlotIdle(control.qpSlot(qp.number()));
    }
}
