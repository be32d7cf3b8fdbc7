package io.verbena;

import io.verbena.channel.ChannelSender;
import io.verbena.connection.Connection;
import io.verbena.connection.ConnectionEnd;
import io.verbena.connection.Connections;
import io.verbena.mux.SharedPath;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.arbiter.FlowStatistics;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.path.StagingRing;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A reliable, ordered way to one inbox of a peer. Messages arrive whole, once, in the order in which they were offered,
 * or the channel is closed with a reason. Nothing here blocks or calls back, and nothing is allocated per message, so a
 * handler may call all of it: one that the node runs, or one of a Netty channel on its {@link Node#eventLoop}.
 *
 * <pre>{@code
 *   Channel channel = node.connect("local:orders/echo", Duration.ofSeconds(5));
 *   while (channel.offer(buffer, 0, length) == SendResult.BACK_PRESSURED) {
 *       // In the mode INVOKER: node.doWork(); in a handler of the node no loop, but message.again().
 *       Thread.onSpinWait();
 *   }
 * }</pre>
 *
 * <p>Sending is for one thread at a time: a second one gets an {@link IllegalStateException} that names both, and
 * nothing is sent for it. A channel that was opened {@linkplain ChannelOptions#concurrent concurrent} takes any number
 * of threads, and keeps the order of each thread's messages. {@link #isConnected}, {@link #closeReason} and
 * {@link #close} are for any thread, also while another one sends.
 */
public final class Channel extends MessageSender implements AutoCloseable {
    /** Returned by {@link #tryClaim}: not now, try again later. */
    public static final int BACK_PRESSURED = ChannelSender.BACK_PRESSURED;
    /** Returned by {@link #tryClaim}: never, the channel is closed. */
    public static final int CLOSED = ChannelSender.CLOSED;

    private final Node node;
    private final Connection connection;
    private final Tenant tenant;
    private final boolean concurrent;
    private final End end = new End();

    private volatile @Nullable ChannelSender sender; // made when it is first asked for: most of many channels are idle
    private @Nullable Object attachment;
    private volatile @Nullable Runnable onClosed;
    private volatile @Nullable Reconnector reconnector;

    Channel(Node node, Connection connection, Tenant tenant, boolean concurrent) {
        this.node = node;
        this.connection = connection;
        this.tenant = tenant;
        this.concurrent = concurrent;
    }

    /** What sends its messages. */
    ChannelSender sender() {
        ChannelSender made = sender;
        return made != null ? made : makeSender();
    }

    private ChannelSender makeSender() {
        synchronized (end) { // the application may hold the channel's own monitor, for as long as it likes
            ChannelSender made = sender;
            if (made == null) {
                made = newSender();
                made.target();
                made.state(connection.state);
                sender = made;
            }
            return made;
        }
    }

    private ChannelSender newSender() {
        Connections connections = node.connections();
        StagingRing staging = new StagingRing(tenant.pd(), connections.stagingLength(), connection.path.depth(), 0);
        return new ChannelSender(
                this, connections, connection, staging, tenant.group(), tenant.callbacks(), node.turns(), concurrent);
    }

    // ---- sending ----------------------------------------------------------------------------------------------------

    /**
     * Sends a message. It has been copied when this returns. Over a socket, a message with nothing before it leaves at
     * once. One that is offered while others are unacknowledged, within 20 us of the node's last turn, leaves with the
     * next turn, whose system call many messages share. In the mode INVOKER that is the next {@link Node#doWork};
     * {@link #flush} does not wait for it. Messages of an urgent channel do not wait.
     *
     * @param buffer holds it
     * @param offset of its first byte
     * @param length in bytes, 0 to {@link #maxMessage}
     * @return what became of it
     * @throws IllegalArgumentException if it is longer than the peer's inbox takes
     * @throws IllegalStateException if the peer gave no inbox to answer to
     * @throws io.verbena.nic.port.MemoryExhaustedException if it needs memory, the machine has none, and nothing of
     *     this channel is under way whose end would give some back; says what helps
     */
    @Override
    public SendResult offer(DirectBuffer buffer, int offset, int length) {
        return sender().send(buffer, offset, length, true);
    }

    /** As {@link #offer(DirectBuffer, int, int)}, with 32 bits beside the message. */
    public SendResult offer(DirectBuffer buffer, int offset, int length, int immediate) {
        return sender().send(buffer, offset, length, immediate, true);
    }

    /**
     * As {@link #offer}, but the message may stay here until {@link #flush}: for batches, which then cost one doorbell.
     */
    public SendResult enqueue(DirectBuffer buffer, int offset, int length) {
        return sender().send(buffer, offset, length, false);
    }

    /**
     * As {@link #offer(DirectBuffer, int, int)}, for a message in two parts. Where the peer's memory is mapped and
     * nothing is ahead of the message, it is copied once, straight to its place there, however long it is.
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
        return sender().send(head, headOffset, headLength, body, bodyOffset, bodyLength);
    }

    /** As {@link #enqueue(DirectBuffer, int, int)}, with 32 bits beside the message. */
    public SendResult enqueue(DirectBuffer buffer, int offset, int length, int immediate) {
        return sender().send(buffer, offset, length, immediate, false);
    }

    /**
     * Sends what was enqueued, and what was offered and waits for the node's next turn; on a
     * {@linkplain ChannelOptions#concurrent concurrent} channel, what other threads have enqueued too. While another
     * thread has a claim open there, they leave when that is committed, enqueued or aborted.
     */
    public void flush() {
        sender().flush();
    }

    /**
     * Sets a listener that the node runs, like a callback, each time the channel can take a message again after it
     * refused one with {@link SendResult#BACK_PRESSURED}, or when the channel is closed instead. The room may be gone
     * by then; a sender that is refused again is notified again. Any thread; set it before the refusal that it is to
     * report.
     *
     * @param listener runs as {@link Node#execute} says: it may send, if no other thread does, and must not block
     */
    public void onReady(Runnable listener) {
        sender().onReady(listener);
    }

    // ---- composing in place -----------------------------------------------------------------------------------------

    /**
     * Claims memory in which to compose a message, at the returned offset of {@link #claimBuffer}. Must be followed by
     * {@link #commit}, {@link #enqueueClaim} or {@link #abortClaim}, by the same thread, before anything else is sent.
     * Other threads of a {@linkplain ChannelOptions#concurrent concurrent} channel are back-pressured until then.
     *
     * @param length in bytes, 0 to {@link #maxMessage}
     * @return the offset, {@link #BACK_PRESSURED} or {@link #CLOSED}
     */
    public int tryClaim(int length) {
        return sender().tryClaim(length);
    }

    /** Where the claimed message is composed. */
    public MutableDirectBuffer claimBuffer() {
        return sender().claimBuffer();
    }

    /** Sends the claimed message. */
    public SendResult commit() {
        return sender().sendClaim(sender().claimLength(), true);
    }

    /**
     * Sends the first bytes of the claimed message.
     *
     * @param length in bytes, 0 to what was claimed
     */
    public SendResult commit(int length) {
        return sender().sendClaim(length, true);
    }

    /** As {@link #commit()}, but the message may stay here until {@link #flush}. */
    public SendResult enqueueClaim() {
        return sender().sendClaim(sender().claimLength(), false);
    }

    /** Abandons the claim. */
    public void abortClaim() {
        sender().abortClaim();
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    /** Its weight among the tenant's connections. */
    public int weight() {
        return connection.weight();
    }

    /**
     * Sets its weight, from the scheduler's next visit on. Any thread.
     *
     * @param value 1 to what the tenant may set
     * @throws IllegalArgumentException if the tenant may not set it
     * @throws IllegalStateException if the channel is closed
     */
    public void weight(int value) {
        SharedPath shared = connection.shared;
        if (shared == null || !isConnected()) {
            modify(new QpAttributes().weight(value));
        } else {
            new ChannelOptions().weight(value).check(tenant.options());
            shared.weight(value);
        }
    }

    /** Whether its messages go ahead of others. */
    public boolean isUrgent() {
        return connection.isUrgent();
    }

    /**
     * Sets whether its messages go ahead of others; their length is then bounded by {@link TenantOptions#urgentLimit}.
     * By the thread that sends.
     *
     * @throws IllegalArgumentException if the tenant may not set it
     * @throws IllegalStateException if the channel is closed, or shares its queue pair
     */
    public void urgent(boolean before) {
        checkShared(before, "urgent");
        modify(new QpAttributes().trafficClass(before ? TrafficClass.URGENT : TrafficClass.BULK));
        sender().bound();
    }

    /** Its rate limit. */
    public RateLimit rateLimit() {
        return connection.rateLimit();
    }

    /**
     * Sets its rate limit, within the tenant's ceiling, from the scheduler's next visit on. Any thread.
     *
     * @throws IllegalStateException if the channel is closed, or shares its queue pair
     */
    public void rateLimit(RateLimit limit) {
        checkShared(!limit.isNone(), "limited to a rate");
        modify(new QpAttributes().rateLimit(limit));
    }

    /** Whether it shares its queue pair with others, see {@link NodeContext#shareConnections}. */
    public boolean isShared() {
        return connection.shared != null;
    }

    private void checkShared(boolean wanted, String what) {
        if (wanted && isShared()) {
            throw new IllegalStateException(this + " shares its queue pair and cannot be " + what
                    + "; open it with ChannelOptions.dedicated, or have InboxOptions.channels say so");
        }
    }

    private void modify(QpAttributes a) {
        if (!isConnected() || !connection.modify(a)) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /**
     * Counts of what it has sent, and how long it waited. Of a channel that {@linkplain #isShared shares}: messages and
     * their own bytes as they are now, and no delays.
     */
    public FlowStatistics statistics() {
        return connection.statistics();
    }

    /** Bytes of the longest message that can be sent; -1 if the peer gave no inbox. */
    public int maxMessage() {
        return sender().maxMessage();
    }

    /** Messages that were sent or enqueued and that the peer has not acknowledged. */
    public int outstanding() {
        return connection.isOver() ? 0 : connection.path.outstanding();
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

    /** Whether the peer connected to this node, rather than this node to the peer. */
    public boolean isIncoming() {
        return connection.incoming;
    }

    /** The name of the peer's node; empty until it is connected. */
    public String peerName() {
        return connection.peer.name();
    }

    /** Identity of the peer's NIC; a relaunched node has another one. */
    public long peerNic() {
        return connection.peerNic;
    }

    /** An object that the application has attached to this connection, or null. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** Sets the {@link #attachment}. Other threads see it if the channel is handed to them safely. */
    public void attach(@Nullable Object object) {
        attachment = object;
    }

    /** Whether it is closed for good, so that nothing arrives by it any more. */
    boolean isOver() {
        return connection.isOver();
    }

    /** Sets what the node runs when the channel is closed for good; runs it now if it is closed already. */
    void onClosed(Runnable listener) {
        onClosed = listener;
        if (isOver()) {
            listener.run();
        }
    }

    /** Called by the node when the channel is closed for good. */
    private void closed() {
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

    /** It replaces another channel: the listener of that one's end gets this one's too. */
    void succeeds(Channel lost) {
        Runnable listener = lost.onClosed;
        if (listener != null) {
            onClosed(listener);
        }
    }

    @Override
    Node node() {
        return node;
    }

    /** The local queue pair by which its messages arrive. */
    int queuePairNumber() {
        return connection.number();
    }

    /** The number of its messages' stream on that queue pair. */
    int stream() {
        return connection.peerStream;
    }

    Connection connection() {
        return connection;
    }

    /** The end that its connection knows. */
    End end() {
        return end;
    }

    /** This channel, as its connection sees it. */
    final class End implements ConnectionEnd {
        Channel channel() {
            return Channel.this;
        }

        @Override
        public synchronized void moved() {
            ChannelSender made = sender;
            if (made != null) {
                made.state(connection.state);
            }
        }

        @Override
        public void peerKnown() {
            node.channels().put(Channel.this);
            synchronized (this) {
                ChannelSender made = sender;
                if (made != null) {
                    made.target();
                }
            }
        }

        @Override
        public void opened() {
            node.listeners().connected(Channel.this);
        }

        @Override
        public boolean finishSending() {
            ChannelSender made = sender; // one that is made from here on is told that the channel is closed
            return made == null || made.finish();
        }

        @Override
        public void closed(boolean wasOpen) {
            node.notices().note(Channel.this::closed);
            if (wasOpen) {
                node.listeners().closed(Channel.this);
            }
        }

        @Override
        public boolean isUnused() {
            ChannelSender made = sender;
            return made == null || made.isUnused();
        }

        @Override
        public void retired() {
            ChannelSender made = sender;
            if (made != null) {
                made.release();
            }
            node.channels().retire(Channel.this);
        }
    }

    /**
     * Closes the channel. What was sent or enqueued still reaches the peer, within the node's linger time, unless the
     * peer closes too, or answers to an inbox that is closed here. Does not wait for that; the log says what may not
     * have arrived. A message that another thread sends meanwhile is either among that or refused with
     * {@link SendResult#CLOSED}; a claim that is open is refused. Idempotent.
     */
    @Override
    public void close() {
        Reconnector next = reconnector;
        if (next != null) {
            next.stop();
        }
        node.connections().close(connection);
    }

    @Override
    public String toString() {
        return "channel " + connection + ", tenant '" + tenant.name() + "'";
    }
}
