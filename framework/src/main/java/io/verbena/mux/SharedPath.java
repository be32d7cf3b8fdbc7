package io.verbena.mux;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendFeed;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.FlowStatistics;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.verbs.QpState;
import io.verbena.path.SendPath;

/** A path that shares a queue pair with others: what is posted lies in a queue of its own until its turn comes. */
public final class SharedPath implements SendPath {
    /**
     * Longest request that is executed while it is posted, where nobody has anything to send: one that would leave in
     * one turn. Beyond what {@link QueuePair#postSend(SendRequest)} has, for it saves a way through two rings here.
     */
    private static final int POSTED_NOW = SharedQueuePair.MAX_SHORT;

    private final SharedQueuePair shared;
    private final QueuePair queuePair;
    private final SendFeed feed;
    private final EgressQueue queue;
    private final int stream;
    private boolean live = true; // under the lock of whoever makes and ends channels

    SharedPath(SharedQueuePair shared, EgressQueue queue, int stream) {
        this.shared = shared;
        this.queuePair = shared.queuePair();
        this.feed = shared.feed();
        this.queue = queue;
        this.stream = stream;
    }

    /** What it shares. */
    public SharedQueuePair shared() {
        return shared;
    }

    /** The number of what is sent by it. */
    public int stream() {
        return stream;
    }

    // ---- sending ----------------------------------------------------------------------------------------------------

    @Override
    public PostResult post(SendRequest request) {
        if (executed(request, POSTED_NOW)) {
            return PostResult.POSTED;
        }
        PostResult result = queue.post(feed, request);
        boolean awaitsAnswers = queue.hasPublished();
        queue.publish(shared.ready());
        if (awaitsAnswers && result == PostResult.POSTED) {
            feed.ringSoon();
        } else {
            feed.ring();
        }
        return result;
    }

    private boolean executed(SendRequest request, int longest) {
        if (!queue.isIdle() || !feed.executeNow(request, longest)) {
            return false;
        }
        queue.count((int) request.length()); // the engine has nothing of this queue now
        return true;
    }

    @Override
    public PostResult enqueue(SendRequest request) {
        return queue.post(feed, request);
    }

    @Override
    public boolean executeNow(SendRequest request) {
        if (queue.outstanding() > 0) {
            flush(); // what was enqueued goes first
        }
        return executed(request, Integer.MAX_VALUE);
    }

    @Override
    public void flush() {
        queue.publish(shared.ready());
        feed.ring();
    }

    @Override
    public void push() {
        flush();
        feed.assist();
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    @Override
    public int outstanding() {
        return queue.outstanding();
    }

    @Override
    public int depth() {
        return queue.depth();
    }

    @Override
    public int firstDepth() {
        return queue.firstDepth();
    }

    @Override
    public int fullDepth() {
        return shared.fullDepth();
    }

    @Override
    public void resize(int requests) {
        feed.call(() -> queue.resize(requests));
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

    /** Its weight among those that share the queue pair. */
    public int weight() {
        return queue.weight();
    }

    /** Sets the weight, at least 1; from the next round on. Any thread. */
    public void weight(int value) {
        feed.call(() -> shared.reweigh(queue, value));
    }

    /** What has been sent by it: messages and their own bytes. */
    public FlowStatistics statistics() {
        return queue.statistics();
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** It is to be closed: those that come join another. Under the lock of whoever makes and ends channels. */
    public void parts() {
        if (live) {
            live = false;
            shared.parts();
        }
    }

    /** What was posted and has not come to the queue pair's ring does not go there any more. */
    public void close() {
        feed.call(queue::close);
    }

    /** Whether the NIC has nothing of it any more; once it is closed. */
    public boolean isReleased() {
        boolean[] released = new boolean[1];
        feed.call(() -> released[0] = !queue.isUnderWay() && (!queue.isCut() || state() != QpState.RTS));
        return released[0];
    }
}
