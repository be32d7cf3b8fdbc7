package io.verbena;

import io.verbena.call.CallFlyweight;
import io.verbena.call.CallTable;
import io.verbena.dispatch.SingleThreadGuard;
import io.verbena.dispatch.TenantCallbacks;
import io.verbena.dispatch.TurnTask;
import io.verbena.fabric.Nanos;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Calls responders: sends requests, and reports exactly once how each call ended. A call ends with its response, with
 * its deadline, or with its channel, whichever comes first; a response that comes later is dropped and counted.
 *
 * <pre>{@code
 *   Requester requester = node.openRequester();
 *   Channel echo = requester.connect("tcp://10.0.0.7:9000/echo", Duration.ofSeconds(5));
 *   requester.call(echo, buffer, 0, length, TIMEOUT, 7, response -> ...);
 *   while (requester.poll(16) == 0) {
 *       Thread.onSpinWait();
 *   }
 * }</pre>
 *
 * <p>One thread at a time calls and one thread at a time polls; these may be two threads, and the node's thread may be
 * the one that polls ({@link #pollOnNode}). A channel serves one requester only. Nothing is allocated per call.
 *
 * <p>Concurrency: what caller and poller share is in a {@link CallTable}.
 */
public final class Requester implements AutoCloseable {
    private static final int POLL_LIMIT = 256;

    private final Node node;
    private final NanoClock clock;
    private final Inbox inbox;
    private final CallTable<Channel, ResponseHandler> calls;
    private final Response response = new Response();
    private final MessageHandler onMessage = this::onMessage;
    private final BooleanSupplier hasWork = this::hasWork;
    private final TurnTask turn = new Turn();
    private final SingleThreadGuard calling = new SingleThreadGuard();
    private final AtomicBoolean polling = new AtomicBoolean();
    private final AtomicLong late = new AtomicLong();

    private int ended; // the poller's, in this poll
    private volatile boolean channelClosed;
    private volatile long sleepsUntil = Long.MAX_VALUE; // the node, where it polls
    private volatile boolean nodePolls;
    private volatile boolean closed;

    Requester(Node node, Inbox inbox, RequesterOptions options) {
        this.node = node;
        this.clock = node.clock();
        this.inbox = inbox;
        this.calls = new CallTable<>(options.maxOutstanding);
    }

    /** Connects to a responder, as {@link Node#connect(String, Duration)}; responses come to this requester. */
    public Channel connect(String address, Duration timeout) {
        return connect(address, new ChannelOptions(), timeout);
    }

    /** As {@link #connect(String, Duration)}, with options of the channel. */
    public Channel connect(String address, ChannelOptions options, Duration timeout) {
        Channel channel = inbox.tenant().connect(address, inbox, options, timeout);
        channel.onClosed(this::onChannelClosed);
        return channel;
    }

    // ---- calling ----------------------------------------------------------------------------------------------------

    /**
     * Calls. The request has been copied when this returns.
     *
     * @param channel of {@link #connect}
     * @param request holds the request
     * @param offset of its first byte
     * @param length in bytes, 0 to the channel's maximum less 16
     * @param timeout how long the response may take, more than 0
     * @param correlationId goes to the handler
     * @param handler called by {@link #poll} at the end, if this returns SENT
     * @return BACK_PRESSURED if too many calls are outstanding, or the peer does not keep up; nothing was changed then
     * @throws IllegalStateException while another thread calls; nothing was sent then
     */
    public SendResult call(
            Channel channel,
            DirectBuffer request,
            int offset,
            int length,
            Duration timeout,
            long correlationId,
            ResponseHandler handler) {
        return begin(channel, request, offset, length, Nanos.of(timeout), correlationId, handler, true);
    }

    /**
     * As {@link #call}, but the request may stay here until {@link Channel#flush}: for several calls at a time, which
     * then cost one doorbell. The timeout begins now.
     */
    public SendResult enqueue(
            Channel channel,
            DirectBuffer request,
            int offset,
            int length,
            Duration timeout,
            long correlationId,
            ResponseHandler handler) {
        return begin(channel, request, offset, length, Nanos.of(timeout), correlationId, handler, false);
    }

    /**
     * Calls, and gives the result as a future: an array with the response, or a {@link CallException}. Any number of
     * threads may call at a time, if all callers of this requester use this form. Allocates.
     *
     * <p>The node's thread completes the future and runs its dependent stages, which must not block.
     *
     * @param channel of {@link #connect}
     * @param request the payload
     * @param timeout how long the response may take, more than 0
     * @throws IllegalStateException unless the node polls ({@link #pollOnNode}): nobody would complete the future
     */
    public CompletableFuture<byte[]> call(Channel channel, byte[] request, Duration timeout) {
        if (!nodePolls) {
            throw new IllegalStateException(
                    "nobody polls " + this + ", and so nobody would complete the future: call pollOnNode() first");
        }
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        UnsafeBuffer payload = new UnsafeBuffer(request);
        SendResult sent;
        synchronized (this) {
            sent = call(channel, payload, 0, request.length, timeout, 0, r -> CallException.end(answer, r));
        }
        if (sent != SendResult.SENT) {
            CallException.notSent(answer, channel, sent);
        }
        return answer;
    }

    private SendResult begin(
            Channel channel,
            DirectBuffer request,
            int offset,
            int length,
            long timeoutNanos,
            long correlationId,
            ResponseHandler handler,
            boolean now) {
        request.boundsCheck(offset, length);
        if (timeoutNanos < 1) {
            throw new IllegalArgumentException("timeout " + timeoutNanos + " < minimum 1 ns");
        }
        if (closed) {
            return SendResult.CLOSED;
        }
        if (!calling.tryEnter()) {
            throw calling.refusal(this, "give each thread that calls a requester of its own");
        }
        try {
            return send(channel, request, offset, length, timeoutNanos, correlationId, handler, now);
        } finally {
            calling.leave();
        }
    }

    private SendResult send(
            Channel channel,
            DirectBuffer request,
            int offset,
            int length,
            long timeoutNanos,
            long correlationId,
            ResponseHandler handler,
            boolean now) {
        if (calls.claim() == CallTable.NONE) {
            return SendResult.BACK_PRESSURED;
        }
        int at = channel.tryClaim(CallFlyweight.HEADER_LENGTH + length);
        if (at < 0) {
            return at == Channel.CLOSED ? SendResult.CLOSED : SendResult.BACK_PRESSURED;
        }
        long deadline = clock.nanoTime() + timeoutNanos;
        long wireId = calls.begin(channel, deadline, correlationId, handler);
        CallFlyweight.encode(channel.claimBuffer(), at, wireId, CallFlyweight.REQUEST);
        channel.claimBuffer().putBytes(at + CallFlyweight.HEADER_LENGTH, request, offset, length);
        if ((now ? channel.commit() : channel.enqueueClaim()) == SendResult.CLOSED) {
            channelClosed = true; // the poller ends the call
        }
        if (nodePolls) {
            VarHandle.fullFence(); // the call first, then the look at how long the node sleeps
            if (deadline < sleepsUntil) {
                node.wake();
            }
        }
        return SendResult.SENT;
    }

    // ---- polling ----------------------------------------------------------------------------------------------------

    /**
     * Calls the handlers of calls that have ended. Runs no part of the node: in the mode INVOKER, {@link Node#doWork}
     * brings what comes by sockets.
     *
     * @param limit most responses to take, at least 1; calls that expire or whose channel closes do not count
     * @return calls that ended; also 0 while another thread polls
     */
    public int poll(int limit) {
        if (!polling.compareAndSet(false, true)) {
            return 0;
        }
        ended = 0;
        boolean entered = node.driver().enterCallback();
        try {
            calls.takeBegun();
            if (!closed) {
                inbox.take(onMessage, limit);
            }
            if (channelClosed) {
                endThoseOfClosedChannels();
            }
            if (!calls.isEmpty()) {
                expire(clock.nanoTime());
            }
            return ended;
        } finally {
            if (entered) {
                node.driver().leaveCallback();
            }
            polling.set(false);
        }
    }

    /**
     * Lets the node poll, on its own thread (or in {@link Node#doWork}), from now on. A handler that throws has
     * consumed its call; the error is logged.
     */
    public Requester pollOnNode() {
        if (!nodePolls) {
            nodePolls = true;
            inbox.callback().polledByNode();
            node.turns().add(turn, hasWork);
        }
        return this;
    }

    /**
     * Sleeps until a call may have ended or the time is over, as {@link Inbox#await}. For the thread that polls.
     *
     * @param longest most time to sleep
     * @throws IllegalStateException if the node polls, or within a callback of the node
     */
    public void await(Duration longest) {
        if (nodePolls) {
            throw new IllegalStateException(this + " is polled by its node");
        }
        long nanos = Nanos.of(longest);
        long left = nanos;
        if (polling.compareAndSet(false, true)) { // whoever polls meanwhile looks at the deadlines itself
            try {
                calls.takeBegun();
                left = calls.isEmpty() ? nanos : Math.min(nanos, calls.earliest() - clock.nanoTime());
            } finally {
                polling.set(false);
            }
        }
        if (left > 0) {
            inbox.await(left, hasWork);
        }
    }

    private boolean hasWork() {
        return mayHaveEnded() && !(nodePolls && inbox.tenant().callbacks().isAway());
    }

    private boolean mayHaveEnded() {
        return channelClosed || !inbox.isEmpty() || (nodePolls && calls.hasBegun());
    }

    private void onMessage(Message message) {
        DirectBuffer buffer = message.buffer();
        int offset = message.offset();
        int type = CallFlyweight.type(buffer, offset, message.length());
        if (type == CallFlyweight.RESPONSE || type == CallFlyweight.FAILURE) {
            calls.takeBegun();
            int slot = calls.find(CallFlyweight.correlationId(buffer, offset), message.channel());
            if (slot != CallTable.NONE) {
                response.payload(
                        buffer, offset + CallFlyweight.HEADER_LENGTH, message.length() - CallFlyweight.HEADER_LENGTH);
                end(slot, type == CallFlyweight.RESPONSE ? Outcome.DONE : Outcome.FAILED);
                return;
            }
        }
        late.lazySet(late.getPlain() + 1);
    }

    private void expire(long now) {
        for (int slot = calls.expired(now); slot != CallTable.NONE; slot = calls.expired(now)) {
            end(slot, Outcome.EXPIRED);
        }
    }

    private void endThoseOfClosedChannels() {
        channelClosed = false; // before the look: what closes after it sets this again
        calls.takeBegun();
        for (int slot = 0; slot < calls.slots(); slot++) {
            if (calls.isUnderWay(slot) && (closed || calls.channel(slot).isOver())) {
                end(slot, Outcome.CLOSED);
            }
        }
    }

    private void end(int slot, Outcome outcome) {
        response.end(outcome, calls.channel(slot), calls.correlationId(slot));
        ResponseHandler handler = calls.end(slot);
        ended++;
        try {
            if (handler != null) {
                handler.onResponse(response);
            }
        } finally {
            response.unwrap();
        }
    }

    private final class Turn implements TurnTask {
        @Override
        public boolean hasWork() {
            return mayHaveEnded();
        }

        @Override
        public TenantCallbacks callbacks() {
            return inbox.tenant().callbacks();
        }

        @Override
        public int doWork(long now) {
            return poll(POLL_LIMIT);
        }

        @Override
        public String toString() {
            return Requester.this.toString();
        }

        @Override
        public long nextDeadline() {
            if (!polling.compareAndSet(false, true)) {
                return clock.nanoTime(); // the poller knows
            }
            try {
                calls.takeBegun();
                long earliest = calls.earliest();
                sleepsUntil = earliest;
                return earliest;
            } finally {
                polling.set(false);
            }
        }
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    /**
     * Responses that arrived after their call had ended, and messages that were no responses; they are dropped. Any
     * thread.
     */
    public long lateResponses() {
        return late.get();
    }

    /** Calls that have not ended. Any thread; an estimate while other threads call or poll. */
    public int outstanding() {
        return calls.outstanding();
    }

    private void onChannelClosed() {
        channelClosed = true;
        if (!nodePolls || !node.turns().tryNow(turn)) {
            node.wake();
        }
    }

    /**
     * Closes it: outstanding calls end in {@link Outcome#CLOSED} at the next poll. Its channels stay open; no calls are
     * taken any more. Idempotent.
     */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            channelClosed = true;
            inbox.close();
            if (nodePolls) {
                node.turns().run(() -> {
                    if (!endNow()) {
                        node.turns().retry(this::endNow);
                    }
                });
            }
        }
    }

    /** Called by the node: reports the end of all calls, unless callbacks are under way. */
    private boolean endNow() {
        if (!node.turns().tryNow(turn)) {
            return false;
        }
        node.turns().remove(turn, hasWork);
        return true;
    }

    @Override
    public String toString() {
        return "requester of " + node;
    }
}
