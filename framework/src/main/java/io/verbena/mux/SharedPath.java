package io.verbena.mux;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendFeed;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.path.SendPath;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A path that shares a queue pair with others: what is posted lies in its {@link EgressQueue} until its turn comes,
 * which is made with the first request. One object for all that an idle channel needs, since each cache line of a
 * channel is one that ten thousand have. The engine writes here when the inbox of its next message is not ready.
 */
public final class SharedPath extends ReadyList.Entry implements SendPath {
    /**
     * Longest request that is executed while it is posted, where nobody has anything to send: one that would leave in
     * one turn. Beyond what {@link QueuePair#postSend(SendRequest)} has, for it saves a way through two rings here.
     */
    private static final int POSTED_NOW = EgressScheduler.MAX_SHORT;

    private static final VarHandle BYTES;
    private static final VarHandle MESSAGES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            BYTES = lookup.findVarHandle(SharedPath.class, "bytes", long.class);
            MESSAGES = lookup.findVarHandle(SharedPath.class, "messages", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SharedQueuePair shared;
    private final QueuePair queuePair;
    private final SendFeed feed;
    private final ReadyList ready;
    private final int stream;
    private volatile int depth;
    private volatile int weight;
    private volatile @Nullable SendRing ring; // its own requests; the queue's, whose line is the engine's
    private volatile @Nullable EgressQueue queue;
    private volatile boolean held; // until the inbox of the next message is ready; read by any thread, as a hint
    private boolean shut; // closed, for a queue that is made later; under the baton
    private boolean live = true; // under the lock of whoever makes and ends channels

    // The poster's.
    private long bytes; // of messages that were executed while they were posted
    private long messages;

    /**
     * Creates one on which nothing was posted.
     *
     * @param stream the number of what is sent by it
     * @param weight among those that share the queue pair, at least 1
     * @param depth requests that may be outstanding at first, a power of two
     */
    SharedPath(SharedQueuePair shared, int stream, int weight, int depth) {
        this.shared = shared;
        this.queuePair = shared.queuePair();
        this.feed = shared.scheduler().feed();
        this.ready = shared.scheduler().ready();
        this.stream = stream;
        this.weight = weight;
        this.depth = depth;
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
        PostResult result = enqueue(request);
        boolean soon = result == PostResult.POSTED && feed.mayRingSoon();
        publish();
        if (soon) {
            feed.ringSoon();
        } else {
            feed.ring();
        }
        return result;
    }

    private boolean executed(SendRequest request, int longest) {
        SendRing own = ring;
        if (!feed.mayExecuteNow() // which saves a look at what the engine writes
                || (own != null && !own.isIdle())
                || !feed.executeNow(request, longest)) {
            return false;
        }
        BYTES.setOpaque(this, bytes + request.length());
        MESSAGES.setOpaque(this, messages + 1);
        return true;
    }

    @Override
    public PostResult enqueue(SendRequest request) {
        SendRing own = ring;
        if (own == null) {
            own = feed.queue(depth);
            queue = new EgressQueue(this, own, shared.scheduler().weighs());
            ring = own;
        }
        return feed.post(request, own);
    }

    /** Makes visible what was posted; its caller rings afterwards, by which the engine looks. */
    private void publish() {
        SendRing own = ring;
        if (own != null) {
            own.publish();
            ready.add(this);
        }
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
        publish();
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
        SendRing own = ring;
        return own == null ? 0 : own.outstanding();
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int firstDepth() {
        return shared.firstDepth();
    }

    @Override
    public int fullDepth() {
        return shared.fullDepth();
    }

    @Override
    public void resize(int requests) {
        feed.call(() -> {
            SendRing own = ring;
            if (own != null) {
                own.resize(requests);
            }
            depth = requests;
        });
    }

    /** Messages that were sent. */
    public long messages() {
        EgressQueue own = queue;
        return (long) MESSAGES.getOpaque(this) + (own == null ? 0 : own.messages());
    }

    /** Bytes of them, their own. */
    public long bytes() {
        EgressQueue own = queue;
        return (long) BYTES.getOpaque(this) + (own == null ? 0 : own.bytes());
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
        SendRing own = ring;
        return queuePair.isStarved() && (own == null || !own.hasUnsent());
    }

    /** Its weight among those that share the queue pair. */
    public int weight() {
        return weight;
    }

    /** Sets the weight, at least 1; from the next round on. Any thread. */
    public void weight(int value) {
        feed.call(() -> {
            EgressQueue own = queue;
            if (own != null) {
                shared.scheduler().reweigh(own, value - weight);
            }
            weight = value;
        });
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
        feed.call(() -> {
            shut = true;
            EgressQueue own = queue;
            if (own != null) {
                own.shut();
            }
        });
    }

    /** Whether the NIC has nothing of it any more; once it is closed. */
    public boolean isReleased() {
        boolean[] released = new boolean[1];
        feed.call(() -> {
            EgressQueue own = queue;
            released[0] = own == null || (!own.isUnderWay() && (!own.isCut() || state() != QpState.RTS));
            if (released[0] && own != null && own.isShut()) { // an open one may still have something to send
                shared.scheduler().forget(own);
            }
        });
        return released[0];
    }

    // ---- under the baton --------------------------------------------------------------------------------------------

    /** What was posted; once it was listed. */
    EgressQueue queue() {
        EgressQueue own = queue;
        if (own == null) {
            throw new IllegalStateException("nothing was posted");
        }
        if (shut) {
            own.shut();
        }
        return own;
    }

    /** Whether it waits until the inbox of its next message is ready. */
    boolean isHeld() {
        return held;
    }

    /** It waits for that from here on, or no longer. */
    void hold(boolean waits) {
        held = waits;
    }

    /** The oldest message was refused for good. */
    void refused(WcStatus why) {
        feed.refuse(stream, why);
    }
}
