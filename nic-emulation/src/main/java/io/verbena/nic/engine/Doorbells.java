package io.verbena.nic.engine;

import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.transport.QpContext;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs that were rung and have not been heard. Urgent ones have a queue of their own, which the baton's holder
 * looks at between visits: an urgent request waits for the visit under way and not for the turn.
 *
 * <p>Concurrency: any thread rings; whoever holds the baton hears; any thread may ask whether there are some.
 */
final class Doorbells {
    private final MpscVarHandleArrayQueue<QpContext> bulk;
    private final MpscVarHandleArrayQueue<QpContext> urgent;

    /**
     * Creates empty queues.
     *
     * @param maxQueuePairs that there can be
     */
    Doorbells(int maxQueuePairs) {
        bulk = new MpscVarHandleArrayQueue<>(maxQueuePairs * 2);
        urgent = new MpscVarHandleArrayQueue<>(maxQueuePairs * 2);
    }

    /** A queue pair was silent and is rung. */
    void ring(QpContext qp) {
        if (!(qp.trafficClass() == TrafficClass.URGENT ? urgent : bulk).offer(qp)) {
            throw new IllegalStateException("more doorbells than queue pairs");
        }
    }

    boolean isEmpty() {
        return bulk.isEmpty() && urgent.isEmpty();
    }

    boolean hasUrgent() {
        return !urgent.isEmpty();
    }

    /** The next queue pair that was rung, urgent ones first; heard herewith. Null if there is none. */
    @Nullable
    QpContext hear() {
        QpContext qp = hearUrgent();
        return qp == null ? heard(bulk.poll()) : qp;
    }

    /** The next urgent one; null if there is none. */
    @Nullable
    QpContext hearUrgent() {
        return heard(urgent.poll());
    }

    private static @Nullable QpContext heard(@Nullable QpContext qp) {
        if (qp != null) {
            qp.heard();
        }
        return qp;
    }
}
