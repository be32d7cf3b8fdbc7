package io.verbena;

import io.verbena.fabric.Nanos;
import io.verbena.nic.append.AppendConsumer;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueStatistics;
import io.verbena.nic.append.AppendRecord;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where messages for one name arrive: an append queue that takes messages of any size from any number of channels, each
 * channel's in order.
 *
 * <p>Either one thread at a time polls ({@link #poll}, {@link #await}), or several do, each with a {@link #consumer} of its
 * own, or the node's own calls back ({@link #onMessage}). What is handed to the handler is valid during the call only, unless
 * it is {@linkplain Message#hold held}; the handler may send.
 */
public final class Inbox implements AutoCloseable {
    /** Messages that the node hands to a callback in one turn at most. */
    static final int CALLBACK_LIMIT = 256;

    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final long SHORTEST_DELAY = TimeUnit.MICROSECONDS.toNanos(10);
    private static final long LONGEST_DELAY = TimeUnit.MILLISECONDS.toNanos(1);

    private final Node node;
    private final Tenant tenant;
    private final String name;
    private final AppendQueue queue;
    private final Dispatch dispatch;
    private final Channels channels;
    private final HeldMessages held;
    private final OneThread use = new OneThread();
    private final ChannelOptions channelOptions;
    private final BooleanSupplier hasMessage = this::hasMessage;
    private final BooleanSupplier parkCheck = this::mayHaveMessage;
    private final BooleanSupplier callbackCheck = this::awaitsNode;
    private final TenantCallbacks callbacks;

    private Runnable afterBatch = () -> {}; // published with callback
    private volatile @Nullable MessageHandler callback;
    private volatile @Nullable Handoff handoff;
    private volatile boolean polledByNode;
    private boolean severalConsumers; // under this
    private volatile boolean closed;

    private volatile boolean left; // its callback has left a message, which the node tries again
    private long delay = SHORTEST_DELAY; // the node's, as the next
    private long nextAttempt;

    Inbox(
            Node node,
            Tenant tenant,
            String name,
            AppendQueue queue,
            Channels channels,
            InboxOptions options,
            ChannelOptions peers) {
        this.node = node;
        this.tenant = tenant;
        this.name = name;
        this.queue = queue;
        this.callbacks = tenant.callbacks();
        this.dispatch = new Dispatch(new Message(this, channels, null), callbacks);
        this.channels = channels;
        this.held = new HeldMessages(this, channels, options.maxHeld);
        this.channelOptions = peers;
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Where it lies. */
    Node node() {
        return node;
    }

    /** Whose it is. */
    Tenant tenant() {
        return tenant;
    }

    /** What the channels of peers that connect to it are made with. */
    ChannelOptions channelOptions() {
        return channelOptions;
    }

    /** Bytes of the longest message that it takes. */
    public int maxMessage() {
        return queue.attributes().maxMessage();
    }

    /**
     * Takes messages, oldest first. Runs no part of the node: in the mode INVOKER, {@link Node#doWork} brings what comes
     * by sockets.
     *
     * @param handler takes each
     * @param limit most messages to take, at least 1
     * @return messages taken
     * @throws IllegalStateException if a callback takes them, while another thread polls, or within the handler of a poll of
     *     this inbox
     */
    public int poll(MessageHandler handler, int limit) {
        if (callback != null || handoff != null) {
            throw new IllegalStateException("inbox '" + name + "' is polled by its node, see onMessage");
        }
        return take(handler, limit);
    }

    int take(MessageHandler handler, int limit) {
        return take(handler, limit, false);
    }

    private int take(MessageHandler handler, int limit, boolean byEngine) {
        if (closed) {
            return 0;
        }
        if (!use.tryEnter()) {
            if (closed) {
                return 0; // by the node, which has just begun
            }
            throw inUse();
        }
        boolean entered = node.enterCallback();
        try {
            int taken = queue.poll(dispatch.to(handler), limit);
            queue.takenByEngine(byEngine && !left); // here, where nobody can destroy it, and another one get its number
            return taken;
        } finally {
            if (entered) {
                node.leaveCallback();
            }
            use.leave();
        }
    }

    private IllegalStateException inUse() {
        return use.isMine()
                ? new IllegalStateException(this + " cannot be polled by the handler of one of its messages")
                : use.refusal(this, "let one of them poll, or give each a consumer()");
    }

    /**
     * Makes one of several consumers. From the first on only they take messages; it is for whoever would poll else.
     *
     * @throws IllegalStateException if a callback takes the messages
     */
    public InboxConsumer consumer() {
        synchronized (this) {
            if (callback != null || polledByNode) {
                throw new IllegalStateException("inbox '" + name + "' is polled by its node, see onMessage");
            }
            severalConsumers = true;
        }
        return new InboxConsumer(this, queue.consumer(), channels);
    }

    /** The present message stays; null if as many are held as may be. */
    @Nullable
    HeldMessage hold(@Nullable AppendConsumer consumer, int headerLength) {
        HeldMessage message = held.take();
        if (message == null) {
            return null;
        }
        boolean done = false;
        try {
            AppendRecord record = message.record(headerLength);
            if (consumer == null) {
                queue.hold(record);
            } else {
                consumer.hold(record);
            }
            done = true;
        } finally {
            if (!done) {
                held.give(message);
            }
        }
        return message;
    }

    /** The present message is not taken this time. */
    void again(@Nullable AppendConsumer consumer) {
        if (consumer == null) {
            queue.leave();
            left = isPolledByNode();
        } else {
            consumer.leave();
        }
    }

    void returned(HeldMessage message) {
        held.give(message);
    }

    /**
     * Lets the node take the messages, on its own thread (or in {@link Node#doWork}), from now on. A handler that throws
     * has consumed its message; the error is logged.
     *
     * @throws IllegalStateException if there is a callback already
     */
    public void onMessage(MessageHandler handler) {
        onMessage(handler, () -> {});
    }

    /**
     * Lets threads of an executor take the messages from now on, one thread at a time and in order: for handlers that block or
     * take long, which hold up neither the node nor other inboxes then. The node finds that there are messages and gives the
     * executor a task, which takes those that there are. A handler that throws has consumed its message; the error is logged.
     * An executor that rejects the task is asked again every 10 ms; the messages wait. {@link Node#close} waits up to 10 s for a
     * handler that is running.
     *
     * @param executor of the application's, which closes it after the node
     * @throws IllegalStateException if there is a callback already
     */
    public void onMessage(MessageHandler handler, Executor executor) {
        Handoff to = new Handoff(this, handler, executor);
        synchronized (this) {
            refuseSecondCallback();
            polledByNode = true;
            handoff = to;
        }
        node.turns().add(to, to.look());
    }

    private void refuseSecondCallback() {
        if (callback != null || handoff != null) {
            throw new IllegalStateException("inbox '" + name + "' has a callback already");
        }
        if (severalConsumers) {
            throw new IllegalStateException("inbox '" + name + "' has several consumers, see consumer");
        }
    }

    /** Destroys its queue, unless somebody is taking messages. By the node. @return whether it is destroyed */
    boolean destroy() {
        Handoff to = handoff;
        if ((to != null && !to.end()) || !use.tryEnter()) {
            return false;
        }
        try {
            queue.isEmpty(); // makes this thread the queue's consumer: nobody else reads it now, so that its memory
            // goes at once
            queue.destroy(true);
        } finally {
            use.leave();
        }
        if (to != null) {
            node.turns().remove(to, to.look());
        }
        return true;
    }

    /** As the other; something is run after each batch of messages, on the same thread. */
    void onMessage(MessageHandler handler, Runnable afterBatch) {
        synchronized (this) {
            refuseSecondCallback();
            this.afterBatch = afterBatch;
            callback = handler;
        }
        node.turns().add(this);
    }

    /** The node's turn of a callback. */
    int callBack() {
        MessageHandler handler = callback;
        if (handler == null) {
            return 0;
        }
        try {
            return takeForNode(handler);
        } finally {
            afterBatch.run();
        }
    }

    /** Takes a batch of messages; if the first of them is left, the next one comes a little later each time. */
    int takeForNode(MessageHandler handler) {
        left = false;
        int taken = take(handler, CALLBACK_LIMIT, node.turns().isCurrentThread());
        if (left) {
            delay = taken > 0 ? SHORTEST_DELAY : Math.min(2 * delay, LONGEST_DELAY);
            nextAttempt = System.nanoTime() + delay;
        }
        return taken;
    }

    /** Whether nothing is there that was not taken. Any thread; false may be a message that is on its way. */
    boolean isDrained() {
        return closed || queue.isDrained();
    }

    /** When the node tries a message again that its callback has left, or {@link Long#MAX_VALUE}; by the node. */
    long nextAttempt() {
        return left ? nextAttempt : Long.MAX_VALUE;
    }

    /**
     * Whether there is no message now. Any thread: it looks at no message, and holds up nobody who polls. False may be a message
     * that is on its way.
     */
    public boolean isEmpty() {
        return closed || (use.isMine() ? queue.isEmpty() : queue.isDrained());
    }

    boolean hasMessage() {
        return !isEmpty();
    }

    boolean hasCallback() {
        return callback != null || handoff != null;
    }

    /** From now on only the node's turns take messages, though not by a callback of this inbox. */
    void polledByNode() {
        polledByNode = true;
    }

    boolean isPolledByNode() {
        return polledByNode || callback != null;
    }

    /**
     * Sleeps until there is a message. In the mode INVOKER this is {@link Node#await}, which also ends when there is other
     * work for the node.
     *
     * @param longest most time to sleep
     * @return whether there is a message
     * @throws IllegalStateException within a callback of the node
     */
    public boolean await(Duration longest) {
        return await(longest, hasMessage);
    }

    boolean await(Duration longest, BooleanSupplier condition) {
        return node.awaitMessage(Nanos.of(longest), condition);
    }

    boolean isClosed() {
        return closed;
    }

    boolean enterCallback() {
        return node.enterCallback();
    }

    void leaveCallback() {
        node.leaveCallback();
    }

    /** For threads that do not poll, which look at it before the node sleeps. */
    BooleanSupplier parkCheck() {
        return parkCheck;
    }

    /** What the node looks at before it sleeps, if it calls back. */
    BooleanSupplier callbackCheck() {
        return callbackCheck;
    }

    private boolean awaitsNode() {
        return !callbacks.isAway() && mayHaveMessage();
    }

    /** Whether a turn of the node would hand a message to its callback. By the node. */
    boolean hasMessageForNode() {
        return !callbacks.isAway() && !isEmpty();
    }

    /**
     * The callbacks are away. If it is the node's thread that takes messages, it leaves the one that it would take next, and its
     * batch with that.
     */
    private boolean leaveToOwnThread() {
        boolean leaves = node.turns().isCurrentThread();
        if (leaves) {
            queue.leave();
        }
        return leaves;
    }

    boolean mayHaveMessage() {
        return !closed && !left && !queue.isDrained();
    }

    /** Messages taken since it was opened. Any thread. */
    public long messages() {
        return queue.query().records();
    }

    /** Bytes that wait to be taken, those of records' headers included. Any thread. */
    public long depth() {
        return queue.depth();
    }

    /**
     * What there is to know of its queue: depth, footprint and its mean, what is held, how often senders were told "not now"
     * ({@code rnr}), and more. Any thread.
     */
    public AppendQueueStatistics statistics() {
        return queue.query();
    }

    /**
     * Changes what may change while it is in use: memory limit, reserve and what it follows from, low watermark, times. Any
     * thread.
     *
     * @param options all of them; lengths and how many messages may be held as they are
     * @throws IllegalArgumentException if an option is out of range or cannot be changed; names both values
     */
    public void modify(InboxOptions options) {
        if (options.maxHeld != held.most()) {
            throw new IllegalArgumentException(
                    this + ": max held " + options.maxHeld + " wanted, is " + held.most() + " for good");
        }
        queue.modify(options.attributes());
    }

    /** Bytes that it holds now. Any thread. */
    public long footprint() {
        return queue.query().footprint();
    }

    int queueId() {
        return queue.id();
    }

    int queueKey() {
        return queue.key();
    }

    /**
     * Closes it: messages that wait are lost, and its channels close with REFUSED when they send. Messages that are held stay
     * until they are released, and so does their memory; that there are some is logged. Idempotent.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        long stay = queue.query().heldRecords();
        if (stay > 0) {
            LOG.warn("{} is closed while {} of its messages are held: their memory waits for release", this, stay);
        }
        node.forget(this, queue);
    }

    @Override
    public String toString() {
        return "inbox '" + name + "' of node '" + node.name() + "'";
    }

    /** Turns records into messages; one class, so that the queue sees one kind of handler. */
    static final class Dispatch implements AppendHandler {
        private final Message message;
        private final @Nullable TenantCallbacks callbacks;
        private MessageHandler handler = ignored -> {};

        /**
         * Creates it.
         *
         * @param callbacks which the messages may be for, or null if the node never takes them
         */
        Dispatch(Message message, @Nullable TenantCallbacks callbacks) {
            this.message = message;
            this.callbacks = callbacks;
        }

        Dispatch to(MessageHandler next) {
            if (handler != next) { // mostly it is the one of before: no store, and no barrier of the collector's
                handler = next;
            }
            return this;
        }

        @Override
        public void onMessage(DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags) {
            if (callbacks != null && callbacks.isAway() && message.inbox().leaveToOwnThread()) {
                return;
            }
            message.wrap(buffer, offset, length, qpNumber, flags == 0 ? 0 : immediate);
            try {
                handler.onMessage(message);
            } finally {
                message.unwrap();
            }
        }
    }
}
