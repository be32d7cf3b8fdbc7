package io.verbena.path;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.verbs.QpState;

/** A path that has a queue pair of its own. */
public final class QueuePairPath implements SendPath {
    private final QueuePair queuePair;
    private final Engine engine;
    private final int firstDepth;

    /**
     * Creates it.
     *
     * @param engine of the queue pair
     */
    public QueuePairPath(QueuePair queuePair, Engine engine) {
        this.queuePair = queuePair;
        this.engine = engine;
        this.firstDepth = queuePair.maxSend();
    }

    @Override
    public PostResult post(SendRequest request) {
        return queuePair.postSend(request);
    }

    @Override
    public PostResult enqueue(SendRequest request) {
        return queuePair.post(request);
    }

    @Override
    public boolean executeNow(SendRequest request) {
        if (queuePair.outstanding() > 0) {
            queuePair.doorbell(); // what was enqueued goes first
        }
        return queuePair.executeNow(request);
    }

    @Override
    public void flush() {
        queuePair.doorbell();
    }

    @Override
    public void push() {
        queuePair.doorbell();
        if (queuePair.mayAssist()) {
            engine.progress();
        }
    }

    @Override
    public int outstanding() {
        return queuePair.outstanding();
    }

    @Override
    public int depth() {
        return queuePair.maxSend();
    }

    @Override
    public int firstDepth() {
        return firstDepth;
    }

    @Override
    public int fullDepth() {
        return firstDepth;
    }

    @Override
    public void resize(int requests) {
        queuePair.resizeSend(requests);
    }

    @Override
    public int maxInline() {
        return queuePair.maxInline();
    }

    @Override
    public QpState state() {
        return queuePair.state();
    }

    @Override
    public Limit limit() {
        return queuePair.limit();
    }

    @Override
    public boolean isStarved() {
        return queuePair.isStarved();
    }
}
