package io.verbena.channel;

import io.verbena.SendResult;
import io.verbena.connection.Connection;
import io.verbena.connection.Connections;
import io.verbena.dispatch.SingleThreadGuard;
import io.verbena.dispatch.TenantCallbacks;
import io.verbena.dispatch.Turns;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.PostResult;
import io.verbena.nic.SendRequest;
import io.verbena.nic.verbs.QpState;
import io.verbena.path.SendPath;
import io.verbena.path.StagingRing;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a channel's messages: each is put into its request, or staged in memory that the NIC reads. Nothing here
 * blocks, calls back or allocates.
 *
 * <p>For one thread at a time, or for any number that take turns; a second one is refused where there is to be one. It
 * is entered for each message, and for as long as a claim is open, in which its thread rests. So of a connection that
 * is closed, {@link #finish} knows when nothing more is accepted.
 */
public final class ChannelSender extends SingleThreadGuard {
    /** Returned by {@link #tryClaim}: not now, try again later. */
    public static final int BACK_PRESSURED = -1;
    /** Returned by {@link #tryClaim}: never, the channel is closed. */
    public static final int CLOSED = -2;

    private static final int NO_CLAIM = -1;

    /** In which a thread puts a message together: one for all channels, which is in its cache whichever sends. */
    private static final ThreadLocal<SendRequest> REQUEST = ThreadLocal.withInitial(SendRequest::new);

    private final Object channel; // for texts
    private final Connections connections;
    private final Connection connection;
    private final SendPath path;
    private final int stream;
    private final PerformanceGroup group;
    private final SendWindow window;
    private final SenderRetries retries;
    private final boolean concurrent;
    private final int maxInline;
    private @Nullable UnsafeBuffer inlineClaim; // made for the first claim: most of many channels are idle

    private volatile int state; // of the connection, a copy that may be a moment behind: one cache line less a message
    private int queueId;
    private int queueKey;
    private int maxMessage;
    private int claimLength = NO_CLAIM;
    private boolean claimInline;
    private long posted;
    private boolean finished; // nothing more is accepted; under the lock of Connections

    /**
     * Creates a sender.
     *
     * @param channel whose messages it sends, for texts
     * @param staging memory for messages that do not go inline
     * @param group pays for them
     * @param callbacks of the same tenant
     * @param concurrent whether any number of threads send, or one at a time
     */
    public ChannelSender(
            Object channel,
            Connections connections,
            Connection connection,
            StagingRing staging,
            PerformanceGroup group,
            TenantCallbacks callbacks,
            Turns turns,
            boolean concurrent) {
        this.channel = channel;
        this.connections = connections;
        this.connection = connection;
        this.path = connection.path;
        this.stream = connection.stream();
        this.group = group;
        this.window = new SendWindow(connections, connection, staging, group, this);
        this.retries = new SenderRetries(channel, this, connection, callbacks, turns);
        this.concurrent = concurrent;
        this.maxInline = path.maxInline();
        if (concurrent) {
            forMany();
        }
    }

    /** The connection's state is this from now on; told by the channel. */
    public void state(int now) {
        state = now;
    }

    /** The peer has said where messages go; before the connection is open. */
    public void target() {
        queueId = connection.peer.queueId();
        queueKey = connection.peer.queueKey();
        bound();
    }

    /** Finds the longest message: what the inbox takes, and an urgent channel. */
    public void bound() {
        int longest = connection.isUrgent()
                ? Math.min(connection.peer.maxMessage(), group.query().urgentLimit())
                : connection.peer.maxMessage();
        maxMessage = queueKey == 0 ? -1 : longest;
    }

    /** Bytes of the longest message; -1 if the peer gave no inbox. */
    public int maxMessage() {
        return maxMessage;
    }

    /** Messages that were posted. */
    long posted() {
        return posted;
    }

    /** What it may have under way. */
    public SendWindow window() {
        return window;
    }

    /** Sets what the node runs when there is room again after a refusal. Any thread. */
    public void onReady(Runnable listener) {
        retries.onReady(listener);
    }

    /**
     * Once the connection is closed: lets leave what was accepted. A claim that is open will be refused. Under the lock
     * of {@link Connections}.
     *
     * @return whether that is all; false while a thread is inside that may have found the connection open
     */
    public boolean finish() {
        if (finished) {
            return true;
        }
        boolean looks = tryLook();
        try {
            if (looks || isResting()) {
                finished = true;
                path.flush();
            }
        } catch (RuntimeException e) {
            // The node's engine has failed, and has said so; the connection does not wait for what stays here.
        } finally {
            if (looks) {
                endLook();
            }
        }
        return finished;
    }

    /** Gives the memory back; nobody sends any more. */
    public void release() {
        window.release();
    }

    // ---- sending ----------------------------------------------------------------------------------------------------

    /** Sends a message; unless it is to go now, it may stay until {@link #flush}. */
    public SendResult send(DirectBuffer buffer, int offset, int length, boolean now) {
        if (!enter()) {
            return notNow();
        }
        try {
            if (isRefused(length)) {
                return notSent(length);
            }
            SendRequest append = append().signaled(false);
            return length <= maxInline
                    ? post(append.inline(buffer, offset, length), now)
                    : postStaged(append, buffer, offset, length, now);
        } catch (RuntimeException e) {
            return closedMeanwhile(e);
        } finally {
            leave();
        }
    }

    /** As the other, with 32 bits beside the message. */
    public SendResult send(DirectBuffer buffer, int offset, int length, int immediate, boolean now) {
        if (!enter()) {
            return notNow();
        }
        try {
            if (isRefused(length)) {
                return notSent(length);
            }
            SendRequest append = REQUEST.get().appendImmediate(queueId, queueKey, immediate).stream(stream)
                    .signaled(false);
            return length <= maxInline
                    ? post(append.inline(buffer, offset, length), now)
                    : postStaged(append, buffer, offset, length, now);
        } catch (RuntimeException e) {
            return closedMeanwhile(e);
        } finally {
            leave();
        }
    }

    /** Sends a message in two parts. */
    public SendResult send(
            DirectBuffer head, int headOffset, int headLength, DirectBuffer body, int bodyOffset, int bodyLength) {
        if (!enter()) {
            return notNow();
        }
        try {
            int length = (int) Math.min(Integer.MAX_VALUE, (long) headLength + bodyLength);
            if (isRefused(length)) {
                return notSent(length);
            }
            SendRequest append =
                    append().signaled(false).inline(head, headOffset, headLength, body, bodyOffset, bodyLength);
            return length <= maxInline ? post(append, true) : postInParts(append, length);
        } catch (RuntimeException e) {
            return closedMeanwhile(e);
        } finally {
            leave();
        }
    }

    private boolean isRefused(int length) {
        return !isOpen() || length > maxMessage || path.state() != QpState.RTS;
    }

    private boolean isOpen() {
        return state == Connection.OPEN || connection.state == Connection.OPEN;
    }

    /**
     * Sends what was enqueued, and what was offered and waits for the node's next turn. While another thread keeps the
     * channel, who may just be putting a message behind them, that one does so as its claim ends, or the node does.
     */
    public void flush() {
        if (isMine()) {
            flushInside();
        } else if (enter()) {
            try {
                flushInside();
            } finally {
                leave();
            }
        } else {
            retries.flushLater();
        }
    }

    /** As {@link #flush}, by a thread that is inside. */
    void flushInside() {
        try {
            if (isOpen()) {
                path.flush();
            }
        } catch (RuntimeException e) {
            closedMeanwhile(e);
        }
    }

    /**
     * Begins to send.
     *
     * @return false if other threads have kept the channel for too long: not now
     */
    private boolean enter() {
        return tryEnter() || enterAmongOthers();
    }

    private boolean enterAmongOthers() {
        if (isMine()) {
            throw new IllegalStateException(channel + ": a claim of " + claimLength + " bytes is open");
        }
        int before = window.givings();
        if (!concurrent && tryEnter()) {
            return true; // the node was inside
        }
        boolean nodeInside = (before & 1) != 0 || window.givings() != before;
        if (!concurrent && !nodeInside) {
            throw refusal(channel, "hand the channel over, or open it with ChannelOptions.concurrent(true)");
        }
        return tryEnterForLong();
    }

    /** Begins the request for a message. */
    private SendRequest append() {
        return REQUEST.get().append(queueId, queueKey).stream(stream);
    }

    /** Not by {@link #submit}: HotSpot inlines 15 levels of calls, and a store in a peer's memory is the fifteenth. */
    private SendResult post(SendRequest message, boolean now) {
        if ((now ? path.post(message) : path.enqueue(message)) != PostResult.POSTED) {
            if (!window.makeRoom()) {
                return roomless();
            }
            submit(message, now);
        }
        posted++;
        return SendResult.SENT;
    }

    /** Posts a message with a doorbell of its own, or without one. */
    private PostResult submit(SendRequest message, boolean now) {
        return now ? path.post(message) : path.enqueue(message);
    }

    private SendResult postStaged(SendRequest message, DirectBuffer buffer, int offset, int length, boolean now) {
        if (!window.ensureRoom() || !window.stage(length)) {
            return roomless();
        }
        StagingRing staging = window.staging();
        staging.buffer().putBytes(staging.offset(), buffer, offset, length);
        postClaimed(message, length, now);
        return SendResult.SENT;
    }

    /** Sends the request, whose data lies in two places. */
    private SendResult postInParts(SendRequest message, int length) {
        if (path.executeNow(message)) {
            posted++;
            return SendResult.SENT;
        }
        if (!window.ensureRoom() || !window.stage(length)) {
            return roomless();
        }
        StagingRing staging = window.staging();
        message.copyInline(staging.buffer(), staging.offset());
        postClaimed(append().signaled(false), length, true);
        return SendResult.SENT;
    }

    private void postClaimed(SendRequest message, int length, boolean now) {
        StagingRing staging = window.staging();
        try {
            submit(message.local(staging.key(), staging.offset(), length), now);
        } catch (IllegalArgumentException e) { // urgent, and the bound was lowered
            staging.abort();
            throw e;
        }
        staging.commit(posted++);
    }

    // ---- refusals ---------------------------------------------------------------------------------------------------

    private SendResult roomless() {
        if (path.state() != QpState.RTS) {
            return broken();
        }
        window.refuse();
        return notNow();
    }

    /** There is no room; whoever wants to know is told when there is. */
    private SendResult notNow() {
        retries.refused();
        return SendResult.BACK_PRESSURED;
    }

    private SendResult broken() {
        connections.lookAt(connection);
        return SendResult.CLOSED;
    }

    /**
     * The node may be closed by another thread while this one sends, and with it the queue pair, links and memory; as
     * the JVM ends, for instance. Whatever is refused then is refused because the node is closed.
     */
    private SendResult closedMeanwhile(RuntimeException refused) {
        if (connection.state <= Connection.OPEN) {
            throw refused;
        }
        return SendResult.CLOSED;
    }

    private SendResult notSent(int length) {
        int now = connection.state;
        if (now > Connection.OPEN) {
            return SendResult.CLOSED;
        }
        if (now < Connection.OPEN) {
            return notNow();
        }
        if (path.state() != QpState.RTS) {
            return broken();
        }
        if (queueKey == 0) {
            throw new IllegalStateException(
                    channel + ": the peer gave no inbox to answer to; it must pass one when it connects");
        }
        if (length <= maxMessage) {
            return notNow(); // it has opened since it was looked at
        }
        throw new IllegalArgumentException(
                "message of " + length + " bytes > maximum " + maxMessage + " of " + channel);
    }

    // ---- composing in place -----------------------------------------------------------------------------------------

    /** Claims memory to compose a message in. @return the offset, {@link #BACK_PRESSURED} or {@link #CLOSED} */
    public int tryClaim(int length) {
        if (!enter()) {
            notNow();
            return BACK_PRESSURED;
        }
        int at = BACK_PRESSURED;
        try {
            at = claim(length);
        } catch (RuntimeException e) {
            closedMeanwhile(e);
            at = CLOSED;
        } finally {
            if (at < 0) {
                leave();
            } else {
                rest();
            }
        }
        return at;
    }

    private int claim(int length) {
        if (length < 0 || isRefused(length)) {
            if (length < 0) {
                throw new IllegalArgumentException("length " + length + " < minimum 0");
            }
            return notSent(length) == SendResult.CLOSED ? CLOSED : BACK_PRESSURED;
        }
        boolean fits = window.ensureRoom();
        claimInline = length <= maxInline;
        if (!fits || (!claimInline && !window.stage(length))) {
            return roomless() == SendResult.CLOSED ? CLOSED : BACK_PRESSURED;
        }
        claimLength = length;
        return claimInline ? 0 : window.staging().offset();
    }

    /** Where the claimed message is composed. */
    public MutableDirectBuffer claimBuffer() {
        return claimInline ? inlineClaim() : window.staging().buffer();
    }

    private UnsafeBuffer inlineClaim() {
        if (inlineClaim == null) {
            inlineClaim = new UnsafeBuffer(new byte[maxInline]);
        }
        return inlineClaim;
    }

    /** Bytes that were claimed. */
    public int claimLength() {
        return claimLength;
    }

    /** Sends the first bytes of the claimed message; unless it is to go now, it may stay until {@link #flush}. */
    public SendResult sendClaim(int length, boolean now) {
        if (claimLength == NO_CLAIM || length < 0 || length > claimLength) {
            throw new IllegalStateException(
                    claimLength == NO_CLAIM
                            ? channel + ": nothing is claimed"
                            : "length " + length + " outside 0.." + claimLength + ", which was claimed");
        }
        goOn();
        if (!isOpen()) {
            abortClaim();
            return SendResult.CLOSED;
        }
        claimLength = NO_CLAIM;
        try {
            SendRequest append = append().signaled(false);
            if (claimInline) {
                submit(append.inline(inlineClaim(), 0, length), now);
                posted++;
            } else {
                postClaimed(append, length, now);
            }
            return SendResult.SENT;
        } catch (RuntimeException e) {
            return closedMeanwhile(e);
        } finally {
            retries.flushIfAsked();
            leave();
        }
    }

    /** Gives the claim up, if there is one. */
    public void abortClaim() {
        if (claimLength != NO_CLAIM) {
            claimLength = NO_CLAIM;
            if (!claimInline) {
                window.staging().abort();
            }
            retries.flushIfAsked();
            leave();
        }
    }
}
