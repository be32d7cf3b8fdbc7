package io.verbena.channel;

import io.verbena.connection.Connection;
import io.verbena.connection.Connections;
import io.verbena.connection.IdleMemory;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.arbiter.Limit;
import io.verbena.path.SendPath;
import io.verbena.path.StagingRing;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What a channel may have under way: slots for messages, and memory for those that do not go inline. It grows while
 * more would be used, and goes back to what it began with when the channel is idle.
 *
 * <p>For the thread that sends, but for {@link #giveBackIfIdle}, which enters in its place.
 */
public final class SendWindow implements IdleMemory.Holder {
    /** What is as long finds the memory that was staged last in a near cache, if that is free again. */
    private static final int LONG_MESSAGE = 4096;

    private static final int RELEASE_TRIES = 256;

    /** Refusals after which a channel's window grows. */
    private static final int REFUSALS = 16;

    /** Most messages to which a channel's window grows. */
    private static final int MAX_DEPTH = 8192;

    /** Bytes of a tenant's window for which a message more may be under way. */
    private static final int MIN_STAGED = 128;

    private final Connections connections;
    private final Connection connection;
    private final SendPath path;
    private final StagingRing staging;
    private final PerformanceGroup group;
    private final ChannelSender sender;
    private final AtomicInteger givings = new AtomicInteger(); // odd while the node may be inside to take memory

    private @Nullable WindowGrowth growth; // from the first refusal on
    private int depth;
    private int refused; // since it has grown
    private boolean watched; // by who takes the memory of idle channels
    private long postedAtLook; // its
    private long completed;

    SendWindow(
            Connections connections,
            Connection connection,
            StagingRing staging,
            PerformanceGroup group,
            ChannelSender sender) {
        this.connections = connections;
        this.connection = connection;
        this.path = connection.path;
        this.staging = staging;
        this.group = group;
        this.sender = sender;
        this.depth = path.depth();
    }

    // ---- posting ----------------------------------------------------------------------------------------------------

    /** Where messages are staged. */
    StagingRing staging() {
        return staging;
    }

    /** Whether there is a slot, made free if need be. */
    boolean ensureRoom() {
        return hasRoom() || makeRoom();
    }

    /** Whether the send ring has a free slot, as far as is known. */
    private boolean hasRoom() {
        return sender.posted() - completed < depth;
    }

    /** Looks what is complete; if there is still no slot, does a share of the sending. */
    boolean makeRoom() {
        takeCompleted();
        if (!hasRoom()) {
            push();
        }
        return hasRoom() || deepen();
    }

    /** Claims memory for a message, made free if need be. */
    boolean stage(int length) {
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

    /** A message found no room. */
    void refuse() {
        Limit limit = path.limit();
        group.statistics().refuse(limit);
        if (limit == Limit.WINDOW) {
            measured().refused(sender.posted());
        }
    }

    /**
     * Does a share of the sending, and looks what that completed. Calls nothing of the application: it may be a
     * handler.
     */
    private void push() {
        path.push();
        takeCompleted();
    }

    /** Slots and the memory staged for them are freed together: the ring of stagings is as deep as the send ring. */
    private void takeCompleted() {
        completed = sender.posted() - path.outstanding();
        staging.complete(completed);
        WindowGrowth measuring = growth;
        if (measuring != null && measuring.ends(completed)) {
            measuring.end();
        }
    }

    // ---- growing ----------------------------------------------------------------------------------------------------

    /**
     * Whether a larger window would be used. Beside others that send to the same peer: if it was refused often, not the
     * first time, while all that it may have under way is. Alone: if a round trip does not grow with what is under way.
     */
    private boolean wantsMore() {
        if (!path.isStarved()) {
            return measured().wantsMore();
        }
        return ++refused >= REFUSALS;
    }

    private WindowGrowth measured() {
        WindowGrowth made = growth;
        if (made == null) {
            made = new WindowGrowth(connections.clock());
            growth = made;
        }
        return made;
    }

    /** With the window as it is from here on. */
    private void begunAnew() {
        refused = 0;
        measured().grown();
        watch();
    }

    /** Lets more messages be under way, up to what the tenant's window allows. */
    private boolean deepen() {
        int most = Math.min(MAX_DEPTH, group.maxSendWindow() / MIN_STAGED);
        boolean begins = depth < path.fullDepth();
        if (!begins && (depth >= most || !wantsMore())) {
            return false;
        }
        begunAnew(); // also if it may not: it is not asked for at each refusal
        if (!connections.grow(connection, 2 * depth)) {
            return false;
        }
        depth = path.depth();
        staging.resize(depth);
        return true;
    }

    /** Lets more bytes be under way, up to the tenant's window. */
    private boolean widen() {
        if (2 * staging.capacity() > group.maxSendWindow() || !wantsMore()) {
            return false;
        }
        begunAnew(); // also if it may not: it is not asked for at each refusal
        return staging.grow(2 * staging.capacity());
    }

    // ---- giving back ------------------------------------------------------------------------------------------------

    private void watch() {
        if (!watched) {
            watched = true;
            connections.hasMemory(this);
        }
    }

    @Override
    public boolean giveBackIfIdle(int bytes) {
        if (connection.isOver()) {
            return true; // goes with its queue pair
        }
        long sent = sender.posted();
        if (sent != postedAtLook || path.outstanding() > 0) {
            postedAtLook = sent;
            return false;
        }
        givings.incrementAndGet();
        try {
            return sender.tryEnter() && giveBack(sent, bytes);
        } finally {
            givings.incrementAndGet();
        }
    }

    private boolean giveBack(long sent, int bytes) {
        try {
            if (sender.posted() != sent || path.outstanding() > 0) {
                return false;
            }
            takeCompleted();
            connections.shrink(connection);
            depth = path.depth();
            staging.giveBack(bytes, depth);
            refused = 0;
            growth = null;
            watched = false;
            return true;
        } finally {
            sender.leave();
        }
    }

    /** Counts when the node comes to take memory, and when it goes: odd while it may be inside. Any thread. */
    int givings() {
        return givings.get();
    }

    /**
     * Gives all memory back. Who still comes finds the channel closed, and is out again at once; one that has been
     * inside before is so only if its node closes, which takes the memory itself.
     */
    void release() {
        for (int i = 0; i < RELEASE_TRIES; i++) {
            if (sender.tryLook()) {
                try {
                    staging.close();
                } finally {
                    sender.endLook();
                }
                return;
            }
            Thread.onSpinWait();
        }
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    /** Bytes of messages, above those that go inline, that may be kept until they are acknowledged. */
    public int capacity() {
        return staging.capacity();
    }

    /** Whether it holds memory for messages. */
    public boolean hasMemory() {
        return watched;
    }
}
