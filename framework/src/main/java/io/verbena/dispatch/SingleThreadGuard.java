package io.verbena.dispatch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Watches over an object that is for one thread at a time: a second thread is told so instead of tearing the object's
 * state.
 *
 * <p>It is biased to the thread that uses the object: that one enters and leaves by stores to a word of its own,
 * without an atomic operation or a fence. Another thread that wants to enter takes the bias away, which costs it
 * {@value #REVOCATION_NANOS} ns; from then on threads enter by compare-and-set, until one has entered {@value #REBIAS}
 * times in a row.
 *
 * <pre>
 *   the biased thread                      who takes the bias away
 *   INSIDE := 1                            ACTIVE := 0
 *   ACTIVE = 1 ? enter : INSIDE := 0       (wait for what is in a store buffer)
 *                                          INSIDE = 0 ? no bias from here on : ACTIVE := 1, refused
 * </pre>
 *
 * <p>A store buffer drains within nanoseconds, and at an interrupt, so the wait is long enough by orders of magnitude;
 * the store and the load keep their order in compiled code since they are VarHandles' ordered accesses. Objects that
 * are {@linkplain #forMany for many} threads do not rely on that: they have no bias. What one thread did inside
 * happens before what the next one does there.
 *
 * <p>A thread that stays inside for as long as it likes says when it {@linkplain #rest rests} there. Others can see
 * that, and rely on what it sees when it goes on.
 *
 * <p>An object of which there are many extends it, so that the object, its guard and the first {@link Bias} share cache
 * lines; other objects have a guard of their own.
 */
public class SingleThreadGuard extends Bias {
    /** Uses in a row after which a thread has the bias. */
    static final int REBIAS = 4096;

    static final int REVOCATION_NANOS = 10_000;

    private static final int RESTS = 2; // beside 1: a thread is inside

    private static final int SPINS = 256;
    private static final int LOOKING = 0xffff;
    private static final int LOOK = LOOKING + 2; // one more that has been, and is

    private static final VarHandle BIAS;
    private static final VarHandle SHARED;
    private static final VarHandle INSIDE;
    private static final VarHandle ACTIVE;
    private static final VarHandle LOOKERS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            BIAS = lookup.findVarHandle(SingleThreadGuard.class, "bias", Bias.class);
            SHARED = lookup.findVarHandle(SingleThreadGuard.class, "shared", int.class);
            INSIDE = lookup.findVarHandle(Bias.class, "inside", int.class);
            ACTIVE = lookup.findVarHandle(Bias.class, "active", int.class);
            LOOKERS = lookup.findVarHandle(SingleThreadGuard.class, "lookers", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null while threads enter by compare-and-set. */
    private volatile @Nullable Bias bias;

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile int shared; // 1 while a thread is inside that has no bias, or RESTS

    @SuppressWarnings("UnusedVariable") // changed by its VarHandle
    private volatile int lookers; // those that are inside, or about to be; above them, how many there have been

    // Of whoever is inside without a bias.
    private @Nullable Thread holder; // whom others only compare with themselves
    private @Nullable Thread last; // read by others for messages alone
    private int inARow;
    private boolean biased = true; // set before anybody enters

    /**
     * Many threads use it, so that more depends on it than that misuse is told: they always enter by compare-and-set.
     * Before anybody enters.
     */
    public final void forMany() {
        biased = false;
    }

    /**
     * Begins to use the object. Waits for a {@linkplain #tryLook look} at it.
     *
     * @return false if it is being used: by another thread, or by this one, further up
     */
    public final boolean tryEnter() {
        return enter() || enterBehindLookers();
    }

    private boolean enter() {
        Bias b = (Bias) BIAS.getAcquire(this);
        if (b != null && b.thread == Thread.currentThread()) {
            if ((int) INSIDE.getOpaque(b) != 0) {
                return false;
            }
            INSIDE.setOpaque(b, 1);
            if ((int) ACTIVE.getAcquire(b) != 0) {
                return true;
            }
            INSIDE.setRelease(b, 0);
        }
        return enterOther();
    }

    /** Tries until it is certain that it was nobody's look that was in the way. */
    private boolean enterBehindLookers() {
        while (!isMine()) {
            int before = lookers;
            if (enter()) {
                return true;
            }
            if ((before & LOOKING) == 0 && lookers == before) {
                return false;
            }
            Thread.yield();
        }
        return false;
    }

    /**
     * Begins a short look at the object by a thread that need not be the one that uses it. Who wants to use it
     * meanwhile waits for the end of the look and is not refused. {@link #endLook} must follow.
     *
     * @return false if the object is being used, or looked at
     */
    public final boolean tryLook() {
        LOOKERS.getAndAdd(this, LOOK);
        boolean inside = false;
        try {
            inside = enter();
        } finally {
            if (!inside) {
                LOOKERS.getAndAdd(this, -1);
            }
        }
        return inside;
    }

    /** Has looked. By the thread that began. */
    public final void endLook() {
        leave();
        LOOKERS.getAndAdd(this, -1);
    }

    /** Whether nobody uses the object. */
    public final boolean isUnused() {
        boolean unused = tryLook();
        if (unused) {
            endLook();
        }
        return unused;
    }

    /**
     * As {@link #tryEnter}, for an object that several threads use: waits a little for another one to leave.
     *
     * @return false if it is in use for longer than a message takes
     */
    public final boolean tryEnterForLong() {
        for (int i = 0; i < SPINS; i++) {
            if (tryEnter()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Has used the object. By the thread that entered. */
    public final void leave() {
        Bias b = (Bias) BIAS.getOpaque(this); // whose it is cannot change while a thread is inside
        if (b != null) {
            INSIDE.setRelease(b, 0);
        } else {
            holder = null;
            SHARED.setRelease(this, 0);
        }
    }

    /** The thread inside keeps the object, and changes nothing of it until {@link #goOn} or {@link #leave}. */
    public final void rest() {
        Bias b = (Bias) BIAS.getOpaque(this);
        if (b != null) {
            INSIDE.setRelease(b, RESTS);
        } else {
            SHARED.setRelease(this, RESTS);
        }
    }

    /** The thread that rests inside goes on, and sees what was written before others saw it rest. */
    public final void goOn() {
        Bias b = (Bias) BIAS.getOpaque(this);
        if (b != null) {
            INSIDE.setOpaque(b, 1);
        } else {
            SHARED.setVolatile(this, 1);
        }
    }

    /**
     * Whether a thread rests inside. What the caller wrote to volatile fields before is seen by that thread when it
     * goes on.
     */
    public final boolean isResting() {
        Bias b = bias;
        if (b == null) {
            return shared == RESTS;
        }
        awaitStores();
        return (int) INSIDE.getAcquire(b) == RESTS;
    }

    private boolean enterOther() {
        Bias b = bias;
        if (b != null && !revoke(b)) {
            return false;
        }
        if (!SHARED.compareAndSet(this, 0, 1)) {
            return false;
        }
        if (bias != null) { // somebody has got it meanwhile, and may be inside
            SHARED.setRelease(this, 0);
            return false;
        }
        Thread me = Thread.currentThread();
        if (last != me) {
            inARow = last == null ? REBIAS : 0; // the first has it at once
            last = me;
        }
        if (biased && ++inARow > REBIAS) {
            bias = (thread == null ? this : new Bias()).to(me);
            SHARED.setRelease(this, 0);
        } else {
            holder = me;
        }
        return true;
    }

    /** Takes the bias away. @return false if its thread is inside, or another takes it just now */
    private boolean revoke(Bias b) {
        if (b.thread == Thread.currentThread() || !ACTIVE.compareAndSet(b, 1, 0)) {
            return bias == null;
        }
        awaitStores();
        if ((int) INSIDE.getAcquire(b) != 0) {
            ACTIVE.setVolatile(b, 1);
            return false;
        }
        last = b.thread;
        bias = null;
        return true;
    }

    /** Waits for what is in store buffers. */
    private static void awaitStores() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < REVOCATION_NANOS) {
            Thread.onSpinWait();
        }
    }

    /** Whether the caller is inside. */
    public final boolean isMine() {
        Thread me = Thread.currentThread();
        Bias b = bias;
        return b != null ? b.thread == me && b.inside != 0 : holder == me;
    }

    /**
     * What to throw where {@link #tryEnter} has returned false.
     *
     * @param object that is for one thread at a time
     * @param whatToDo instead
     */
    public final IllegalStateException refusal(Object object, String whatToDo) {
        Thread me = Thread.currentThread();
        Bias b = bias;
        Thread other = b != null ? b.thread : last;
        if (other == me && isMine()) {
            return new IllegalStateException(object + " is in use by this thread already: it cannot be entered twice");
        }
        return new IllegalStateException(
                object + " is for one thread at a time: thread '" + me.getName() + "' came while "
                        + (other == null || other == me ? "another thread" : "thread '" + other.getName() + "'")
                        + " was using it; " + whatToDo);
    }
}
