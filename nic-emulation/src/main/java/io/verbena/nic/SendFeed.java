package io.verbena.nic;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;

/**
 * A queue pair whose requests come from queues of many posters: each posts into its own, rings, and whoever holds the
 * engine's baton fetches what is next through the {@link SendSource}. No lock, and no thread between.
 *
 * <p>Any thread, but for {@link #post}, which is for the one that posts into that queue.
 */
public final class SendFeed {
    private final ProtectionDomain pd;
    private final Engine engine;
    private final QpContext context;

    SendFeed(ProtectionDomain pd, Engine engine, QpContext context, SendSource source) {
        this.pd = pd;
        this.engine = engine;
        this.context = context;
        engine.call(() -> context.sendRing().feed(source));
    }

    /** A queue for requests of this queue pair, of so many at a time; its memory comes with the first. */
    public SendRing queue(int requests) {
        SendRing ring = context.sendRing();
        return new SendRing(requests, ring.maxSge(), ring.maxInline());
    }

    /**
     * Puts a request into a poster's own queue, where nobody sees it before it is published.
     *
     * @return QUEUE_FULL if there is no room in that queue
     * @throws IllegalStateException if the queue pair is in a state in which sends cannot be posted
     * @throws IllegalArgumentException if the request can never be executed
     */
    public PostResult post(SendRequest request, SendRing queue) {
        check(request, queue.maxInline());
        int slot = queue.claim();
        if (slot < 0) {
            return PostResult.QUEUE_FULL;
        }
        request.encode(queue.buffer(), slot);
        request.encodeInline(queue.buffer(), slot);
        queue.posted();
        return PostResult.POSTED;
    }

    /** Whether requests may be {@linkplain #executeNow executed} as they are posted; what goes by a socket is not. */
    public boolean mayExecuteNow() {
        return !context.isFlushCostly();
    }

    /**
     * Executes a request at once, as {@link QueuePair#executeNow}; its poster has none outstanding.
     *
     * @param longest most bytes
     * @return whether it was done; if not, nothing has happened
     */
    public boolean executeNow(SendRequest request, int longest) {
        check(request, Integer.MAX_VALUE);
        return request.executeNow(engine, context, longest);
    }

    private void check(SendRequest request, int maxInline) {
        if (context.state().ordinal() < QpState.RTS.ordinal()) {
            throw new IllegalStateException(
                    "queue pair " + context.number() + " is in " + context.state() + ", sends need RTS");
        }
        request.check(
                context.type(),
                context.sendRing().maxSge(),
                maxInline,
                pd.group().maxMessage(context.trafficClass()));
    }

    /** Bytes of the longest message that goes in one packet. Under the engine's baton, when the peer is known. */
    public int packetLength() {
        return context.pathMtu();
    }

    /**
     * Whether an append is one copy to the peer's memory, which is mapped here, as far as is known. Under the engine's
     * baton.
     *
     * @param queueId of the peer's append queue
     * @param length of the message
     */
    public boolean appendsDirectly(int queueId, int length) {
        Path path = context.path();
        return path != null && path.appendsDirectly(queueId, length);
    }

    /**
     * Completes a request of a poster's in an error, where the source has given it up for good. Under the engine's
     * baton.
     *
     * @param wrId of the completion
     */
    public void refuse(long wrId, WcStatus why) {
        context.completeSend(wrId, why, WcOpcode.APPEND.ordinal(), 0);
    }

    /** The source has something more; as {@link QueuePair#doorbell}. */
    public void ring() {
        engine.ring(context);
    }

    /**
     * Before one request more is published: whether it may leave with the next turn, since the queue pair awaits
     * answers, whoever sent what they are to, as {@link QueuePair#postSend(SendRequest)} says.
     */
    public boolean mayRingSoon() {
        return engine.sharesFlush(context) && context.sendRing().hasPublished();
    }

    /** The source has one request more, of which {@link #mayRingSoon} was true. */
    public void ringSoon() {
        engine.ringSoon(context);
    }

    /** Does a share of the sending, where the engine's mode lets the caller. */
    public void assist() {
        if (engine.mayAssist(context)) {
            engine.progress();
        }
    }

    /** Runs something while nobody fetches from the source or tells it of completions; waits for the engine's turn. */
    public void call(Runnable action) {
        engine.call(action);
    }
}
