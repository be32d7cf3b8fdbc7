package io.verbena.nic.engine;

import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.AsyncEventType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An engine's queue pairs by their numbers: a slot in the low bits, a generation above. Used under the baton. */
final class QueuePairTable {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePairTable.class);

    private final @Nullable QpContext[] slots;
    private final int mask;

    /**
     * Creates an empty table.
     *
     * @param maxQueuePairs a power of two
     */
    QueuePairTable(int maxQueuePairs) {
        this.slots = new QpContext[maxQueuePairs];
        this.mask = maxQueuePairs - 1;
    }

    /** The queue pair of a number, any value; null if there is none now. */
    @Nullable
    QpContext find(int number) {
        QpContext qp = slots[number & mask];
        return qp != null && qp.number() == number ? qp : null;
    }

    void add(QpContext qp) {
        slots[qp.number() & mask] = qp;
    }

    void remove(QpContext qp) {
        slots[qp.number() & mask] = null;
    }

    /** Adds every queue pair that completes to a ring to a list. */
    void completingTo(CompletionRing ring, List<QpContext> list) {
        for (QpContext qp : slots) {
            if (qp != null && qp.completesTo(ring)) {
                list.add(qp);
            }
        }
    }

    /** An engine has failed: so has every queue pair of its, and every shared receive queue. */
    void failAll(Datapath engine) {
        List<ReceiveRing> shared = new ArrayList<>();
        for (QpContext qp : slots) {
            if (qp == null) {
                continue;
            }
            try {
                qp.failed("its engine has failed");
            } catch (RuntimeException | Error e) {
                qp.giveUp();
                LOG.error("queue pair {} of {} could not be flushed", qp.number(), engine, e); // the others still can
            }
            if (qp.sharesReceive() && !shared.contains(qp.receiveRing())) {
                shared.add(qp.receiveRing());
                qp.receiveRing().tell(AsyncEventType.SRQ_ERR);
            }
        }
    }
}
