package io.verbena.mux;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendFeed;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.path.SendPath;

/**
 * A path that shares a queue pair with others: what is posted lies in its egress queue until its turn comes. One object
 * with that queue, since each cache line of a channel is one that ten thousand have.
 */
public final class SharedPath extends EgressQueue implements SendPath {
    /**
     * Longest request that is executed while it is posted, where nobody has anything to send: one that would leave in
     * one turn. Beyond what {@link QueuePair#postSend(SendRequest)} has, for it saves a way through two rings here.
     */
    private static final int POSTED_NOW = SharedQueuePair.MAX_SHORT;

    private final SharedQueuePair shared;
    private final QueuePair queuePair;
    private final SendFeed feed;
    private final int stream;
    private boolean live = true; // under the lock of whoever makes and ends channels

    /**
     * Creates one on which nothing was posted.
     *
     * @param stream the number of what is sent by it
     * @param weight among those that share the queue pair, at least 1
     * @param depth requests that may be outstanding at first, a power of two
     */
    SharedPath(SharedQueuePair shared, int stream, int weight, int depth) {
        super(weight, depth);
        this.shared = shared;
        this.queuePair = shared.queuePair();
        this.feed = shared.feed();
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
        PostResult result = post(feed, request);
        publish(shared.ready());
        if (result == PostResult.POSTED) {
            feed.ringSoon();
        } else {
            feed.ring();
        }
        return result;
    }

    private boolean executed(SendRequest request, int longest) {
        if (!isIdle() || !feed.executeNow(request, longest)) {
            return false;
        }
        count((int) request.length()); // the engine has nothing of this queue now
        return true;
    }

    @Override
    public PostResult enqueue(SendRequest request) {
        return post(feed, request);
    }

    @Override
    public boolean executeNow(SendRequest request) {
        if (outstanding() > 0) {
            flush(); // what was enqueued goes first
        }
        return executed(request, Integer.MAX_VALUE);
    }

    @Override
    public void flush() {
        publish(shared.ready());
        feed.ring();
    }

    @Override
    public void push() {
        flush();
        feed.assist();
    }

    @Override
    void refused(WcStatus why) {
        shut();
        feed.refuse(stream, why);
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    @Override
    public int fullDepth() {
        return shared.fullDepth();
    }

    @Override
    public void resize(int requests) {
        feed.call(() -> capacity(requests));
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
        return held ? Limit.RECEIVER : queuePair.limit();
    }

    @Override
    public boolean isStarved() {
        return queuePair.isStarved();
    }

    /** Sets the weight, at least 1; from the next round on. Any thread. */
    public void weight(int value) {
        feed.call(() -> shared.reweigh(this, value));
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
        feed.call(this::shut);
    }

    /** Whether the NIC has nothing of it any more; once it is closed. */
    public boolean isReleased() {
        boolean[] released = new boolean[1];
        feed.call(() -> released[0] = !isUnderWay() && (!isCut() || state() != QpState.RTS));
        return released[0];
    }
}
