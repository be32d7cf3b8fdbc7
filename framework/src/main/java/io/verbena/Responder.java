package io.verbena;

import io.verbena.call.CallFlyweight;
import io.verbena.nic.append.AppendQueueStatistics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests that come to an inbox, at once or later and in any order.
 *
 * <pre>{@code
 *   node.openResponder("echo").onRequest(r -> {
 *       if (r.reply(r.buffer(), r.offset(), r.length()) == SendResult.BACK_PRESSURED) {
 *           r.again();
 *       }
 *   });
 * }</pre>
 *
 * <p>Either one thread at a time polls, or the node's thread calls back, as with an {@link Inbox}. An answer is sent on
 * the request's channel, which {@link #reply} and {@link #fail} do from any thread. Nothing is allocated per request.
 *
 * <p>Answers by {@link Request#enqueue} leave together at the end of a batch of requests, with one doorbell per
 * channel.
 */
public final class Responder implements AutoCloseable {
    private static final int MAX_TEXT = 512;
    private static final int MAX_OWED = 4096;

    private final Inbox inbox;
    private final Request request = new Request(this);
    private final MessageHandler onMessage = this::onMessage;
    private final AtomicLong malformed = new AtomicLong();
    private final AtomicLong unanswered = new AtomicLong();
    private final AtomicInteger owed = new AtomicInteger(); // failures that wait for room
    private @Nullable RequestHandler handler;

    // The poller's: where answers were enqueued that have not left.
    private @Nullable Channel held;

    Responder(Inbox inbox) {
        this.inbox = inbox;
    }

    /** Its name, to connect to. */
    public String name() {
        return inbox.name();
    }

    /** Bytes of the longest request that it takes. */
    public int maxRequest() {
        return inbox.maxMessage() - CallFlyweight.HEADER_LENGTH;
    }

    /**
     * Takes requests, oldest first.
     *
     * @param requestHandler takes each
     * @param limit most requests to take, at least 1
     * @return requests taken
     * @throws IllegalStateException if a callback takes them
     */
    public int poll(RequestHandler requestHandler, int limit) {
        if (inbox.callback().isSet()) {
            throw new IllegalStateException("responder '" + name() + "' is polled by its node, see onRequest");
        }
        handler = requestHandler;
        try {
            return inbox.poll(onMessage, limit);
        } finally {
            release();
        }
    }

    /**
     * Lets the node take the requests, on its own thread (or in {@link Node#doWork}), from now on. If the handler
     * throws, the request's call is {@link Outcome#FAILED}, with the exception's message, and the error is logged.
     */
    public void onRequest(RequestHandler requestHandler) {
        if (inbox.callback().isSet()) {
            throw new IllegalStateException("responder '" + name() + "' has a callback already");
        }
        handler = requestHandler;
        inbox.onMessage(onMessage, this::release);
    }

    /** Sleeps until there is a request, as {@link Inbox#await}. */
    public boolean await(Duration longest) {
        return inbox.await(longest);
    }

    /**
     * Answers a request that came before. Any thread.
     *
     * @param channel of the request
     * @param correlationId of the request
     * @return BACK_PRESSURED if the requester does not keep up: try again; CLOSED if it is gone
     */
    public static SendResult reply(Channel channel, long correlationId, DirectBuffer answer, int offset, int length) {
        return send(channel, correlationId, CallFlyweight.RESPONSE, answer, offset, length, true);
    }

    /** Answers the request that is being handled, at once. */
    SendResult answer(Channel channel, long correlationId, DirectBuffer answer, int offset, int length) {
        if (held == channel) {
            held = null; // what was enqueued there leaves with this one
        }
        return reply(channel, correlationId, answer, offset, length);
    }

    /** Answers the request that is being handled; the answer may wait until the batch of requests ends. */
    SendResult enqueue(Channel channel, long correlationId, DirectBuffer answer, int offset, int length) {
        if (held != channel) {
            release();
        }
        SendResult result = send(channel, correlationId, CallFlyweight.RESPONSE, answer, offset, length, false);
        if (result == SendResult.SENT) {
            held = channel;
        } else {
            release();
        }
        return result;
    }

    /** Sends the answers that wait. */
    private void release() {
        Channel channel = held;
        if (channel != null) {
            held = null;
            channel.flush();
        }
    }

    /**
     * Answers a request that came before with a failure; the caller gets the first 512 bytes of the text. Allocates.
     * Any thread.
     *
     * @return as {@link #reply}
     */
    public static SendResult fail(Channel channel, long correlationId, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        return send(
                channel,
                correlationId,
                CallFlyweight.FAILURE,
                new UnsafeBuffer(text),
                0,
                Math.min(text.length, MAX_TEXT),
                true);
    }

    /** Sends an answer with its header; if it need not leave now, it may stay until {@link Channel#flush}. */
    private static SendResult send(
            Channel channel, long correlationId, int type, DirectBuffer answer, int offset, int length, boolean now) {
        answer.boundsCheck(offset, length);
        int at = channel.tryClaim(CallFlyweight.HEADER_LENGTH + length);
        if (at < 0) {
            return at == Channel.CLOSED ? SendResult.CLOSED : SendResult.BACK_PRESSURED;
        }
        CallFlyweight.encode(channel.claimBuffer(), at, correlationId, type);
        channel.claimBuffer().putBytes(at + CallFlyweight.HEADER_LENGTH, answer, offset, length);
        return now ? channel.commit() : channel.enqueueClaim();
    }

    private void onMessage(Message message) {
        Channel channel = message.channel();
        RequestHandler taker = handler;
        if (CallFlyweight.type(message.buffer(), message.offset(), message.length()) != CallFlyweight.REQUEST
                || channel == null
                || taker == null) {
            malformed.lazySet(malformed.getPlain() + 1);
            return;
        }
        long correlationId = CallFlyweight.correlationId(message.buffer(), message.offset());
        request.wrap(
                message,
                channel,
                correlationId,
                message.buffer(),
                message.offset() + CallFlyweight.HEADER_LENGTH,
                message.length() - CallFlyweight.HEADER_LENGTH);
        try {
            taker.onRequest(request);
        } catch (RuntimeException | Error e) {
            inbox.tenant().callbacks().failed(this, "its caller is told", e);
            String reason = e.getMessage() == null ? e.toString() : e.getMessage();
            if (!tell(channel, correlationId, reason)) {
                tellLater(channel, correlationId, reason);
            }
        } finally {
            request.unwrap();
        }
    }

    /** Tells a caller that its request has failed. @return false if there is no room for that now */
    private boolean tell(Channel channel, long correlationId, String reason) {
        SendResult result = fail(channel, correlationId, reason);
        if (result == SendResult.CLOSED) {
            unanswered.incrementAndGet();
        }
        return result != SendResult.BACK_PRESSURED;
    }

    private void tellLater(Channel channel, long correlationId, String reason) {
        if (owed.incrementAndGet() > MAX_OWED) {
            owed.decrementAndGet();
            unanswered.incrementAndGet();
            return;
        }
        inbox.node().turns().retry(() -> {
            boolean told = tell(channel, correlationId, reason);
            if (told) {
                owed.decrementAndGet();
            }
            return told;
        });
    }

    /** Statistics of the inbox that requests come to. Any thread. */
    public AppendQueueStatistics statistics() {
        return inbox.statistics();
    }

    /** Messages that were no requests, or whose sender is not, or no longer, known; they are dropped. Any thread. */
    public long malformed() {
        return malformed.get();
    }

    /**
     * Requests whose handler failed and whose caller could not be informed: it was gone, or more than 4,096 failures
     * waited for room. Any thread.
     */
    public long unanswered() {
        return unanswered.get();
    }

    /** Closes its inbox: waiting requests are lost, and expire at their callers. Idempotent. */
    @Override
    public void close() {
        inbox.close();
    }

    @Override
    public String toString() {
        return "responder '" + name() + "' of " + inbox.node();
    }
}
