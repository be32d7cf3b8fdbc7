package io.verbena.nic;

import io.verbena.nic.arbiter.FlowStatistics;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.AsyncEventType.Element;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcOpcode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair ({@code ibv_create_qp(3)}): a send queue and a receive queue, one end of a connection or a source and
 * target of datagrams.
 *
 * <p>One thread at a time posts sends, one posts receives. {@link #modify} and {@link #close} are for any thread, when
 * nobody posts; weight, class and rate limit may be set at any time.
 */
public final class QueuePair implements AutoCloseable {
    /** Longest request that is executed while it is posted: short enough not to delay others. */
    private static final int POSTED_NOW = 4096;

    private final ProtectionDomain pd;
    private final Engine engine;
    private final QpContext context;
    private final SendRing sendRing;
    private final ReceiveRing receiveRing;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final @Nullable SharedReceiveQueue sharedReceiveQueue;
    private final QpTransitions transitions;
    private final SendBatch batch; // the poster's

    QueuePair(
            ProtectionDomain pd,
            Engine engine,
            QpContext context,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            @Nullable SharedReceiveQueue sharedReceiveQueue) {
        this.pd = pd;
        this.engine = engine;
        this.context = context;
        this.transitions = new QpTransitions(engine, context);
        this.sendRing = context.sendRing();
        this.batch = new SendBatch(this, sendRing);
        this.receiveRing = context.receiveRing();
        this.sendQueue = sendQueue;
        this.receiveQueue = receiveQueue;
        this.sharedReceiveQueue = sharedReceiveQueue;
    }

    /** Its number, by which the peer names it. */
    public int number() {
        return context.number();
    }

    /** Its transport. */
    public QpType type() {
        return context.type();
    }

    /** Its state. */
    public QpState state() {
        return context.state();
    }

    /**
     * Why it went to ERR by itself: an exception in its own work, which is logged with its stack. Null if there was
     * none since the last reset. Any thread.
     */
    public @Nullable String failure() {
        return context.failure();
    }

    /** Its weight among the queue pairs of its group. Any thread. */
    public int weight() {
        return context.weight();
    }

    /** How soon it is served. Any thread. */
    public TrafficClass trafficClass() {
        return context.trafficClass();
    }

    /** Its rate limit. Any thread. */
    public RateLimit rateLimit() {
        return context.rateLimit();
    }

    /** Number of the peer's queue pair, 0 before RTR. */
    public int peerQp() {
        return context.peerQp();
    }

    /** Bytes of inline data that a request may carry. */
    public int maxInline() {
        return sendRing.maxInline();
    }

    /** Requests that were posted and are not complete. */
    public int outstanding() {
        return sendRing.outstanding();
    }

    /** Requests that may be outstanding. */
    public int maxSend() {
        return sendRing.capacity();
    }

    /**
     * Changes how many requests may be outstanding; outstanding ones are not affected. Its completion queues must have
     * room for the completions. For the thread that posts, outside of a batch; waits for the engine's turn. Memory for
     * the new number comes with the next request, if nothing is outstanding.
     *
     * @param requests 1 to {@value QueuePairAttributes#MAX_SEND}, rounded up to a power of two
     * @throws IllegalArgumentException if it is out of range
     * @throws IllegalStateException while a batch is open, or if there are to be fewer and some are outstanding
     */
    public void resizeSend(int requests) {
        batch.checkNone("resizeSend");
        int capacity = QueuePairAttributes.checkMaxSend(requests);
        engine.call(() -> sendRing.resize(capacity));
    }

    /**
     * Whether other groups send to its peer too and it has nothing left to send, so that more requests would get their
     * turn now. What the engine has not heard of yet is left. A hint; any thread.
     */
    public boolean isStarved() {
        return context.isStarved() && !sendRing.hasUnsent();
    }

    /** Whether the calling thread may do turns of the engine to send what is posted. Any thread. */
    public boolean mayAssist() {
        return engine.mayAssist(context);
    }

    /** What keeps it from sending more when its send queue is full. A hint; any thread. */
    public Limit limit() {
        return context.limit();
    }

    // ---- posting -----------------------------------------------------------------------------------------------

    /**
     * Puts a request into the send queue without telling the engine; {@link #doorbell} does that for a list. Between
     * {@link #start} and {@link #complete} it throws nothing: errors are kept until then.
     *
     * @throws IllegalStateException in a state in which sends cannot be posted (RESET, INIT, RTR), or if it is closed
     * @throws IllegalArgumentException if the request can never be executed
     */
    public PostResult post(SendRequest request) {
        return sendRing.isBatching() ? batch.post(request) : enqueue(request);
    }

    PostResult enqueue(SendRequest request) {
        int slot = encode(request, sendRing.maxInline());
        if (slot < 0) {
            return PostResult.QUEUE_FULL;
        }
        request.encodeInline(sendRing.buffer(), slot);
        sendRing.posted();
        return PostResult.POSTED;
    }

    /** Checks a request and puts it, except for inline data, into the next slot; -1 if the queue is full. */
    private int encode(SendRequest request, int maxInline) {
        checkSends();
        request.check(context.type(), sendRing.maxSge(), maxInline, pd.group().maxMessage(context.trafficClass()));
        int slot = sendRing.claim();
        if (slot >= 0) {
            request.encode(sendRing.buffer(), slot);
        }
        return slot;
    }

    /** Refuses sends in a state in which they cannot be posted. */
    void checkSends() {
        if (context.state().ordinal() < QpState.RTS.ordinal()) {
            throw transitions.refusal("sends need RTS");
        }
    }

    /**
     * Makes posted requests visible to the engine, including those that {@link #postSend(SendRequest)} has left to the
     * next turn, and runs the engine where its mode says so. What goes by a socket is sent by the engine's owner,
     * unless that sleeps.
     */
    public void doorbell() {
        batch.checkNone("a doorbell");
        sendRing.publish();
        engine.ring(context);
    }

    /**
     * Posts one request and rings the doorbell ({@code ibv_post_send(3)}). A small one-sided request or append to
     * memory that is mapped here is executed at once, without being queued, if nothing is ahead of it and the engine is
     * free.
     *
     * <p>Over a socket, a request that is posted while others wait for their answers, within 20 us of the engine's last
     * turn, leaves with the next turn, in one system call with everything else posted until then. In the mode INVOKER
     * that is the next turn of the thread that calls {@code doWork}, its next post after those 20 us, or its
     * {@link #doorbell}, whichever is first. Urgent requests do not wait.
     */
    public PostResult postSend(SendRequest request) {
        batch.checkNone("postSend");
        int slot = encode(request, sendRing.maxInline());
        boolean alone = !context.isFlushCostly() && sendRing.isIdle();
        if (slot >= 0) {
            if (alone && request.executeNow(engine, context, slot, POSTED_NOW)) {
                return PostResult.POSTED;
            }
            request.encodeInline(sendRing.buffer(), slot);
            sendRing.posted();
        }
        boolean soon = slot >= 0 && engine.sharesFlush(context) && sendRing.hasPublished();
        sendRing.publish();
        if (soon) {
            engine.ringSoon(context);
        } else {
            engine.ring(context);
        }
        return slot < 0 ? PostResult.QUEUE_FULL : PostResult.POSTED;
    }

    /**
     * Executes a request at once, as {@link #postSend(SendRequest)} does with a small one, or not at all. The request
     * may have any length, and so may its inline data, which is read where it lies: a message that is not in registered
     * memory is copied once, to its place at the peer.
     *
     * @return whether it was executed; if not (requests are ahead of it, others are to send, or the peer's memory is
     *     not mapped), nothing has happened, and it may be posted
     * @throws IllegalStateException as {@link #post}
     * @throws IllegalArgumentException if the request can never be executed
     */
    public boolean executeNow(SendRequest request) {
        batch.checkNone("executeNow");
        if (!sendRing.isIdle()) {
            return false;
        }
        int slot = encode(request, Integer.MAX_VALUE);
        return slot >= 0 && request.executeNow(engine, context, slot, Integer.MAX_VALUE);
    }

    /**
     * Posts requests in order and stops at the first that cannot be posted: those before it are posted, and the
     * doorbell is rung.
     *
     * @return requests posted; fewer than there are if the queue is full
     * @throws BadRequestException if one can never be executed; says which
     * @throws IllegalStateException as {@link #post}
     */
    public int postSend(List<SendRequest> requests) {
        batch.checkNone("postSend");
        int posted = 0;
        try {
            while (posted < requests.size() && enqueue(requests.get(posted)) == PostResult.POSTED) {
                posted++;
            }
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(posted, e);
        } finally {
            if (posted > 0) {
                doorbell();
            }
        }
        return posted;
    }

    // ---- a batch -----------------------------------------------------------------------------------------------

    /**
     * Starts a batch ({@code ibv_wr_start(3)}): the NIC does not see requests posted from now on until
     * {@link #complete}, and never if {@link #abort} comes instead. One batch at a time, by the thread that posts.
     *
     * @throws IllegalStateException if a batch has been started already, or the queue pair is closed
     */
    public void start() {
        batch.checkNone("start");
        transitions.checkNotClosed();
        batch.start();
    }

    /**
     * Ends the batch and rings the doorbell ({@code ibv_wr_complete(3)}): all of it is posted, or none of it.
     *
     * @return QUEUE_FULL if there was no room for one of its requests: nothing is posted
     * @throws BadRequestException if one of its requests can never be executed; says which. Nothing is posted
     * @throws IllegalStateException if the state was not one for sends (nothing is posted), or no batch was started
     */
    public PostResult complete() {
        PostResult result = batch.complete();
        if (result == PostResult.POSTED) {
            engine.ring(context);
        }
        return result;
    }

    /**
     * Ends the batch and discards it ({@code ibv_wr_abort(3)}).
     *
     * @throws IllegalStateException if no batch was started
     */
    public void abort() {
        batch.abort();
    }

    // ---- receives ----------------------------------------------------------------------------------------------

    /**
     * Posts a receive of one entry ({@code ibv_post_recv(3)}).
     *
     * @param wrId id that the completion carries
     * @param key local key
     * @param offset in the region
     * @param length bytes, at least 0
     * @throws IllegalStateException in RESET, if it is closed, or if it uses a shared receive queue
     */
    public PostResult postReceive(long wrId, int key, long offset, int length) {
        checkReceives();
        PostResult result = ReceiveRequest.post(receiveRing, wrId, key, offset, length);
        flushReceives();
        return result;
    }

    /**
     * Posts a receive.
     *
     * @throws IllegalArgumentException if the request has more entries than the queue pair was created for
     * @throws IllegalStateException in RESET, if it is closed, or if it uses a shared receive queue
     */
    public PostResult postReceive(ReceiveRequest request) {
        checkReceives();
        PostResult result = request.post(receiveRing);
        flushReceives();
        return result;
    }

    /**
     * Posts receives in order and stops at the first that cannot be posted: those before it are posted.
     *
     * @return requests posted; fewer than there are if the queue is full
     * @throws BadRequestException if one can never be executed; says which
     * @throws IllegalStateException in RESET, if it is closed, or if it uses a shared receive queue
     */
    public int postReceive(List<ReceiveRequest> requests) {
        checkReceives();
        try {
            return ReceiveRequest.post(receiveRing, requests);
        } finally {
            flushReceives();
        }
    }

    private void checkReceives() {
        if (sharedReceiveQueue != null) {
            throw new IllegalStateException("queue pair " + number() + " takes its receives from a shared queue");
        }
        if (context.state() == QpState.RESET) {
            throw transitions.refusal("receives need INIT");
        }
    }

    /** Requests that are posted in ERR, or on the way there, are flushed, so the state is checked afterwards. */
    private void flushReceives() {
        if (context.state() == QpState.ERR) {
            engine.ring(context);
        }
    }

    /** Lets a source fill the send queue from here on, and nobody else post; in RESET. */
    public SendFeed feed(SendSource source) {
        return new SendFeed(pd, engine, context, source);
    }

    // ---- states ------------------------------------------------------------------------------------------------

    /**
     * Changes state or attributes ({@code ibv_modify_qp(3)}). A refused call changes nothing.
     *
     * @throws IllegalStateException if the state table does not allow the move
     * @throws IllegalArgumentException if attributes are missing or extra, the group does not allow the weight or the
     *     traffic class, or the NIC's discipline does not support rate limits
     */
    public void modify(QpAttributes attributes) {
        transitions.modify(pd, attributes);
    }

    /** Makes it bulk, because its group may no longer have urgent queue pairs; from the engine's next turn on. */
    void makeBulk() {
        transitions.makeBulk();
    }

    /** Counts of what it has sent, and how long it waited. Any thread; also when it is closed. */
    public FlowStatistics statistics() {
        return context.statistics();
    }

    /** State and attributes as they are now; throws an IllegalStateException if it is closed. Any thread. */
    public QueuePairStatus query() {
        return transitions.status();
    }

    /**
     * Brings the queue pair from RESET to RTS with the defaults of {@link ConnectAttributes}.
     *
     * @param peerNic identity of the peer's NIC
     * @param peerQp number of the peer's queue pair
     */
    public void connect(long peerNic, int peerQp) {
        connect(peerNic, peerQp, new ConnectAttributes());
    }

    /** As {@link #connect(long, int)}, with other attributes. The ends must agree on MTU and PSNs. */
    public void connect(long peerNic, int peerQp, ConnectAttributes c) {
        modify(c.toInit());
        modify(c.toReceive(context.type(), peerNic, peerQp));
        modify(c.toSend(context.type()));
    }

    /** Brings a queue pair for datagrams, which must have this Q_Key, from RESET to RTS. */
    public void activate(int qkey) {
        modify(new QpAttributes().state(QpState.INIT).qkey(qkey));
        modify(new QpAttributes().state(QpState.RTR));
        modify(new QpAttributes().state(QpState.RTS).sendPsn(0));
    }

    /**
     * Binds a window of type 1 ({@code ibv_bind_mw(3)}): posts the request, which completes as
     * {@link WcOpcode#BIND_WINDOW}. The window has a new key at once ({@link MemoryWindow#key}); peers may use it from
     * the completion on; the previous key is invalid then.
     *
     * @param window of type 1
     * @param region with the access {@link io.verbena.nic.memory.Access#MW_BIND}
     * @param offset in the region
     * @param length in bytes; 0 binds the window to nothing
     * @param access what peers may do, remote flags only
     * @param wrId id that the completion carries
     */
    public PostResult bindWindow(
            MemoryWindow window, MemoryRegion region, long offset, long length, int access, long wrId) {
        int key = pd.nic().regions().newKey(window);
        SendRequest request = new SendRequest()
                .bindType1(window, key, region, offset, length, access)
                .wrId(wrId);
        return WindowBinding.post(this, request, window, key);
    }

    /**
     * Destroys it ({@code ibv_destroy_qp(3)}); outstanding requests end without completions, as the verbs require.
     * Waits a bounded time ({@link NicContext#acknowledgeTimeoutNanos}) for its asynchronous events: a thread
     * acknowledges what it has taken before it closes. Idempotent.
     *
     * @throws IllegalStateException (EBUSY) if events are not acknowledged in time; nothing has changed then
     */
    @Override
    public void close() {
        if (transitions.isClosed()) {
            return;
        }
        pd.nic().events().beginDestroy(Element.QUEUE_PAIR, number());
        boolean destroyed = false;
        try {
            synchronized (pd.nic()) {
                if (!transitions.isClosed()) {
                    destroy();
                }
                destroyed = true;
            }
        } finally {
            pd.nic().events().endDestroy(Element.QUEUE_PAIR, number(), destroyed);
        }
    }

    private void destroy() {
        transitions.close();
        sendQueue.leave(number());
        receiveQueue.leave(number());
        if (sharedReceiveQueue != null) {
            sharedReceiveQueue.leave(number());
        }
        pd.forget(this);
    }

    @Override
    public String toString() {
        return "queue pair " + number() + " in " + state();
    }
}
