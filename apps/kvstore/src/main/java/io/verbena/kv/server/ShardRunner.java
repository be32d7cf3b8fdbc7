package io.verbena.kv.server;

import io.verbena.Channel;
import io.verbena.ChannelListener;
import io.verbena.InboxShares;
import io.verbena.Message;
import io.verbena.MessageHandler;
import io.verbena.Node;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.TransferDescriptor;
import io.verbena.kv.store.Shard;
import io.verbena.kv.store.ShardContext;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.agrona.collections.ObjectHashSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One shard and its way to the clients. Whoever holds its baton (a try-lock) runs it: its own thread, or the thread
 * that has just appended a request. The holder looks at the inbox once more after letting go, so no request is left
 * behind. What a holder does is bounded, in requests and in bytes, so that it gets to its own business; it says so if
 * work is left.
 *
 * <p>An error, memory that is short included, ends the request that caused it.
 */
final class ShardRunner implements MessageHandler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShardRunner.class);
    private static final int REQUESTS_PER_TURN = 512;
    /** The same of requests that were parked, where several tenants have requests. */
    private static final int PARKED_PER_CONTENDED_TURN = InboxShares.SLICE;
    /** Bytes of a request and its reply that count as another request. */
    private static final int BYTES_PER_REQUEST = 4096;

    private static final int REQUESTS_PER_POLL = 32;
    private static final int REQUESTS_PER_CLOCK = 16;
    /** Bytes of requests and replies after which a turn ends. */
    private static final int BYTES_PER_TURN = 4 << 20;
    /** Turns after which whoever runs the shard is let go though there is work left. */
    private static final int MAX_TURNS = 16;
    /** What is longer than this took long enough that the clock is read again. */
    private static final int LONG_WORK_LENGTH = 4096;

    private static final int HOUSEKEEPING_WORK = 200;
    private static final long HOUSEKEEPING_MILLIS = 100;
    private static final long PAUSE_AFTER_ERROR_NANOS = 1_000_000L;
    private static final Duration MAX_WAIT = Duration.ofMillis(100);

    private final Node node;
    private final InboxShares inboxes;
    private final Shard shard;
    private final Runnable leftover;
    private final long maxBacklog;
    private final ReplyEncoder reply = new ReplyEncoder();
    private final ObjectHashSet<ReplyTarget> targets = new ObjectHashSet<>();
    private final UnsentReplies unsent = new UnsentReplies();
    private final List<ReplyTarget> stalled = new ArrayList<>();
    private final List<ReplyTarget> parking = new ArrayList<>();
    private final WaitingClients waiting;
    private final ConcurrentLinkedQueue<Channel> closedChannels = new ConcurrentLinkedQueue<>();
    private final AtomicInteger baton = new AtomicInteger();
    private final Refusals refusals = new Refusals();
    /** The shard's clock, read once for some requests: reading it costs a tenth of a GET. */
    private long nowMillis;

    private int requestsSinceClock;
    private long turnBytes;
    private long housekeptMillis;
    /** Whether a parked request could be executed at once when the last turn ended. */
    private volatile boolean runnable;

    private volatile boolean closed;

    /** Clients that were refused. */
    private static final class Refusals {
        final AtomicLong malformed = new AtomicLong();
        final AtomicLong disconnected = new AtomicLong();
    }

    /**
     * Opens a shard's inboxes, one a tenant.
     *
     * @param shardsOfTenants on how many shards each tenant has requests
     * @param leftover called, by whoever stops running the shard, if there is work left
     */
    ShardRunner(
            Node node,
            KvServerContext context,
            ShardContext shardContext,
            AtomicIntegerArray shardsOfTenants,
            Runnable leftover) {
        this.node = node;
        this.leftover = leftover;
        this.maxBacklog = context.maxBacklog;
        this.waiting = new WaitingClients(context.overflowTimeoutMillis(), this::executeNow);
        this.shard = new Shard(shardContext, () -> nowMillis);
        try {
            this.inboxes = ShardInboxes.open(node, context, shardsOfTenants);
        } catch (RuntimeException | Error e) {
            shard.close();
            throw e;
        }
        node.addListener(new ChannelListener() {
            @Override
            public void onClose(Channel channel) {
                closedChannels.add(channel);
            }
        });
    }

    /** Requests that could not be read. */
    long malformed() {
        return refusals.malformed.get();
    }

    /** Clients that were disconnected for not taking their replies. */
    long disconnected() {
        return refusals.disconnected.get();
    }

    /** Whether there is work that nobody may be doing. */
    boolean hasWork() {
        return !closed && (runnable || waiting.hasProgress() || !inboxes.isEmpty());
    }

    /** Runs the shard if nobody else does, until its inbox is empty or a bounded amount is done. @return work done */
    int tryRun() {
        int work = 0;
        long bytes = 0;
        for (int turns = 0; baton.get() == 0 && baton.compareAndSet(0, 1); ) {
            try {
                if (closed) {
                    return work;
                }
                work += turn();
                bytes += turnBytes;
            } catch (Throwable e) {
                // Nobody who helps to run the shard may suffer from it, and the next turn goes on behind what failed.
                LOG.error("shard '{}' goes on after an error", node.name(), e);
                return work;
            } finally {
                baton.set(0);
            }
            if (!hasWork()) {
                break;
            }
            if (++turns == MAX_TURNS || bytes >= BYTES_PER_TURN) {
                leftover.run();
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

    /** What the shard's requests wait for has come a step further. Any thread. */
    void overflowProgress() {
        if (waiting.onProgress()) {
            leftover.run();
        }
    }

    /** Requests that wait for the overflow. */
    int waitingRequests() {
        return waiting.requests();
    }

    Shard shard() {
        return shard;
    }

    /** A thread of its own: runs, sleeps in the node's wait, and closes the node, whose sockets are that thread's. */
    void loop() {
        while (!closed) {
            try {
                if (tryRun() == 0 && !closed) {
                    node.await(MAX_WAIT);
                }
            } catch (Throwable e) {
                LOG.error("shard '{}' goes on after an error", node.name(), e);
                LockSupport.parkNanos(this, PAUSE_AFTER_ERROR_NANOS);
            }
        }
        node.close();
    }

    /** By whoever holds the baton. Returns work done. */
    int turn() {
        readClock();
        turnBytes = 0;
        int work = node.doWork();
        if (!closedChannels.isEmpty()) {
            work += forgetClosed();
        }
        if (!stalled.isEmpty()) {
            work += drainBacklogs();
        }
        work += waiting.run(nowMillis);
        if (!parking.isEmpty()) {
            work += runParked();
        }
        work += runRequests();
        readClock();
        if (nowMillis - housekeptMillis >= HOUSEKEEPING_MILLIS
                && shard.housekeep(nowMillis, HOUSEKEEPING_WORK) < HOUSEKEEPING_WORK) {
            housekeptMillis = nowMillis;
        }
        boolean canRun = !parking.isEmpty() && parking.stream().anyMatch(target -> target.runnable() != null);
        if (canRun != runnable) {
            runnable = canRun; // a volatile store costs as much as a tenth of a GET
        }
        return work;
    }

    /**
     * Takes a turn's requests. Where several tenants have some, these are a slice of one tenant's: between turns
     * replies leave, and requests that come by a socket are seen, so a client with one request at a time waits for the
     * rest of its neighbour's slice.
     */
    private int runRequests() {
        int executed = inboxes.isContended() ? inboxes.pollSlice(this) : runAll();
        if (executed > 0 && inboxes.isContended()) {
            unsent.flush(inboxes);
        } else {
            unsent.flush();
        }
        return executed;
    }

    private int runAll() {
        int executed = 0;
        int polled = REQUESTS_PER_POLL;
        while (polled == REQUESTS_PER_POLL && executed < REQUESTS_PER_TURN && turnBytes < BYTES_PER_TURN) {
            polled = inboxes.isContended() ? 0 : inboxes.poll(this, REQUESTS_PER_POLL); // another may have come
            executed += polled;
        }
        return executed;
    }

    private void readClock() {
        requestsSinceClock = 0;
        nowMillis = System.currentTimeMillis();
    }

    @Override
    public void onMessage(Message message) {
        ReplyTarget target = target(message.channel());
        DirectBuffer buffer = message.buffer();
        int offset = message.offset();
        int length = message.length();
        if (target != null && length >= RequestDescriptor.HEADER_LENGTH) {
            int opCode = buffer.getShort(offset + RequestDescriptor.OP_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xffff;
            if (target.mustPark(opCode)) {
                park(target, opCode, buffer, offset, length);
                return;
            }
        }
        execute(target, buffer, offset, length);
    }

    private void park(ReplyTarget target, int opCode, DirectBuffer buffer, int offset, int length) {
        boolean parked = false;
        try {
            parked = target.park(opCode, buffer, offset, length);
        } catch (OutOfMemoryError e) {
            LOG.error("shard '{}' has no memory for a client that does not take its replies", node.name(), e);
        }
        if (!parked) {
            disconnect(target, "left more than " + maxBacklog + " bytes of replies and requests waiting");
        } else if (!target.parking) {
            target.parking = true;
            parking.add(target);
        }
    }

    /** Executes a request, or has it wait; the client is null if it has gone. */
    private void execute(@Nullable ReplyTarget target, DirectBuffer buffer, int offset, int length) {
        if (target == null) {
            executeNow(null, buffer, offset, length, true);
        } else if ((target.overflowed.holdsUp(buffer, offset, length)
                        || !executeNow(target, buffer, offset, length, false))
                && !waiting.add(target, buffer, offset, length, nowMillis)) {
            disconnect(target, "left more than " + maxBacklog + " bytes of replies and requests waiting");
        }
    }

    /** Executes a request, unless it has to wait. @return whether it is over */
    private boolean executeNow(
            @Nullable ReplyTarget target, DirectBuffer buffer, int offset, int length, boolean lastTry) {
        if (++requestsSinceClock == REQUESTS_PER_CLOCK) {
            readClock();
        }
        boolean answered;
        shard.lastTry(lastTry);
        try {
            answered = shard.execute(buffer, offset, length, reply, target == null ? null : target.transfers);
        } catch (ProtocolException e) {
            refusals.malformed.incrementAndGet();
            LOG.warn("a client sent a request that cannot be read and is disconnected: {}", e.getMessage());
            if (target != null) {
                target.channel.close();
                target.close();
            }
            return true;
        } catch (Throwable e) {
            // One request must not end the shard for all others.
            LOG.error("shard '{}' failed in a request", node.name(), e);
            answered = isReplyWanted(buffer, offset);
            refuse(
                    buffer,
                    offset,
                    e instanceof OutOfMemoryError
                            ? "OOM no memory left in the server's process"
                            : "ERR internal error, see the log of the server");
        }
        if (shard.waits()) {
            return false;
        }
        turnBytes += length + (long) reply.length();
        if (length + (long) reply.length() > LONG_WORK_LENGTH) {
            readClock();
            inboxes.charge(
                    target == null ? inboxes.polled() : target.inbox,
                    (length + (double) reply.length()) / BYTES_PER_REQUEST);
        }
        if (target != null) {
            if (answered) {
                answer(target, buffer, offset);
            }
            target.transfers.replySent();
        }
        return true;
    }

    private void answer(ReplyTarget target, DirectBuffer request, int requestOffset) {
        int longest = target.channel.maxMessage();
        if (longest < 0) {
            return; // does not want replies
        }
        if (reply.length() > longest) {
            refuse(
                    request,
                    requestOffset,
                    "ERR reply of " + reply.length() + " bytes > maximum " + longest + " of the client's inbox");
            if (reply.length() > longest) {
                disconnect(target, "takes no replies of " + reply.length() + " bytes");
                return;
            }
        }
        boolean kept = false;
        try {
            kept = target.send(reply);
        } catch (OutOfMemoryError e) {
            LOG.error("shard '{}' has no memory for a reply that a client does not take", node.name(), e);
        }
        if (!kept) {
            disconnect(target, "left more than " + maxBacklog + " bytes of replies unread");
        } else if (target.isStalled()) {
            if (!target.waiting) {
                target.waiting = true;
                stalled.add(target);
            }
        } else {
            unsent.add(target);
        }
    }

    private static boolean isReplyWanted(DirectBuffer request, int offset) {
        return (request.getByte(offset + RequestDescriptor.FLAGS_OFFSET) & RequestDescriptor.FLAG_NO_REPLY) == 0;
    }

    private void refuse(DirectBuffer request, int offset, String error) {
        reply.begin(request.getLong(offset + RequestDescriptor.CORRELATION_OFFSET, ByteOrder.LITTLE_ENDIAN));
        reply.error(error);
    }

    private void disconnect(ReplyTarget target, String reason) {
        refusals.disconnected.incrementAndGet();
        LOG.warn("a client {} and is disconnected", reason);
        target.channel.close();
        target.close();
    }

    /** What belongs to a client; null if it has gone. */
    private @Nullable ReplyTarget target(@Nullable Channel channel) {
        if (channel == null) {
            return null;
        }
        if (channel.attachment() instanceof ReplyTarget known) {
            return known.isGone() ? null : known;
        }
        if (!channel.isConnected()) {
            return null; // nobody would tell of its end any more
        }
        int longest = Math.min(TransferDescriptor.MAX_MESSAGE, channel.maxMessage());
        ReplyTarget target = new ReplyTarget(channel, shard.newTransfers(longest), inboxes.polled(), maxBacklog);
        channel.attach(target);
        targets.add(target);
        return target;
    }

    /** Frees what clients have left that are gone. */
    private int forgetClosed() {
        int forgotten = 0;
        for (Channel channel = closedChannels.poll(); channel != null; channel = closedChannels.poll()) {
            if (channel.attachment() instanceof ReplyTarget target) {
                target.close();
                targets.remove(target);
                forgotten++;
            }
        }
        return forgotten;
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

    /** Executes what was parked of clients that have taken enough, one request of each after the other. */
    private int runParked() {
        int executed = 0;
        int most = inboxes.isContended() ? PARKED_PER_CONTENDED_TURN : REQUESTS_PER_TURN;
        boolean progress = true;
        while (progress && executed < most && turnBytes < BYTES_PER_TURN) {
            progress = false;
            for (int i = parking.size() - 1; i >= 0; i--) {
                ReplyTarget target = parking.get(i);
                RecordQueue queue = target.runnable();
                if (queue != null) {
                    execute(target, queue.buffer(), queue.offset(), queue.length());
                    inboxes.charge(target.inbox, 1);
                    if (!target.isGone()) {
                        queue.remove();
                    }
                    executed++;
                    progress = true;
                }
                if (!target.hasParked()) {
                    target.parking = false;
                    parking.remove(i);
                }
            }
        }
        return executed;
    }

    /** Ends the shard: requests that wait, and those that come, are not answered. Idempotent. */
    void end() {
        call(() -> {
            closed = true;
            targets.forEach(ReplyTarget::close);
            targets.clear();
            shard.close();
            reply.close();
            inboxes.end();
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
