package io.verbena;

import io.verbena.dispatch.CallbackSource;
import io.verbena.dispatch.Handoff;
import io.verbena.dispatch.TenantCallbacks;
import io.verbena.dispatch.Turns;
import io.verbena.rate.agent.DeliveryGate;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Takes an inbox's messages where no thread of the application polls: in a callback in the node's turns, or on an
 * executor. A message that its handler leaves is tried again, a little later each time.
 *
 * <p>The setters are for any thread; taking is for the thread that runs the callback.
 */
final class InboxCallback implements CallbackSource {
    private static final long MIN_DELAY = TimeUnit.MICROSECONDS.toNanos(10);
    private static final long MAX_DELAY = TimeUnit.MILLISECONDS.toNanos(1);

    private final Inbox inbox;
    private final TenantCallbacks callbacks;
    private final Turns turns;
    private final NanoClock clock;
    private final int batch;
    private final BooleanSupplier parkCheck = this::hasWork;
    private final BooleanSupplier callbackCheck = this::hasWorkForNodeSoon;

    private Runnable afterBatch = () -> {}; // published with handler
    private volatile @Nullable MessageHandler handler;
    private volatile @Nullable Handoff handoff;
    private volatile boolean polledByNode;
    private boolean severalConsumers; // under this

    private volatile boolean left; // a message, which the node tries again
    private long delay = MIN_DELAY; // the taker's, as the next
    private long nextAttempt;

    /**
     * Creates it.
     *
     * @param batch messages that are taken at a time at most
     */
    InboxCallback(Inbox inbox, TenantCallbacks callbacks, Turns turns, NanoClock clock, int batch) {
        this.batch = batch;
        this.inbox = inbox;
        this.callbacks = callbacks;
        this.turns = turns;
        this.clock = clock;
    }

    // ---- setting ----------------------------------------------------------------------------------------------------

    /** The node's turns take the messages from now on; an action runs after each batch, on the same thread. */
    void set(MessageHandler taker, Runnable after) {
        synchronized (this) {
            refuseSecond();
            afterBatch = after;
            handler = taker;
        }
        turns.add(this);
    }

    /** Threads of an executor take the messages from now on. */
    void set(MessageHandler taker, Executor executor, Runnable wake) {
        Handoff to = new Handoff(this, () -> take(taker), executor, wake);
        synchronized (this) {
            refuseSecond();
            polledByNode = true;
            handoff = to;
        }
        turns.add(to, to.look());
    }

    private void refuseSecond() {
        if (isSet()) {
            throw new IllegalStateException("inbox '" + inbox.name() + "' has a callback already");
        }
        if (severalConsumers) {
            throw new IllegalStateException("inbox '" + inbox.name() + "' has several consumers, see consumer");
        }
    }

    /** From now on consumers alone take messages. */
    synchronized void giveWayToConsumers() {
        if (isPolledByNode()) {
            throw new IllegalStateException("inbox '" + inbox.name() + "' is polled by its node, see onMessage");
        }
        severalConsumers = true;
    }

    /** From now on only the node's turns take messages, though not by a callback. */
    void polledByNode() {
        polledByNode = true;
    }

    boolean isPolledByNode() {
        return polledByNode || handler != null;
    }

    /** Whether there is a handler, here or on an executor. */
    boolean isSet() {
        return handler != null || handoff != null;
    }

    /** Stops handing over messages. @return whether no handler is running on an executor */
    boolean end() {
        Handoff to = handoff;
        return to == null || to.end();
    }

    /** The inbox is gone. */
    void forget() {
        Handoff to = handoff;
        if (to != null) {
            turns.remove(to, to.look());
        }
    }

    // ---- taking -----------------------------------------------------------------------------------------------------

    @Override
    public TenantCallbacks callbacks() {
        return callbacks;
    }

    @Override
    public int callBack() {
        MessageHandler taker = handler;
        if (taker == null) {
            return 0;
        }
        try {
            return take(taker);
        } finally {
            afterBatch.run();
        }
    }

    /** Takes a batch of messages; if the first of them is left, the next one comes a little later each time. */
    private int take(MessageHandler taker) {
        left = false;
        int taken = inbox.take(taker, batch, turns.isCurrentThread());
        if (left) {
            delay = taken > 0 ? MIN_DELAY : Math.min(2 * delay, MAX_DELAY);
            nextAttempt = clock.nanoTime() + delay;
        }
        return taken;
    }

    /** The present message stays in the inbox and comes again. */
    void leave() {
        left = isPolledByNode();
    }

    /** Whether a message was left and will be tried again. */
    boolean hasLeft() {
        return left;
    }

    @Override
    public long nextAttempt() {
        if (left) {
            return nextAttempt;
        }
        DeliveryGate gate = inbox.tenant().gate();
        return gate != null && inbox.isHeldBack() ? gate.admitsAtNanos() : Long.MAX_VALUE;
    }

    @Override
    public boolean hasWork() {
        return !left && !inbox.isDrained() && !inbox.isHeldBack();
    }

    private boolean hasWorkForNodeSoon() {
        return !callbacks.isAway() && hasWork();
    }

    @Override
    public boolean hasWorkForNode() {
        return !callbacks.isAway() && !inbox.isEmpty() && !inbox.isHeldBack();
    }

    @Override
    public boolean isDrained() {
        return inbox.isDrained();
    }

    @Override
    public BooleanSupplier callbackCheck() {
        return callbackCheck;
    }

    @Override
    public BooleanSupplier parkCheck() {
        return parkCheck;
    }

    @Override
    public String toString() {
        return inbox.toString();
    }
}
