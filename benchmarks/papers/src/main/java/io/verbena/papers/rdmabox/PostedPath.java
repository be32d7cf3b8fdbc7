package io.verbena.papers.rdmabox;

import io.verbena.nic.PostResult;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimThread;
import io.verbena.nic.verbs.QpState;
import io.verbena.path.SendPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A path to a queue pair of the simulated host: what is posted and rung for is kept until a thread pays for it, and
 * reaches the queue pair as it does. No inline data.
 */
final class PostedPath implements SendPath {
    private final HostQueuePair qp;
    private final List<Optional<SendRequest>> kept = new ArrayList<>(); // empty: a doorbell
    private long posted;

    PostedPath(HostQueuePair qp) {
        this.qp = qp;
    }

    /** Whether nothing has to be paid for. */
    boolean isPaid() {
        return kept.isEmpty();
    }

    /** Requests that are complete. */
    long completed() {
        return posted - qp.queuePair().outstanding();
    }

    /** A thread pays for what is kept, one after the other. */
    void pay(SimThread by) {
        for (Optional<SendRequest> each : kept) {
            if (each.isPresent()) {
                qp.post(by, each.get());
                by.then(() -> posted++);
            } else {
                qp.doorbell(by);
            }
        }
        kept.clear();
    }

    @Override
    public PostResult post(SendRequest request) {
        enqueue(request);
        flush();
        return PostResult.POSTED;
    }

    @Override
    public PostResult enqueue(SendRequest request) {
        kept.add(Optional.of(request.copy()));
        return PostResult.POSTED;
    }

    @Override
    public boolean executeNow(SendRequest request) {
        return false;
    }

    @Override
    public void flush() {
        kept.add(Optional.empty());
    }

    @Override
    public void push() {
        flush();
    }

    @Override
    public int outstanding() {
        return qp.queuePair().outstanding();
    }

    @Override
    public int depth() {
        return qp.queuePair().maxSend();
    }

    @Override
    public int firstDepth() {
        return depth();
    }

    @Override
    public int fullDepth() {
        return depth();
    }

    @Override
    public void resize(int requests) {
        throw new UnsupportedOperationException("it has " + depth() + " requests for good");
    }

    @Override
    public int maxInline() {
        return 0;
    }

    @Override
    public QpState state() {
        return qp.queuePair().state();
    }

    @Override
    public Limit limit() {
        return qp.queuePair().limit();
    }

    @Override
    public boolean isStarved() {
        return false;
    }
}
