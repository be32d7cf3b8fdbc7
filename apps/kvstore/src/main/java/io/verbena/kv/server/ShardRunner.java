package io.verbena.kv.server;

import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.InboxOptions;
import io.verbena.Message;
import io.verbena.MessageHandler;
import io.verbena.Node;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.store.Shard;
import io.verbena.kv.store.ShardContext;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One shard and its way to the clients. Whoever holds its baton (a try-lock) runs it: its own thread, or the thread that
 * has just appended a request. The holder looks at the inbox once more after letting go, so no request is left behind.
 */
final class ShardRunner implements MessageHandler, AutoCloseable {
    /** Name of the inbox of each shard's node. */
    static final String INBOX = "requests";

    private static final Logger LOG = LoggerFactory.getLogger(ShardRunner.class);
    private static final int REQUESTS_A_TURN = 512;
    private static final int REQUESTS_A_CLOCK = 16;
    /** What is longer than this took long enough that the clock is read again. */
    private static final int LONG_WORK_LENGTH = 4096;

    private static final int HOUSEKEEPING_WORK = 200;
    private static final long HOUSEKEEPING_MILLIS = 100;
    private static final long PAUSE_AFTER_ERROR_NANOS = 1_000_000L;
    private static final long WAIT_NANOS = 100_000_000L;

    private final Node node;
    private final Inbox inbox;
    private final Shard shard;
    private final long maxBacklog;
    private final ReplyEncoder reply = new ReplyEncoder();
    private final List<ReplyTarget> unflushed = new ArrayList<>();
    private final List<ReplyTarget> stalled = new ArrayList<>();
    private final AtomicInteger baton = new AtomicInteger();
    private final AtomicLong malformed = new AtomicLong();
    private final AtomicLong disconnected = new AtomicLong();
    /** The shard's clock, read once for some requests: reading it costs a tenth of a GET. */
    private long nowMillis;

    private int requestsSinceClock;
    private long housekeptMillis;
    private volatile boolean closed;

    ShardRunner(Node node, KvServerContext context, ShardContext shardContext) {
        this.node = node;
        this.maxBacklog = context.maxBacklog;
        this.shard = new Shard(shardContext, () -> nowMillis);
        this.inbox = node.openInbox(
                INBOX, new InboxOptions().chunkLength(context.inboxChunk).maxMessage(context.maxRequest));
    }

    /** Requests that could not be read. */
    long malformed() {
        return malformed.get();
    }

    /** Clients that were disconnected for not taking their replies. */
    long disconnected() {
        return disconnected.get();
    }

    /** Runs the shard if nobody else does, until its inbox is empty. @return work done */
    int tryRun() {
        int work = 0;
        while (baton.get() == 0 && baton.compareAndSet(0, 1)) {
            try {
                if (closed) {
                    return work;
                }
                work += turn();
            } finally {
                baton.set(0);
            }
            if (inbox.isEmpty()) {
                break;
            }
        }
        return work;
    }

    /** Runs an action as the owner, after waiting for the baton. */
    void call(Runnable action) {
        while (!baton.compareAndSet(0, 1)) {
            Thread.onSpinWait();
            Thread.yield();
        }
        try {
            if (!closed) {
                action.run();
            }
        } finally {
            baton.set(0);
        }
    }

    Shard shard() {
        return shard;
    }

    /** A thread of its own: runs, sleeps in the node's wait, and closes the node, whose sockets are that thread's. */
    void loop() {
        while (!closed) {
            try {
                if (tryRun() == 0 && !closed) {
                    node.await(WAIT_NANOS);
                }
            } catch (RuntimeException e) {
                LOG.error("shard '{}' goes on after an error", node.name(), e);
                LockSupport.parkNanos(this, PAUSE_AFTER_ERROR_NANOS);
            }
        }
        node.close();
    }

    private int turn() {
        readClock();
        int work = node.doWork();
        if (!stalled.isEmpty()) {
            work += drainBacklogs();
        }
        work += inbox.poll(this, REQUESTS_A_TURN);
        for (int i = 0; i < unflushed.size(); i++) {
            ReplyTarget target = unflushed.get(i);
            target.unflushed = false;
            target.channel.flush();
        }
        unflushed.clear();
        readClock();
        if (nowMillis - housekeptMillis >= HOUSEKEEPING_MILLIS) {
            if (shard.housekeep(nowMillis, HOUSEKEEPING_WORK) < HOUSEKEEPING_WORK) {
                housekeptMillis = nowMillis;
            }
        }
        return work;
    }

    private void readClock() {
        requestsSinceClock = 0;
        nowMillis = System.currentTimeMillis();
    }

    @Override
    public void onMessage(Message message) {
        Channel channel = message.channel();
        if (++requestsSinceClock == REQUESTS_A_CLOCK) {
            readClock();
        }
        // Known before the request is executed: what the client cannot take is refused with nothing changed.
        int limit = channel == null || channel.maxMessage() < 0 ? ReplyEncoder.MAX_CAPACITY : channel.maxMessage();
        reply.limit(Math.max(ShardContext.MIN_MAX_REPLY_LENGTH, limit));
        try {
            shard.execute(message.buffer(), message.offset(), message.length(), reply);
        } catch (ProtocolException e) {
            malformed.incrementAndGet();
            LOG.warn("a client sent a request that cannot be read and is disconnected: {}", e.getMessage());
            if (channel != null) {
                channel.close();
            }
            return;
        } catch (RuntimeException e) {
            // One request must not end the shard for all others.
            LOG.error("shard '{}' failed in a request", node.name(), e);
            refuse(message, "ERR internal error, see the log of the server");
        }
        if (message.length() + (long) reply.length() > LONG_WORK_LENGTH) {
            readClock();
        }
        if (channel == null || channel.maxMessage() < 0) {
            return; // gone meanwhile, or does not want replies
        }
        if (reply.length() > channel.maxMessage()) {
            refuse(
                    message,
                    "ERR reply of " + reply.length() + " bytes > maximum " + channel.maxMessage()
                            + " of the client's inbox");
            if (reply.length() > channel.maxMessage()) {
                disconnect(channel, "takes no replies of " + reply.length() + " bytes");
                return;
            }
        }
        send(target(channel));
    }

    private void refuse(Message message, String error) {
        reply.limit(ReplyEncoder.MAX_CAPACITY);
        reply.begin(message.buffer()
                .getLong(message.offset() + RequestDescriptor.CORRELATION_OFFSET, ByteOrder.LITTLE_ENDIAN));
        reply.error(error);
    }

    private void send(ReplyTarget target) {
        if (!target.send(reply.buffer(), 0, reply.length())) {
            disconnect(target.channel, "left more than " + maxBacklog + " bytes of replies unread");
        } else if (target.isStalled()) {
            if (!target.waiting) {
                target.waiting = true;
                stalled.add(target);
            }
        } else if (!target.unflushed) {
            target.unflushed = true;
            unflushed.add(target);
        }
    }

    private void disconnect(Channel channel, String reason) {
        disconnected.incrementAndGet();
        LOG.warn("a client {} and is disconnected", reason);
        channel.close();
    }

    private ReplyTarget target(Channel channel) {
        if (channel.attachment() instanceof ReplyTarget known) {
            return known;
        }
        ReplyTarget target = new ReplyTarget(channel, maxBacklog);
        channel.attach(target);
        return target;
    }

    private int drainBacklogs() {
        int sent = 0;
        for (int i = stalled.size() - 1; i >= 0; i--) {
            ReplyTarget target = stalled.get(i);
            sent += target.drain();
            if (!target.isStalled()) {
                target.waiting = false;
                stalled.remove(i);
            }
        }
        return sent;
    }

    /** Ends the shard: requests that wait, and those that come, are not answered. Idempotent. */
    void end() {
        call(() -> {
            closed = true;
            shard.close();
            reply.close();
        });
        node.wake();
    }

    /** Ends the shard and its node. Idempotent. */
    @Override
    public void close() {
        end();
        node.close();
    }
}
