package io.verbena.nic.sim;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairStatus;
import io.verbena.nic.SendRequest;
import io.verbena.nic.verbs.QpType;

/**
 * A queue pair as threads of a simulated host use it: they pay for posts and doorbells, and the NIC's model is told of
 * them, so that it knows which work queue elements it has, came with a doorbell, and want a completion. All requests of
 * the queue pair have to go this way, and only such as travel.
 *
 * <p>What a thread is told here is carried out in its order, as all of {@link SimThread}. Where several threads use one
 * queue pair they hold a {@link SimLock} meanwhile. Not thread-safe.
 */
public final class HostQueuePair {
    private final QueuePair qp;
    private final NicModel nic;
    private final HostModel host;
    private int mtu;
    private boolean reliable;

    /**
     * Of a queue pair.
     *
     * @param qp connected before the first post
     * @param nic of the NIC that it is on
     * @param cores whose threads use it
     */
    public HostQueuePair(QueuePair qp, NicModel nic, SimCores cores) {
        this.qp = qp;
        this.nic = nic;
        this.host = cores.host();
    }

    /** The queue pair, for what costs nothing here. */
    public QueuePair queuePair() {
        return qp;
    }

    /**
     * A thread writes a request into the send queue.
     *
     * @param request not to be changed before that is done
     * @throws IllegalStateException when it comes to that, if the queue is full
     */
    public void post(SimThread thread, SendRequest request) {
        thread.run(host.post).then(() -> {
            if (qp.post(request) != PostResult.POSTED) {
                throw new IllegalStateException("no room with " + qp.outstanding() + " outstanding");
            }
            if (mtu == 0) {
                QueuePairStatus status = qp.query();
                mtu = status.pathMtu();
                reliable = status.type() == QpType.RC;
            }
            nic.post(qp.number(), reliable, mtu, request.isSignaled());
        });
    }

    /** A thread rings the doorbell for what it has posted: the first request goes with it, the NIC reads the others. */
    public void doorbell(SimThread thread) {
        thread.run(host.mmio).then(() -> {
            nic.ring(qp.number());
            qp.doorbell();
        });
    }
}
