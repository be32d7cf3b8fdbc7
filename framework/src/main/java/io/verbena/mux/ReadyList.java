package io.verbena.mux;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Paths that have something to send and that the engine does not know of yet. A stack, of which the engine
 * takes all at once and turns it round: those that came first are first.
 *
 * <pre>
 *   poster:  publish request ─ fence ─ listed? ── no ──▶ push
 *   engine:  take all ─ serve each until it is empty ─ keep it for a while, and look at each doorbell
 *            ─ unlist ─ fence ─ look again ── something ──▶ relist
 * </pre>
 *
 * <p>So one of both sees it: the poster that the path is not listed, or the engine that it is not empty. A path is
 * listed once, from the push until the engine unlists it; while it is among the {@link Emptied}, the doorbell that its
 * poster rings has the engine look.
 *
 * <p>Concurrency: any thread pushes, without a lock; one at a time takes, under the engine's baton. Allocates nothing:
 * the links are the paths' own. The one word that both sides write has a cache line of its own.
 */
public final class ReadyList extends ReadyListLine.Behind {
    /** Creates an empty list. */
    public ReadyList() {}

    /** What can be listed. */
    public abstract static class Entry {
        private static final VarHandle LISTED;

        static {
            try {
                LISTED = MethodHandles.lookup().findVarHandle(Entry.class, "listed", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** The one behind it, in this list or in that of who has taken it. */
        @Nullable
        Entry next;

        @SuppressWarnings("unused") // through LISTED
        private volatile int listed;

        /** Creates one that is not listed. */
        protected Entry() {}

        /**
         * Lists it, after what it has was published: a full fence. One that is listed is only read, so that its line
         * stays with both sides while neither has anything to say.
         *
         * @return whether it was not listed, so that it is the caller's to push
         */
        public final boolean list() {
            VarHandle.fullFence();
            return listed == 0 && (int) LISTED.getAndSet(this, 1) == 0;
        }

        /** By who has taken it: it is empty. A full fence; whether it is so still must be looked at afterwards. */
        public final void unlist() {
            LISTED.setRelease(this, 0);
            VarHandle.fullFence();
        }

        /** The one behind it in what {@link #takeAll} has returned. */
        public final @Nullable Entry next() {
            return next;
        }
    }

    /** Adds one that its caller has listed. */
    public void push(Entry entry) {
        Entry before;
        do {
            before = top;
            entry.next = before;
        } while (!TOP.compareAndSet(this, before, entry));
    }

    /** Whether there is none. Any thread. */
    public boolean isEmpty() {
        return top == null;
    }

    /** Takes all. @return the one that was pushed first, which leads to the others; null if there is none */
    public @Nullable Entry takeAll() {
        if (top == null) {
            return null;
        }
        Entry entry = (Entry) TOP.getAndSet(this, null);
        Entry first = null;
        while (entry != null) {
            Entry behind = entry.next;
            entry.next = first;
            first = entry;
            entry = behind;
        }
        return first;
    }
}
