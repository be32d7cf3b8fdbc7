package io.verbena.nic.engine;

import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What ends a queue pair and not its engine: an exception from its own work, and a completion queue that overran. Used
 * under the baton.
 */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Datapath.class);

    private final QueuePairTable queuePairs;
    private final NanoClock clock;
    private final TransportServices services;
    private final LogRateLimiter reports = new LogRateLimiter();
    private final List<QpContext> fatal = new ArrayList<>(); // to go to ERR at the end of the turn

    Failures(QueuePairTable queuePairs, NanoClock clock, TransportServices services) {
        this.queuePairs = queuePairs;
        this.clock = clock;
        this.services = services;
    }

    /** A queue pair's own work has met an exception: it goes to ERR. */
    void broken(QpContext qp, Throwable cause) {
        boolean known = qp.failure() != null;
        if (!known) {
            services.count(NicCounter.QUEUE_PAIRS_BROKEN);
            long leftOut = reports.ask(clock.nanoTime());
            if (leftOut >= 0) {
                LOG.error(
                        "queue pair {} of {} goes to ERR, others go on; {} such lines left out",
                        qp.number(),
                        services,
                        leftOut,
                        cause);
            }
        }
        try {
            qp.failed(cause.toString());
        } catch (RuntimeException | Error e) {
            known = true;
        }
        if (known) {
            qp.giveUp(); // not even in ERR does it go through
        }
    }

    /** A completion queue is full, or was: what would complete there cannot go on ({@code IBV_EVENT_CQ_ERR}). */
    void overrun(CompletionRing ring, int qpNumber) {
        boolean first = ring.noteOverrun();
        services.count(NicCounter.COMPLETIONS_DROPPED);
        if (first) {
            services.event(AsyncEventType.CQ_ERR, ring.number());
            queuePairs.completingTo(ring, fatal);
            return;
        }
        QpContext qp = queuePairs.find(qpNumber);
        if (qp != null && qp.state() != QpState.ERR && !fatal.contains(qp)) {
            fatal.add(qp);
        }
    }

    /** Moves to ERR what cannot go on; at the end of a turn. */
    void settle() {
        while (!fatal.isEmpty()) {
            QpContext qp = fatal.remove(fatal.size() - 1);
            try {
                qp.completionsLost();
            } catch (RuntimeException | Error e) {
                broken(qp, e);
            }
        }
    }

    /** A queue pair is removed. */
    void forget(QpContext qp) {
        fatal.remove(qp);
    }
}
