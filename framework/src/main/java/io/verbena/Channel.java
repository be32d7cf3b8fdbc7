package io.verbena;

import io.verbena.nic.PostResult;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.FlowStatistics;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.verbs.QpState;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A reliable, ordered way to one inbox of a peer. Messages arrive whole, once, in the order in which they were offered,
 * or the channel is closed with a reason. Nothing here blocks, nothing calls back, and nothing is allocated per message: all
 * of it may be called by a handler, also one of the node's own, or of a channel on its {@link Node#eventLoop}.
 *
 * <pre>{@code
 *   Channel channel = node.connect("local:orders/echo", Duration.ofSeconds(5));
 *   while (channel.offer(buffer, 0, length) == SendResult.BACK_PRESSURED) {
 *       Thread.onSpinWait(); // in the mode INVOKER: node.doWork(); in handlers of the node not this, but message.again()
 *   }
 * }</pre>
 *
 * <p>Sending is for one thread at a time: a second one gets an {@link IllegalStateException} that names both, and nothing is
 * sent for it. A channel that was opened {@linkplain ChannelOptions#concurrent concurrent} takes any number of threads, each
 * one's messages in its order. {@link #isConnected}, {@link #closeReason} and {@link #close} are for any thread; nobody may be
 * sending when {@link #close} is called.
 */
public final class Channel extends MessageSender implements AutoCloseable {
    /** Returned by {@link #tryClaim}: not now, try again later. */
    public static final int BACK_PRESSURED = -1;
    /** Returned by {@link #tryClaim}: never, the channel is closed. */
    public static final int CLOSED = -2;

    private static final int NO_CLAIM = -1;
    /** What is as long finds the memory that was staged last in a near cache, if that is free again. */
    private static final int LONG_MESSAGE = 4096;

    /** Refusals after which a channel's window grows. */
    private static final int REFUSALS = 16;

    /** Most messages to which a channel's window grows. */
    private static final int MOST_DEPTH = 8192;

    /** Bytes of a tenant's window for which a message more may be under way. */
    private static final int LEAST_STAGED = 128;

    private final Connections connections;
    private final Connection connection;
    private final QueuePair queuePair;
    private final Engine engine;
    private final int maxInline;
    private final StagingRing staging;
    private final Tenant tenant;
    private int depth;
    private int refused; // since it has grown
    private final WindowGrowth growth = new WindowGrowth();
    private final UnsafeBuffer inlineClaim;
    private final SendRequest request = new SendRequest();
    private final OneThread use = new OneThread(); // entered for as long as a claim is open, too
    private boolean concurrent;
    private boolean watched; // by who takes the memory of idle channels
    private long postedAtLook; // its
    private final AtomicInteger givings = new AtomicInteger(); // odd while the node may be inside to take memory

    private int queueId;
    private int queueKey;
    private int maxMessage;
    private long posted;
    private long completed;
    private int claimLength = NO_CLAIM;
    private boolean claimInline;

    private @Nullable Object attachment;
    private volatile @Nullable Runnable onClosed;
    private volatile @Nullable Runnable onReady;
    private final AtomicBoolean awaitsRoom = new AtomicBoolean();
    private volatile @Nullable Reconnector reconnector;

    Channel(Connections connections, Connection connection, Engine engine, StagingRing staging, Tenant tenant) {
        this.connections = connections;
        this.connection = connection;
        this.queuePair = connection.queuePair;
        this.engine = engine;
        this.depth = queuePair.maxSend();
        this.maxInline = queuePair.maxInline();
        this.staging = staging;
        this.tenant = tenant;
        this.inlineClaim = new UnsafeBuffer(new byte[maxInline]);
    }

    /** Any number of threads send, or one at a time; before the connection is open. */
    void concurrent(boolean manyThreads) {
        concurrent = manyThreads;
        if (manyThreads) {
            use.forMany();
        }
    }

    /** The peer has said where messages go; before the connection is open. */
    void target() {
        queueId = connection.queueId;
        queueKey = connection.queueKey;
        bound();
    }

    /** The longest message: what the inbox takes, and an urgent channel. */
    private void bound() {
        int longest =
                isUrgent() ? Math.min(connection.maxMessage, tenant.options().urgentLimit()) : connection.maxMessage;
        maxMessage = queueKey == 0 ? -1 : longest;
    }

    // ---- sending ----------------------------------------------------------------------------------------------------

    /**
     * Sends a message. It has been copied when this returns. Over a socket a message that nothing is before leaves at once;
     * one that is offered while others are not acknowledged, within 20 us of the node's last turn, leaves with the next
     * turn, and many share its system call. In the mode INVOKER that is the next {@link Node#doWork}; {@link #flush} does not
     * wait for it. An urgent channel's messages do not wait.
     *
     * @param buffer holds it
     * @param offset of its first byte
     * @param length in bytes, 0 to {@link #maxMessage}
     * @return what became of it
     * @throws IllegalArgumentException if it is longer than the peer's inbox takes
     * @throws IllegalStateException if the peer gave no inbox to answer to
     */
    @Override
    public SendResult offer(DirectBuffer buffer, int offset, int length) {
        return send(buffer, offset, length, true);
    }

    /** As {@link #offer(DirectBuffer, int, int)}, with 32 bits beside the message. */
    public SendResult offer(DirectBuffer buffer, int offset, int length, int immediate) {
        return send(buffer, offset, length, immediate, true);
    }

    /**
     * As {@link #offer}, but the message may stay here until {@link #flush}: for batches, which then cost one doorbell.
     */
    public SendResult enqueue(DirectBuffer buffer, int offset, int length) {
        return send(buffer, offset, length, false);
    }

    private SendResult send(DirectBuffer buffer, int offset, int length, boolean now) {
        if (!enter()) {
            return notNow();
        }
        try {
            if (connection.state != Connection.OPEN || length > maxMessage || queuePair.state() != QpState.RTS) {
                return notSent(length);
            }
            request.append(queueId, queueKey).signaled(false);
            return length <= maxInline
                    ? post(request.inline(buffer, offset, length), now)
                    : postStaged(buffer, offset, length, now);
        } catch (IllegalStateException e) {
            return closedMeanwhile(e);
        } finally {
            use.leave();
        }
    }

    /**
     * As {@link #offer(DirectBuffer, int, int)}, for a message in two parts. Where the peer's memory is at hand and nothing is
     * before it, it is copied once, to its place there, however long it is.
     *
     * @param head holds the first part
     * @param headOffset of its first byte
     * @param headLength in bytes
     * @param body holds what follows
     * @param bodyOffset of its first byte
     * @param bodyLength in bytes, both together 0 to {@link #maxMessage}
     * @return what became of it
     * @throws IllegalArgumentException if it is longer than the peer's inbox takes
     * @throws IllegalStateException if the peer gave no inbox to answer to
     */
    public SendResult offer(
            DirectBuffer head, int headOffset, int headLength, DirectBuffer body, int bodyOffset, int bodyLength) {
        if (!enter()) {
            return notNow();
        }
        try {
            int length = (int) Math.min(Integer.MAX_VALUE, (long) headLength + bodyLength);
            if (connection.state != Connection.OPEN || length > maxMessage || queuePair.state() != QpState.RTS) {
                return notSent(length);
            }
            request.append(queueId, queueKey)
                    .signaled(false)
                    .inline(head, headOffset, headLength, body, bodyOffset, bodyLength);
            return length <= maxInline ? post(request, true) : postInParts(length);
        } catch (IllegalStateException e) {
            return closedMeanwhile(e);
        } finally {
            use.leave();
        }
    }

    /** As {@link #enqueue(DirectBuffer, int, int)}, with 32 bits beside the message. */
    public SendResult enqueue(DirectBuffer buffer, int offset, int length, int immediate) {
        return send(buffer, offset, length, immediate, false);
    }

    private SendResult send(DirectBuffer buffer, int offset, int length, int immediate, boolean now) {
        if (!enter()) {
            return notNow();
        }
        try {
            if (connection.state != Connection.OPEN || length > maxMessage || queuePair.state() != QpState.RTS) {
                return notSent(length);
            }
            request.appendImmediate(queueId, queueKey, immediate).signaled(false);
            return length <= maxInline
                    ? post(request.inline(buffer, offset, length), now)
                    : postStaged(buffer, offset, length, now);
        } catch (IllegalStateException e) {
            return closedMeanwhile(e);
        } finally {
            use.leave();
        }
    }

    /**
     * Sends what was enqueued, and what was offered and waits for the node's next turn. Of a {@linkplain
     * ChannelOptions#concurrent concurrent} channel also what other threads have enqueued.
     */
    public void flush() {
        boolean entered = !use.isMine() && enter();
        try {
            if (connection.state == Connection.OPEN) {
                queuePair.doorbell();
            }
        } finally {
            if (entered) {
                use.leave();
            }
        }
    }

    /**
     * Begins to send.
     *
     * @return false if other threads have kept the channel for too long: not now
     */
    private boolean enter() {
        return use.tryEnter() || enterAmongOthers();
    }

    private boolean enterAmongOthers() {
        if (use.isMine()) {
            throw new IllegalStateException(this + ": a claim of " + claimLength + " bytes is open");
        }
        int before = givings.get();
        if (!concurrent && use.tryEnter()) {
            return true; // the node was inside
        }
        boolean nodeInside = (before & 1) != 0 || givings.get() != before;
        if (!concurrent && !nodeInside) {
            throw use.refusal(this, "hand the channel over, or open it with ChannelOptions.concurrent(true)");
        }
        return use.tryEnterForLong();
    }

    private SendResult post(SendRequest message, boolean now) {
        if (submit(message, now) != PostResult.POSTED) {
            if (!makeRoom()) {
                return roomless();
            }
            submit(message, now);
        }
        posted++;
        return SendResult.SENT;
    }

    /** Posts a message with a doorbell of its own, or without one. */
    private PostResult submit(SendRequest message, boolean now) {
        return now ? queuePair.postSend(message) : queuePair.post(message);
    }

    private SendResult postStaged(DirectBuffer buffer, int offset, int length, boolean now) {
        if ((!hasRoom() && !makeRoom()) || !stage(length)) {
            return roomless();
        }
        staging.buffer().putBytes(staging.offset(), buffer, offset, length);
        postClaimed(length, now);
        return SendResult.SENT;
    }

    /** Sends the request, whose data lies in two places. */
    private SendResult postInParts(int length) {
        if (queuePair.outstanding() > 0) {
            queuePair.doorbell(); // what was enqueued goes first
        }
        if (queuePair.executeNow(request)) {
            posted++;
            return SendResult.SENT;
        }
        if ((!hasRoom() && !makeRoom()) || !stage(length)) {
            return roomless();
        }
        request.copyInline(staging.buffer(), staging.offset());
        request.append(queueId, queueKey).signaled(false);
        postClaimed(length, true);
        return SendResult.SENT;
    }

    private void postClaimed(int length, boolean now) {
        try {
            submit(request.local(staging.key(), staging.offset(), length), now);
        } catch (IllegalArgumentException e) { // urgent, and the bound was lowered
            staging.abort();
            throw e;
        }
        staging.commit(posted++);
    }

    /** Whether the send ring has a free slot, as far as is known. */
    private boolean hasRoom() {
        return posted - completed < depth;
    }

    /** Looks what is complete; if there is still no slot, does a share of the sending. */
    private boolean makeRoom() {
        takeCompleted();
        if (!hasRoom()) {
            push();
        }
        return hasRoom() || deepen();
    }

    private boolean stage(int length) {
        watch();
        if (length >= LONG_MESSAGE) {
            takeCompleted();
        }
        if (staging.claim(length)) {
            return true;
        }
        takeCompleted();
        if (staging.claim(length)) {
            return true;
        }
        push();
        return staging.claim(length) || (widen() && staging.claim(length));
    }

    /**
     * Whether a larger window would be used. Beside others that send to the same peer: if it was refused often, not the first time, while
     * all that it may have under way is. Alone: if a round trip does not grow with what is under way.
     */
    private boolean wantsMore() {
        if (!queuePair.isStarved()) {
            return growth.wantsMore();
        }
        return ++refused >= REFUSALS;
    }

    /** With the window as it is from here on. */
    private void begunAnew() {
        refused = 0;
        growth.grown();
        watch();
    }

    /** Lets more messages be under way, up to what the tenant's window allows. */
    private boolean deepen() {
        int most = Math.min(MOST_DEPTH, tenant.group().maxSendWindow() / LEAST_STAGED);
        if (depth >= most || !wantsMore()) {
            return false;
        }
        begunAnew(); // also if it may not: it is not asked for at each refusal
        if (!connections.grow(connection, 2 * depth)) {
            return false;
        }
        depth = queuePair.maxSend();
        staging.resize(depth);
        return true;
    }

    /** Lets more bytes be under way, up to the tenant's window. */
    private boolean widen() {
        if (2 * staging.capacity() > tenant.group().maxSendWindow() || !wantsMore()) {
            return false;
        }
        begunAnew(); // also if it may not: it is not asked for at each refusal
        return staging.grow(2 * staging.capacity());
    }

    /** Does a share of the sending, and looks what that completed. Calls nothing of the application: it may be a handler. */
    private void push() {
        queuePair.doorbell();
        if (queuePair.mayAssist()) {
            engine.progress();
        }
        takeCompleted();
    }

    /** Slots and the memory staged for them are freed together: the ring of stagings is as deep as the send ring. */
    private void takeCompleted() {
        completed = posted - queuePair.outstanding();
        staging.complete(completed);
        if (growth.ends(completed)) {
            growth.end();
        }
    }

    private void watch() {
        if (!watched) {
            watched = true;
            connections.hasMemory(this);
        }
    }

    /**
     * Gives the memory for messages back, and what it had grown by, if it has sent nothing since the last look and nothing is under
     * way. By the node; a thread that begins to send waits for it.
     *
     * @param sendDepth messages that it begins with
     * @param bytes that it begins with
     * @return whether it has none any more
     */
    boolean giveBackIfIdle(int sendDepth, int bytes) {
        if (isOver()) {
            return true; // goes with its queue pair
        }
        long sent = posted;
        if (sent != postedAtLook || queuePair.outstanding() > 0) {
            postedAtLook = sent;
            return false;
        }
        givings.incrementAndGet();
        try {
            return use.tryEnter() && giveBack(sent, sendDepth, bytes);
        } finally {
            givings.incrementAndGet();
        }
    }

    private boolean giveBack(long sent, int sendDepth, int bytes) {
        try {
            if (posted != sent || queuePair.outstanding() > 0) {
                return false;
            }
            takeCompleted();
            connections.shrink(connection, sendDepth);
            depth = sendDepth;
            staging.giveBack(bytes, sendDepth);
            refused = 0;
            growth.reset();
            watched = false;
            return true;
        } finally {
            use.leave();
        }
    }

    private SendResult roomless() {
        if (queuePair.state() != QpState.RTS) {
            return broken();
        }
        Limit limit = queuePair.limit();
        tenant.statistics().refuse(limit);
        if (limit == Limit.WINDOW) {
            growth.refused(posted);
        }
        return notNow();
    }

    /** There is no room; whoever wants to know is told when there is. */
    private SendResult notNow() {
        if (onReady != null && !awaitsRoom.get() && awaitsRoom.compareAndSet(false, true)) {
            int outstanding = queuePair.outstanding();
            tenant.node().turns().retry(() -> tellIfReady(outstanding));
        }
        return SendResult.BACK_PRESSURED;
    }

    /** Runs the listener if something has been completed since the refusal. By the node. */
    private boolean tellIfReady(int atRefusal) {
        int state = connection.state;
        boolean isFull = atRefusal > 0 && queuePair.outstanding() >= atRefusal && queuePair.state() == QpState.RTS;
        if (state < Connection.OPEN || (state == Connection.OPEN && isFull)) {
            return false;
        }
        Runnable listener = onReady;
        if (listener != null && !tenant.callbacks().enter(this, true)) {
            return false; // other callbacks of the tenant run: in a moment
        }
        awaitsRoom.set(false); // before the listener, which may be refused again
        if (listener != null) {
            try {
                listener.run();
            } finally {
                tenant.callbacks().leave();
            }
        }
        return true;
    }

    /**
     * Sets what the node runs, on its own thread as it does callbacks, each time the channel may take a message again after it
     * has refused one with {@link SendResult#BACK_PRESSURED}, and when it is closed instead. Room may be gone again when it
     * runs: whoever is refused again is told again. Any thread, before what it is to be told of.
     *
     * @param listener runs as {@link Node#execute} says: it may send, if no other thread does, and must not block
     */
    public void onReady(Runnable listener) {
        onReady = listener;
    }

    private SendResult broken() {
        connections.lookAt(connection);
        return SendResult.CLOSED;
    }

    /** The node may be closed, and the queue pair with it, by another thread while this one sends. */
    private SendResult closedMeanwhile(IllegalStateException refused) {
        if (connection.state <= Connection.OPEN) {
            throw refused;
        }
        return SendResult.CLOSED;
    }

    private SendResult notSent(int length) {
        int state = connection.state;
        if (state > Connection.OPEN) {
            return SendResult.CLOSED;
        }
        if (state < Connection.OPEN) {
            return notNow();
        }
        if (queuePair.state() != QpState.RTS) {
            return broken();
        }
        if (queueKey == 0) {
            throw new IllegalStateException(
                    this + ": the peer gave no inbox to answer to; it must pass one when it connects");
        }
        throw new IllegalArgumentException("message of " + length + " bytes > maximum " + maxMessage + " of " + this);
    }

    // ---- composing in place -----------------------------------------------------------------------------------------

    /**
     * Claims memory to compose a message in: at the returned offset of {@link #claimBuffer}. Must be followed by {@link
     * #commit}, {@link #enqueueClaim} or {@link #abortClaim}, by the same thread, before anything else is sent. Other threads of
     * a {@linkplain ChannelOptions#concurrent concurrent} channel are back-pressured until then.
     *
     * @param length in bytes, 0 to {@link #maxMessage}
     * @return the offset, {@link #BACK_PRESSURED} or {@link #CLOSED}
     */
    public int tryClaim(int length) {
        if (!enter()) {
            notNow();
            return BACK_PRESSURED;
        }
        int at = BACK_PRESSURED;
        try {
            at = claim(length);
        } finally {
            if (at < 0) {
                use.leave();
            }
        }
        return at;
    }

    private int claim(int length) {
        if (connection.state != Connection.OPEN
                || length > maxMessage
                || length < 0
                || queuePair.state() != QpState.RTS) {
            if (length < 0) {
                throw new IllegalArgumentException("length " + length + " < minimum 0");
            }
            return notSent(length) == SendResult.CLOSED ? CLOSED : BACK_PRESSURED;
        }
        boolean fits = hasRoom() || makeRoom();
        claimInline = length <= maxInline;
        if (!fits || (!claimInline && !stage(length))) {
            return roomless() == SendResult.CLOSED ? CLOSED : BACK_PRESSURED;
        }
        claimLength = length;
        return claimInline ? 0 : staging.offset();
    }

    /** Where the claimed message is composed. */
    public MutableDirectBuffer claimBuffer() {
        return claimInline ? inlineClaim : staging.buffer();
    }

    /** Sends the claimed message. */
    public SendResult commit() {
        return sendClaim(claimLength, true);
    }

    /**
     * Sends the first bytes of the claimed message.
     *
     * @param length in bytes, 0 to what was claimed
     */
    public SendResult commit(int length) {
        return sendClaim(length, true);
    }

    /** As {@link #commit()}, but the message may stay here until {@link #flush}. */
    public SendResult enqueueClaim() {
        return sendClaim(claimLength, false);
    }

    private SendResult sendClaim(int length, boolean now) {
        if (claimLength == NO_CLAIM || length < 0 || length > claimLength) {
            throw new IllegalStateException(
                    claimLength == NO_CLAIM
                            ? this + ": nothing is claimed"
                            : "length " + length + " outside 0.." + claimLength + ", which was claimed");
        }
        if (connection.state != Connection.OPEN) {
            abortClaim();
            return SendResult.CLOSED;
        }
        claimLength = NO_CLAIM;
        try {
            request.append(queueId, queueKey).signaled(false);
            if (claimInline) {
                submit(request.inline(inlineClaim, 0, length), now);
                posted++;
            } else {
                postClaimed(length, now);
            }
            return SendResult.SENT;
        } catch (IllegalStateException e) {
            return closedMeanwhile(e);
        } finally {
            use.leave();
        }
    }

    /** Gives the claim up. */
    public void abortClaim() {
        if (claimLength != NO_CLAIM) {
            claimLength = NO_CLAIM;
            if (!claimInline) {
                staging.abort();
            }
            use.leave();
        }
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    /** Its weight among the tenant's connections. */
    public int weight() {
        return queuePair.weight();
    }

    /**
     * Sets its weight, from the scheduler's next visit on. Any thread.
     *
     * @param value 1 to what the tenant may set
     * @throws IllegalArgumentException if the tenant may not set it
     * @throws IllegalStateException if the channel is closed
     */
    public void weight(int value) {
        modify(new QpAttributes().weight(value));
    }

    /** Whether its messages go before others. */
    public boolean isUrgent() {
        return queuePair.trafficClass() == TrafficClass.URGENT;
    }

    /**
     * Sets whether its messages go before others; their length is then bounded by {@link TenantOptions#urgentLimit}. By the
     * thread that sends.
     *
     * @throws IllegalArgumentException if the tenant may not set it
     * @throws IllegalStateException if the channel is closed
     */
    public void urgent(boolean before) {
        modify(new QpAttributes().trafficClass(before ? TrafficClass.URGENT : TrafficClass.BULK));
        bound();
    }

    private void modify(QpAttributes a) {
        if (!isConnected()) {
            throw new IllegalStateException(this + " is closed");
        }
        queuePair.modify(a);
    }

    /** What it has sent and waited for. */
    public FlowStatistics statistics() {
        return queuePair.statistics();
    }

    /** Bytes of the longest message that can be sent; -1 if the peer gave no inbox. */
    public int maxMessage() {
        return maxMessage;
    }

    /** Messages that were sent and that the peer has not acknowledged, enqueued ones included. */
    public int outstanding() {
        return connection.state >= Connection.CLOSED ? 0 : queuePair.outstanding();
    }

    /** Bytes of messages, above those that go inline, that it may keep until they are acknowledged. By the thread that sends. */
    int window() {
        return staging.capacity();
    }

    /** Whether it holds memory for messages. By the thread that sends, or while nobody does. */
    boolean hasMemory() {
        return watched;
    }

    /** Whether messages flow. */
    public boolean isConnected() {
        int state = connection.state;
        return state == Connection.OPEN || state == Connection.ACCEPTED;
    }

    /** Why it is closed; null while it is not. */
    public @Nullable CloseReason closeReason() {
        return connection.reason;
    }

    /** Whether the peer connected to this node, and not the other way round. */
    public boolean isIncoming() {
        return connection.incoming;
    }

    /** The name of the peer's node; empty until it is connected. */
    public String peerName() {
        return connection.peerName;
    }

    /** Identity of the peer's NIC; a node that is launched again has another one. */
    public long peerNic() {
        return connection.peerNic;
    }

    /** An object of the application's that goes with this connection, or null. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** Sets the {@link #attachment}; visible to other threads with whatever hands the channel over. */
    public void attach(@Nullable Object object) {
        attachment = object;
    }

    /** Whether it is closed for good: nothing comes by it any more. */
    boolean isOver() {
        return connection.state >= Connection.CLOSED;
    }

    /** Sets what is run when it is closed for good: by the node, or now if it is. */
    void onClosed(Runnable listener) {
        onClosed = listener;
        if (isOver()) {
            listener.run();
        }
    }

    /** It was closed for good; by the node. */
    void closed() {
        Runnable listener = onClosed;
        if (listener != null) {
            listener.run();
        }
        Reconnector next = reconnector;
        if (next != null) {
            next.lost(this);
        }
    }

    /** Sets what replaces it when it is lost. */
    void reconnector(Reconnector next) {
        reconnector = next;
    }

    /** It is there in place of another: who was told of that one's end is told of this one's. */
    void succeeds(Channel lost) {
        Runnable listener = lost.onClosed;
        if (listener != null) {
            onClosed(listener);
        }
    }

    @Override
    Node node() {
        return tenant.node();
    }

    int queuePairNumber() {
        return connection.number;
    }

    Connection connection() {
        return connection;
    }

    /** The queue pair is gone; nobody sends. */
    void release() {
        staging.close();
    }

    /**
     * Closes the channel: what was sent or enqueued still reaches the peer, within the node's linger time, unless the peer
     * closes too, or answers to an inbox that is closed here. Does not wait for that; the log tells what may not have arrived.
     * Idempotent.
     */
    @Override
    public void close() {
        Reconnector next = reconnector;
        if (next != null) {
            next.stop();
        }
        if (connection.state == Connection.OPEN) {
            queuePair.doorbell();
        }
        connections.close(connection);
    }

    @Override
    public String toString() {
        return "channel " + connection + ", tenant '" + tenant.name() + "'";
    }
}
