package io.verbena;

import io.verbena.dispatch.SingleThreadGuard;
import io.verbena.nic.append.AppendConsumer;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * One consumer of several of an {@link Inbox}: it takes whole messages, each of which no other one gets, and nobody
 * waits for one that is slow. What one consumer takes of a channel comes in the channel's order.
 *
 * <p>For one thread at a time; each consumer may have its own.
 */
public final class InboxConsumer {
    private final Inbox inbox;
    private final AppendConsumer consumer;
    private final Inbox.Dispatch dispatch;
    private final SingleThreadGuard use = new SingleThreadGuard();
    private final BooleanSupplier hasMessage = this::hasMessage;

    InboxConsumer(Inbox inbox, AppendConsumer consumer, Channels channels) {
        this.inbox = inbox;
        this.consumer = consumer;
        this.dispatch = new Inbox.Dispatch(new Message(inbox, channels, consumer), null);
    }

    /** The inbox. */
    public Inbox inbox() {
        return inbox;
    }

    /**
     * Takes messages, oldest first of those that no other consumer has.
     *
     * @param handler takes each; if it throws, that message counts as taken, and those behind it come with the next
     *     call, or are lost with the inbox
     * @param limit most messages to take, at least 1; at most 64 come at a time
     * @return messages taken; 0 also if another consumer is just taking some
     * @throws IllegalStateException while another thread polls with it, or within its handler
     */
    public int poll(MessageHandler handler, int limit) {
        if (inbox.isClosed()) {
            return 0;
        }
        if (!use.tryEnter()) {
            throw use.isMine()
                    ? new IllegalStateException(this + " cannot poll in the handler of one of its messages")
                    : use.refusal(this, "give each thread a consumer of its own");
        }
        boolean entered = inbox.enterCallback();
        try {
            return consumer.poll(dispatch.to(handler), limit);
        } finally {
            if (entered) {
                inbox.leaveCallback();
            }
            use.leave();
        }
    }

    /** Whether there is no message now. False also while another consumer takes some: look again. */
    public boolean isEmpty() {
        return inbox.isClosed() || consumer.isEmpty();
    }

    private boolean hasMessage() {
        return !isEmpty();
    }

    /**
     * Sleeps until there may be a message, as {@link Inbox#await}; another consumer may be faster.
     *
     * @param longest most time to sleep
     * @return whether there may be one
     */
    public boolean await(Duration longest) {
        return inbox.await(longest, hasMessage);
    }

    @Override
    public String toString() {
        return "consumer of " + inbox;
    }
}
