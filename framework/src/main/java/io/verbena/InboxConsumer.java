package io.verbena;

import io.verbena.dispatch.SingleThreadGuard;
import io.verbena.nic.append.AppendConsumer;
import io.verbena.rate.agent.DeliveryGate;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * One of several consumers of an {@link Inbox}. Each message goes to one consumer, whole, and a slow one does not hold
 * up the others. What a consumer takes of a channel is in the channel's order.
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
     * @param handler takes each; if it throws, that message counts as taken; the rest of the batch is delivered on the
     *     next call, or discarded when the inbox closes
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
            DeliveryGate gate = inbox.tenant().gate();
            return gate == null
                    ? consumer.poll(dispatch.to(handler), limit)
                    : inbox.paced(gate, limit, most -> consumer.poll(dispatch.to(handler), most));
        } finally {
            if (entered) {
                inbox.leaveCallback();
            }
            use.leave();
        }
    }

    /** Whether there is no message now. Also false while another consumer is taking some: look again. */
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
