package io.verbena.nic;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.ReceiveWqeDescriptor;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An end of a connection, or of datagrams ({@code ibv_create_qp(3)}): a send queue and a receive queue.
 *
 * <p>One thread at a time posts sends, one posts receives. {@link #modify} and {@link #close} are for any thread, when
 * nobody posts.
 */
public final class QueuePair implements AutoCloseable {
    private static final int MAX_MESSAGE = Integer.MAX_VALUE;

    private final ProtectionDomain pd;
    private final Engine engine;
    private final QpContext context;
    private final SendRing sendRing;
    private final ReceiveRing receiveRing;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final @Nullable SharedReceiveQueue sharedReceiveQueue;
    private boolean closed;

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
        this.sendRing = context.sendRing();
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

    // ---- posting -----------------------------------------------------------------------------------------------

    /**
     * Puts a request into the send queue without telling the engine; {@link #doorbell} does that for a list.
     *
     * @throws IllegalStateException in a state in which sends cannot be posted (RESET, INIT, RTR)
     * @throws IllegalArgumentException if the request can never be executed
     */
    public PostResult post(SendRequest request) {
        QpState state = context.state();
        if (state.ordinal() < QpState.RTS.ordinal()) {
            throw new IllegalStateException("queue pair " + number() + " is in " + state + ", sends need RTS");
        }
        request.check(context.type(), sendRing.maxSge(), sendRing.maxInline(), MAX_MESSAGE);
        int slot = sendRing.claim();
        if (slot < 0) {
            return PostResult.QUEUE_FULL;
        }
        request.encode(sendRing.buffer(), slot);
        sendRing.posted();
        return PostResult.POSTED;
    }

    /** Makes what was posted visible to the engine, and runs it where the engine's mode says so. */
    public void doorbell() {
        sendRing.publish();
        engine.ring(context);
    }

    /** Posts one request and rings the doorbell ({@code ibv_post_send(3)}). */
    public PostResult postSend(SendRequest request) {
        PostResult result = post(request);
        doorbell();
        return result;
    }

    /**
     * Posts a receive of one entry ({@code ibv_post_recv(3)}).
     *
     * @param wrId id that the completion carries
     * @param key local key
     * @param offset in the region
     * @param length bytes, at least 0
     * @throws IllegalStateException in RESET, or if the queue pair takes its receives from a shared queue
     */
    public PostResult postReceive(long wrId, int key, long offset, int length) {
        if (sharedReceiveQueue != null) {
            throw new IllegalStateException("queue pair " + number() + " takes its receives from a shared queue");
        }
        QpState state = context.state();
        if (state == QpState.RESET) {
            throw new IllegalStateException("queue pair " + number() + " is in RESET, receives need INIT");
        }
        PostResult result = post(receiveRing, wrId, key, offset, length);
        if (state == QpState.ERR) {
            engine.ring(context); // flushes it
        }
        return result;
    }

    static PostResult post(ReceiveRing ring, long wrId, int key, long offset, int length) {
        if (length < 0) {
            throw new IllegalArgumentException("length " + length + " < minimum 0");
        }
        int slot = ring.claim();
        if (slot < 0) {
            return PostResult.QUEUE_FULL;
        }
        UnsafeBuffer b = ring.buffer();
        b.putLong(slot + ReceiveWqeDescriptor.WR_ID, wrId);
        b.putInt(slot + ReceiveWqeDescriptor.SGE_COUNT, 1);
        b.putInt(slot + ReceiveWqeDescriptor.LENGTH, length);
        int entry = slot + ReceiveWqeDescriptor.DATA;
        b.putInt(entry + SendWqeDescriptor.SGE_KEY, key);
        b.putInt(entry + SendWqeDescriptor.SGE_BYTES, length);
        b.putLong(entry + SendWqeDescriptor.SGE_OFFSET, offset);
        ring.publish();
        return PostResult.POSTED;
    }

    // ---- states ------------------------------------------------------------------------------------------------

    /**
     * Changes state or attributes ({@code ibv_modify_qp(3)}). A refused call changes nothing.
     *
     * @throws IllegalStateException if the state table does not allow the move
     * @throws IllegalArgumentException if attributes are missing or extra
     */
    public void modify(QpAttributes attributes) {
        engine.call(() -> modifyUnderBaton(attributes));
    }

    private void modifyUnderBaton(QpAttributes a) {
        QpState from = context.state();
        QpState to = a.state == null ? from : a.state;
        if (closed) {
            throw new IllegalStateException("queue pair " + number() + " is closed");
        }
        if (!from.mayBecome(to)) {
            throw new IllegalStateException("queue pair " + number() + " may not go from " + from + " to " + to);
        }
        a.check(context.type(), from, to);
        if (to == QpState.RTR && from == QpState.INIT) {
            toReadyToReceive(a);
        }
        set(a);
        if (to == QpState.RTS && from == QpState.RTR) {
            context.startSending(a.sendPsn);
        } else if (to == QpState.RESET && context.path() != null) {
            engine.remove(context);
            engine.add(context);
        }
        context.state(to);
        if (to == QpState.RTS || to == QpState.SQD) {
            engine.services().schedule(context);
        }
    }

    private void toReadyToReceive(QpAttributes a) {
        if (context.type() == QpType.UD) {
            context.receiveDatagrams();
            return;
        }
        Path path = engine.path(a.peerNic);
        path.checkMtu(a.pathMtu);
        context.connect(path, a.peerQp, a.pathMtu, a.receivePsn, a.maxDestRdAtomic);
        path.queuePairs().add(context);
    }

    /** Sets what may be set in more than one state. */
    private void set(QpAttributes a) {
        if (a.has(QpAttributes.ACCESS)) {
            context.access(a.access);
        }
        if (a.has(QpAttributes.QKEY)) {
            context.qkey(a.qkey);
        }
        if (a.has(QpAttributes.MIN_RNR_TIMER)) {
            context.minRnrTimer(a.minRnrTimer);
        }
        if (a.has(QpAttributes.TIMEOUT)) {
            context.timeout(a.timeout);
        }
        if (a.has(QpAttributes.RETRY_COUNT)) {
            context.retryCount(a.retryCount);
        }
        if (a.has(QpAttributes.RNR_RETRY)) {
            context.rnrRetry(a.rnrRetry);
        }
        if (a.has(QpAttributes.MAX_RD_ATOMIC)) {
            context.maxRdAtomic(a.maxRdAtomic);
        }
    }

    /**
     * Brings the queue pair from RESET to RTS with defaults: remote write, read and atomics allowed, packets of
     * {@value ConnectAttributes#DEFAULT_MTU} bytes, an acknowledgement timeout of 1.07 s, seven retries, RNR retries for
     * ever, 16 READs and atomics outstanding.
     *
     * @param peerNic identity of the peer's NIC
     * @param peerQp number of the peer's queue pair
     */
    public void connect(long peerNic, int peerQp) {
        connect(peerNic, peerQp, new ConnectAttributes());
    }

    /** As {@link #connect(long, int)}, with other attributes. Both ends must have the same MTU and PSNs. */
    public void connect(long peerNic, int peerQp, ConnectAttributes c) {
        boolean reliable = context.type() == QpType.RC;
        modify(new QpAttributes().state(QpState.INIT).access(c.access));
        QpAttributes receive = new QpAttributes()
                .state(QpState.RTR)
                .peerNic(peerNic)
                .peerQp(peerQp)
                .pathMtu(c.pathMtu)
                .receivePsn(c.receivePsn);
        modify(reliable ? receive.maxDestRdAtomic(c.maxRdAtomic).minRnrTimer(c.minRnrTimer) : receive);
        QpAttributes send = new QpAttributes().state(QpState.RTS).sendPsn(c.sendPsn);
        modify(
                reliable
                        ? send.timeout(c.timeout)
                                .retryCount(c.retryCount)
                                .rnrRetry(c.rnrRetry)
                                .maxRdAtomic(c.maxRdAtomic)
                        : send);
    }

    /**
     * Brings a queue pair for datagrams from RESET to RTS.
     *
     * @param qkey the Q_Key that datagrams to it must have
     */
    public void activate(int qkey) {
        modify(new QpAttributes().state(QpState.INIT).qkey(qkey));
        modify(new QpAttributes().state(QpState.RTR));
        modify(new QpAttributes().state(QpState.RTS).sendPsn(0));
    }

    /**
     * Binds a window of type 1 ({@code ibv_bind_mw(3)}): posts the request, which completes as
     * {@link WcOpcode#BIND_WINDOW}. The window has a new key at once ({@link MemoryWindow#key}); peers may use it from the
     * completion on, and the earlier key no more.
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
        PostResult result = postSend(new SendRequest()
                .bindType1(window, key, region, offset, length, access)
                .wrId(wrId));
        if (result == PostResult.POSTED) {
            window.key(key);
        }
        return result;
    }

    /** Destroys it; what is outstanding ends without completions, as the verbs say. Idempotent. */
    @Override
    public void close() {
        synchronized (pd.nic()) {
            if (closed) {
                return;
            }
            engine.call(() -> {
                closed = true;
                engine.remove(context); // while it still knows its path
                context.state(QpState.RESET);
            });
            sendQueue.use(-1);
            receiveQueue.use(-1);
            if (sharedReceiveQueue != null) {
                sharedReceiveQueue.use(-1);
            }
            pd.forget(this);
        }
    }

    @Override
    public String toString() {
        return "queue pair " + number() + " in " + state();
    }
}
