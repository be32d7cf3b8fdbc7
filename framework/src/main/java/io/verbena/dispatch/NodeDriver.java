package io.verbena.dispatch;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.engine.GuestWaits;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Does a node's work where the application does it (in the mode INVOKER), and lets threads wait for it where it is done
 * by another thread. Nothing of a node is entered twice: who is called by its work neither does it nor waits for it.
 *
 * <p>Thread-safe, but for {@link #doWork} and {@link #await}, which one thread calls.
 */
public final class NodeDriver {
    private final String node;
    private final boolean invoker;
    private final Engine engine;
    private final Turns turns;
    private final IntSupplier background;
    private final Runnable afterWork;
    private volatile boolean ended;

    /**
     * Creates it.
     *
     * @param node whose it is, for texts
     * @param invoker whether the application does the node's work
     * @param background work of the NIC that has no thread of its own
     * @param afterWork runs where the application has done it or slept, outside of callbacks
     */
    public NodeDriver(
            String node, boolean invoker, Engine engine, Turns turns, IntSupplier background, Runnable afterWork) {
        this.node = node;
        this.invoker = invoker;
        this.engine = engine;
        this.turns = turns;
        this.background = background;
        this.afterWork = afterWork;
    }

    /** Does a bounded amount of work, where that is the application's. @return the amount of work done */
    public int doWork() {
        if (!invoker || ended || engine.isInCallback()) {
            return 0;
        }
        int work = engine.doWork() + turns.doWork() + background.getAsInt();
        afterWork.run();
        return work;
    }

    /** What {@link #doWork} does but for callbacks: for whoever closes the node. @return the amount of work done */
    public int progress() {
        return invoker ? engine.doWork() + background.getAsInt() : 0;
    }

    /**
     * Sleeps until there is work for whoever drives the node, or the time is over, where that is the application.
     *
     * @throws IllegalStateException within a callback of the node, or where it has a thread of its own
     */
    public void await(long nanos) {
        refuseInCallback("await");
        if (ended) {
            return;
        }
        if (!invoker) {
            throw new IllegalStateException(
                    node + " has a thread of its own, and is not in the mode INVOKER; wait with Inbox.await");
        }
        engine.await(nanos);
        afterWork.run();
    }

    /** For a thread that waits: does the node's work in the mode INVOKER, and sleeps if there is none. */
    public void workOrWait(long nanos, BooleanSupplier condition) {
        if (!invoker) {
            engine.awaitAsGuest(nanos, condition);
        } else if (doWork() == 0) {
            engine.await(nanos);
        }
    }

    /**
     * Sleeps until there is a message, or the time is over; in the mode INVOKER also until there is other work.
     *
     * @param choice how the thread waits, or null: as the node was told
     * @return whether there is one
     * @throws IllegalStateException within a callback of the node
     */
    public boolean awaitMessage(@Nullable GuestWaits choice, long nanos, BooleanSupplier hasMessage) {
        refuseInCallback("await");
        if (hasMessage.getAsBoolean() || ended) {
            return hasMessage.getAsBoolean();
        }
        if (!invoker) {
            return choice == null
                    ? engine.awaitAsGuest(nanos, hasMessage)
                    : engine.awaitAsGuest(choice, nanos, hasMessage);
        }
        engine.await(nanos);
        return hasMessage.getAsBoolean();
    }

    /**
     * What would wait for the node's work, or do it, must not be called by code that this work has called.
     *
     * @param what waits, for the text
     * @throws IllegalStateException within a callback of the node
     */
    public void refuseInCallback(String what) {
        if (isInCallback()) {
            throw new IllegalStateException(
                    what + " waits for the work of " + node + " and cannot be called from its own callbacks");
        }
    }

    /** Whether the caller is within a callback of the node. */
    public boolean isInCallback() {
        return engine.isInCallback() || turns.isCurrentThread() || CallbackThread.isCurrent(turns);
    }

    /**
     * The application is about to be called by the thread that does the node's work.
     *
     * @return whether {@link #leaveCallback} must follow
     */
    public boolean enterCallback() {
        return engine.enterCallback();
    }

    /** The application has returned. */
    public void leaveCallback() {
        engine.leaveCallback();
    }

    /** Wakes whoever does the node's work, or waits for it. Any thread. */
    public void wake() {
        engine.wake();
    }

    /** Whether the node is closed. */
    public boolean hasEnded() {
        return ended;
    }

    /** The node is closed: nobody drives it or waits for it any more. */
    public void end() {
        ended = true;
    }
}
