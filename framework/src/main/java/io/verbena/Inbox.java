package io.verbena;

import io.verbena.connection.MessageQueue;
import io.verbena.dispatch.NodeDriver;
import io.verbena.dispatch.SingleThreadGuard;
import io.verbena.dispatch.TenantCallbacks;
import io.verbena.fabric.Nanos;
import io.verbena.nic.append.AppendConsumer;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueStatistics;
import io.verbena.nic.append.AppendRecord;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.engine.GuestWaits;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.rate.agent.DeliveryGate;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where messages for one name arrive: an append queue that takes messages of any size from any number of channels. The
 * order of each channel's messages is kept.
 *
 * <p>Either one thread at a time polls ({@link #poll}, {@link #await}), or several do, each with a {@link #consumer} of
 * its own, or the node's thread calls back ({@link #onMessage}). What is handed to the handler is valid during the call
 * only, unless it is {@linkplain Message#hold held}; the handler may send.
 */
public final class Inbox implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    /** Who waits for a rate looks again after so long: another one may have been set, which nobody tells. */
    private static final long RATE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Node node;
    private final NodeDriver driver;
    private final Tenant tenant;
    private final String name;
    private final AppendQueue queue;
    private final Dispatch dispatch;
    private final Channels channels;
    private final HeldMessages held;
    private final SingleThreadGuard use = new SingleThreadGuard();
    private final ChannelOptions channelOptions;
    private final BooleanSupplier hasMessage = this::hasMessage;
    private final InboxCallback callback;
    private final @Nullable GuestWaits waits; // null: the node's choice
    private volatile boolean closed;

    Inbox(Node node, Tenant tenant, String name, AppendQueue queue, InboxOptions options, ChannelOptions peers) {
        this.node = node;
        this.driver = node.driver();
        this.channels = node.channels();
        this.tenant = tenant;
        this.name = name;
        this.queue = queue;
        this.dispatch = new Dispatch(new Message(this, channels, null), tenant.callbacks());
        Polling polling = options.polling;
        this.waits = polling == null ? null : new GuestWaits(polling);
        int batch = polling == null ? node.turns().callbackBatch() : polling.batch();
        this.callback = new InboxCallback(this, tenant.callbacks(), node.turns(), node.clock(), batch);
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

    /** Options of the channels that peers make by connecting to it. */
    ChannelOptions channelOptions() {
        return channelOptions;
    }

    /** Bytes of the longest message that it takes. */
    public int maxMessage() {
        return queue.attributes().maxMessage();
    }

    /**
     * Takes messages, oldest first. Runs no part of the node: in the mode INVOKER, {@link Node#doWork} brings what
     * comes by sockets.
     *
     * @param handler takes each
     * @param limit most messages to take, at least 1
     * @return messages taken
     * @throws IllegalStateException if a callback takes them, while another thread polls, or within the handler of a
     *     poll of this inbox
     */
    public int poll(MessageHandler handler, int limit) {
        if (callback.isSet()) {
            throw new IllegalStateException("inbox '" + name + "' is polled by its node, see onMessage");
        }
        return take(handler, limit);
    }

    int take(MessageHandler handler, int limit) {
        return take(handler, limit, false);
    }

    int take(MessageHandler handler, int limit, boolean byEngine) {
        if (closed) {
            return 0;
        }
        if (!use.tryEnter()) {
            if (closed) {
                return 0; // by the node, which has just begun
            }
            throw inUse();
        }
        boolean entered = driver.enterCallback();
        try {
            DeliveryGate gate = tenant.gate();
            int taken = gate == null
                    ? queue.poll(dispatch.to(handler), limit)
                    : paced(gate, limit, most -> queue.poll(dispatch.to(handler), most));
            queue.takenByEngine(byEngine
                    && !callback.hasLeft()); // here, where nobody can destroy it, and another one get its number
            return taken;
        } finally {
            if (entered) {
                driver.leaveCallback();
            }
            use.leave();
        }
    }

    /** Takes as many as the tenant's rate admits. */
    int paced(DeliveryGate gate, int limit, IntUnaryOperator poll) {
        long now = gate.now(); // what handlers take counts towards the time until the next
        int admitted = gate.admit(limit, now);
        if (admitted == 0) {
            isHeldBack();
            return 0;
        }
        int taken = admitted; // if a handler throws: nobody knows how many there were
        try {
            taken = poll.applyAsInt(admitted);
        } finally {
            gate.took(taken, now);
        }
        return taken;
    }

    /** Whether a message is there, and its tenant's rate holds it back. Any thread. */
    boolean isHeldBack() {
        DeliveryGate gate = tenant.gate();
        return gate != null && !isDrained() && gate.holdsBack();
    }

    private IllegalStateException inUse() {
        return use.isMine()
                ? new IllegalStateException(this + " cannot be polled by the handler of one of its messages")
                : use.refusal(this, "let one of them poll, or give each a consumer()");
    }

    /**
     * Makes one of several consumers. From the first one on, messages are taken only through consumers; the thread that
     * would otherwise call {@link #poll} uses one.
     *
     * @throws IllegalStateException if a callback takes the messages
     */
    public InboxConsumer consumer() {
        callback.giveWayToConsumers();
        return new InboxConsumer(this, queue.consumer(), channels);
    }

    /** Holds the present message; null if the maximum number is held. */
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

    /** The present message stays in the inbox and comes again. */
    void again(@Nullable AppendConsumer consumer) {
        if (consumer == null) {
            queue.leave();
            callback.leave();
        } else {
            consumer.leave();
        }
    }

    void returned(HeldMessage message) {
        held.give(message);
    }

    /**
     * Lets the node take the messages, on its own thread (or in {@link Node#doWork}), from now on. A handler that
     * throws has consumed its message; the error is logged.
     *
     * @throws IllegalStateException if there is a callback already
     */
    public void onMessage(MessageHandler handler) {
        callback.set(handler, () -> {});
    }

    /**
     * Lets threads of an executor take the messages from now on, one thread at a time and in order. This is for
     * handlers that block or take long: they hold up neither the node nor other inboxes. When there are messages, the
     * node gives the executor a task, which takes them. A handler that throws has consumed its message; the error is
     * logged. If the executor rejects the task, the node offers it again every 10 ms; the messages wait.
     * {@link Node#close} waits up to 10 s for a handler that is running.
     *
     * @param executor of the application's, which closes it after the node
     * @throws IllegalStateException if there is a callback already
     */
    public void onMessage(MessageHandler handler, Executor executor) {
        callback.set(handler, executor, node::wake);
    }

    /**
     * As {@link #onMessage(MessageHandler)}, with an action that runs after each batch of messages, on the same thread.
     */
    void onMessage(MessageHandler handler, Runnable afterBatch) {
        callback.set(handler, afterBatch);
    }

    /** What takes the messages where nobody polls. */
    InboxCallback callback() {
        return callback;
    }

    /** Destroys its queue, unless somebody is taking messages. By the node. @return whether it is destroyed */
    boolean destroy() {
        if (!callback.end() || !use.tryEnter()) {
            return false;
        }
        try {
            queue.isEmpty(); // makes this thread the queue's consumer: nobody else reads it now, so that its memory
            // goes at once
            queue.destroy(true);
        } finally {
            use.leave();
        }
        callback.forget();
        return true;
    }

    /** Whether every message was taken. Any thread; false may also mean that a message is arriving. */
    boolean isDrained() {
        return closed || queue.isDrained();
    }

    /**
     * Whether there is no message now. Any thread: it reads no message and does not disturb a thread that polls. False
     * may also mean that a message is arriving.
     */
    public boolean isEmpty() {
        return closed || (use.isMine() ? queue.isEmpty() : queue.isDrained());
    }

    /** Whether the caller's next {@link #poll} finds a message; true also while another thread takes some. */
    private boolean hasMessage() {
        if (isEmpty()) {
            return false;
        }
        if (callback.isSet() || !use.tryLook()) {
            return true;
        }
        try {
            return !closed && !queue.isEmpty();
        } finally {
            use.endLook();
        }
    }

    /**
     * Sleeps until there is a message that {@link #poll} takes: one that its tenant's rate holds back
     * ({@link NodeContext#rates}) does not end it. In the mode INVOKER this is {@link Node#await}, which also
     * returns when there is other work for the node.
     *
     * @param longest most time to sleep
     * @return whether there is a message; true also while another thread polls, or the node takes the messages
     * @throws IllegalStateException within a callback of the node
     */
    public boolean await(Duration longest) {
        return await(longest, hasMessage);
    }

    boolean await(Duration longest, BooleanSupplier condition) {
        return await(Nanos.of(longest), condition);
    }

    boolean await(long nanos, BooleanSupplier condition) {
        DeliveryGate gate = tenant.gate();
        return gate == null ? driver.awaitMessage(waits, nanos, condition) : awaitPaced(gate, nanos, condition);
    }

    /** Waits for a message, and then until its tenant's rate lets it be taken. */
    private boolean awaitPaced(DeliveryGate gate, long nanos, BooleanSupplier condition) {
        NanoClock clock = node.clock();
        long begin = clock.nanoTime();
        long left = nanos;
        while (driver.awaitMessage(waits, left, condition)) {
            if (!gate.holdsBack()) {
                return true;
            }
            long now = clock.nanoTime();
            left = nanos - (now - begin);
            long pause = Math.max(0, Math.min(left, Math.min(gate.admitsAtNanos() - now, RATE_LOOK_NANOS)));
            boolean opened = left > 0 && driver.awaitMessage(waits, pause, () -> !gate.isShut());
            left = nanos - (clock.nanoTime() - begin);
            if (!opened && (left <= 0 || clock.nanoTime() - now < pause)) {
                return false; // the time is over, or there is other work for the node
            }
        }
        return false;
    }

    boolean isClosed() {
        return closed;
    }

    boolean enterCallback() {
        return driver.enterCallback();
    }

    void leaveCallback() {
        driver.leaveCallback();
    }

    /**
     * Called when callbacks have moved off the node's thread. If that thread is taking messages here, it stops before
     * the next one.
     */
    private boolean leaveToOwnThread() {
        boolean leaves = node.turns().isCurrentThread();
        if (leaves) {
            queue.leave();
        }
        return leaves;
    }

    /** Messages taken since it was opened. Any thread. */
    public long messages() {
        return queue.query().records();
    }

    /** Bytes that wait to be taken, including records' headers. Any thread. */
    public long depth() {
        return queue.depth();
    }

    /**
     * Statistics of its queue: depth, footprint and its mean, what is held, how often senders were told "not now"
     * ({@code rnr}), and more. Any thread.
     */
    public AppendQueueStatistics statistics() {
        return queue.query();
    }

    /**
     * Changes the options that can change while it is in use: memory limit, reserve and what determines it, low
     * watermark, times. Any thread.
     *
     * @param options all of them; lengths and the maximum of held messages must be unchanged
     * @throws IllegalArgumentException if an option is out of range or cannot be changed; names both values
     */
    public void modify(InboxOptions options) {
        if (options.maxHeld != held.most()) {
            throw new IllegalArgumentException(
                    this + ": max held " + options.maxHeld + " wanted, is " + held.most() + " for good");
        }
        queue.modify(options.attributes());
    }

    /**
     * What waiting for it has cost, where it has a choice of its own how threads wait ({@link InboxOptions#polling});
     * else 0, and {@link Node#waitStatistics} tells. Any thread.
     */
    public WaitStatistics waitStatistics() {
        GuestWaits own = waits;
        return own == null ? new WaitStatistics(0, 0, 0) : own.statistics();
    }

    /** Bytes that it holds now. Any thread. */
    public long footprint() {
        return queue.query().footprint();
    }

    /** Where its messages go. */
    MessageQueue messageQueue() {
        return new MessageQueue(queue.id(), queue.key(), maxMessage());
    }

    /**
     * Closes it: waiting messages are lost, and its channels close with REFUSED when they send. Held messages, and
     * their memory, stay until they are released; the log says how many there are. Idempotent.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (waits != null) {
            waits.close();
        }
        long stay = queue.query().heldRecords();
        if (stay > 0) {
            LOG.warn("{} is closed while {} of its messages are held: their memory waits for release", this, stay);
        }
        node.openings().forget(this, queue);
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
            boolean hasImmediate = (flags & RecordDescriptor.HAS_IMMEDIATE) != 0;
            message.wrap(
                    buffer, offset, length, qpNumber, RecordDescriptor.stream(flags), hasImmediate ? immediate : 0);
            try {
                handler.onMessage(message);
            } finally {
                message.unwrap();
            }
        }
    }
}
