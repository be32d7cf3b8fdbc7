package io.verbena.mux;

import io.verbena.nic.wire.RnrTimer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The inboxes of the peer that were not ready, each with the queues whose next message is for it: they stand in no
 * round, so that only those who send there wait. After a pause one of them tries with one message; when that is taken,
 * all go on.
 *
 * <p>A pause is as long as it has lasted so far: each attempt costs the others a round trip, and an inbox that comes
 * back is found in twice the time. A sender whose quota at the peer is used up looks the same, at each inbox in turn.
 *
 * <p>Under the engine's baton.
 */
final class NotReady {
    private static final class Inbox {
        final int id;
        final Queue<EgressQueue> waiting = new ArrayDeque<>();
        long waited;
        long until;

        @Nullable
        EgressQueue probe; // the one that tries

        boolean sent; // its message

        Inbox(int id) {
            this.id = id;
        }
    }

    private final List<Inbox> inboxes = new ArrayList<>(); // few

    NotReady() {}

    /** Whether there is none. */
    boolean isEmpty() {
        return inboxes.isEmpty();
    }

    private @Nullable Inbox find(int id) {
        for (Inbox inbox : inboxes) {
            if (inbox.id == id) {
                return inbox;
            }
        }
        return null;
    }

    /**
     * An inbox was not ready.
     *
     * @param delay nanoseconds after which it may be asked again, the least
     */
    void add(int id, long now, long delay) {
        Inbox inbox = find(id);
        if (inbox == null) {
            inbox = new Inbox(id);
            inboxes.add(inbox);
        }
        long pause = Math.max(delay, Math.min(inbox.waited, RnrTimer.MAX_BACK_OFF));
        inbox.waited += pause;
        inbox.until = now + pause;
        inbox.probe = null;
    }

    /** Whether a queue that has something to send has to wait; it does from here on. What it has begun, it ends. */
    boolean holds(EgressQueue queue) {
        if (inboxes.isEmpty() || queue.isCut()) {
            return false;
        }
        Inbox inbox = find(queue.nextTarget());
        if (inbox == null || (inbox.probe == queue && !inbox.sent)) {
            return false;
        }
        inbox.waiting.add(queue);
        return true;
    }

    /** A queue has sent a message, or the first part of one. */
    void sent(EgressQueue queue) {
        for (int i = 0; i < inboxes.size(); i++) {
            inboxes.get(i).sent |= inboxes.get(i).probe == queue;
        }
    }

    /** A queue does not wait any more. */
    void remove(EgressQueue queue) {
        for (Inbox inbox : inboxes) {
            inbox.waiting.remove(queue);
        }
    }

    /** What a queue had sent was taken back. @return whether it is one that tries, which it does again */
    boolean takenBack(EgressQueue queue) {
        for (Inbox inbox : inboxes) {
            if (inbox.probe == queue) {
                inbox.sent = false;
                return true;
            }
        }
        return false;
    }

    /** A queue's message was taken. @return the queues that have waited for that; null if there are none */
    @Nullable
    Queue<EgressQueue> taken(EgressQueue queue) {
        for (int i = 0; i < inboxes.size(); i++) {
            if (inboxes.get(i).probe == queue) {
                return inboxes.remove(i).waiting;
            }
        }
        return null;
    }

    /** A queue has nothing to send any more. @return the one that tries in its place; null if there is none */
    @Nullable
    EgressQueue leaves(EgressQueue queue) {
        for (int i = 0; i < inboxes.size(); i++) {
            Inbox inbox = inboxes.get(i);
            if (inbox.probe == queue && !inbox.sent) {
                return next(inbox);
            }
        }
        return null;
    }

    private @Nullable EgressQueue next(Inbox inbox) {
        inbox.sent = false;
        inbox.probe = inbox.waiting.poll();
        if (inbox.probe == null) {
            inboxes.remove(inbox); // nobody wants to send there
        }
        return inbox.probe;
    }

    /** The next queue that is to try at this time; null if there is none. */
    @Nullable
    EgressQueue due(long now) {
        for (int i = inboxes.size() - 1; i >= 0; i--) {
            Inbox inbox = inboxes.get(i);
            EgressQueue next = inbox.probe == null && inbox.until <= now ? next(inbox) : null;
            if (next != null) {
                return next;
            }
        }
        return null;
    }

    /** When the next one is due, or {@link Long#MAX_VALUE}. */
    long deadline() {
        long first = Long.MAX_VALUE;
        for (Inbox inbox : inboxes) {
            first = inbox.probe == null ? Math.min(first, inbox.until) : first;
        }
        return first;
    }
}
