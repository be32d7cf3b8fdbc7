package io.verbena.papers.receive;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2IntHashMap;

/** What receiving ends have in common: the senders' queue pairs, and completions. */
abstract class ReceiverEnd implements ReceiveScheme {
    private static final int UNKNOWN = -1;
    private static final MessageSink NOBODY = (buffer, offset, length, tag) -> {
        throw new IllegalStateException("a message outside of poll");
    };

    final Nic nic;
    final ProtectionDomain domain;
    final SchemeSettings settings;
    final CompletionQueue completions;
    private final String label;
    private final CompletionHandler handler = this::take;
    private final List<QueuePair[]> senders = new ArrayList<>();
    private final Int2IntHashMap senderOf = new Int2IntHashMap(UNKNOWN);
    private MessageSink sink = NOBODY;
    private int taken;
    private long now;
    private boolean closed;

    /**
     * Makes the completion queue.
     *
     * @param label of the scheme
     * @param nic of the receiver
     * @param settings of the queue pairs
     * @param depth completions that may be there at a time
     */
    ReceiverEnd(String label, Nic nic, SchemeSettings settings, int depth) {
        this.label = label;
        this.nic = nic;
        this.settings = settings;
        domain = nic.allocateProtectionDomain();
        completions = nic.createCompletionQueue(Math.min(depth, CompletionQueue.MAX_DEPTH));
    }

    @Override
    public final String label() {
        return label;
    }

    @Override
    public final SchemeAddress invite() {
        int sender = senders.size();
        QueuePair[] qps = createQueuePairs(sender);
        senders.add(qps);
        List<Integer> numbers = new ArrayList<>();
        for (QueuePair qp : qps) {
            numbers.add(qp.number());
            senderOf.put(qp.number(), sender);
        }
        return SchemeAddress.of(nic.id(), numbers, invitation(sender));
    }

    /** Makes the queue pairs of one more sender. */
    abstract QueuePair[] createQueuePairs(int sender);

    /** What the sender must know beside its queue pairs; the first word is its number. */
    long[] invitation(int sender) {
        return new long[] {sender};
    }

    @Override
    public final void accept(SchemeAddress answer) {
        int sender = (int) answer.word(0);
        QueuePair[] qps = senders.get(sender);
        if (answer.queuePairs().size() != qps.length) {
            throw new RunException("answered with " + answer.queuePairs().size() + " queue pairs, has " + qps.length
                    + ": the two ends are of different schemes");
        }
        for (int i = 0; i < qps.length; i++) {
            qps[i].connect(answer.nicId(), answer.queuePairs().get(i), settings.connect());
        }
        accepted(sender, answer);
    }

    /** Takes what a subclass must know of the answer, and posts first receives. */
    void accepted(int sender, SchemeAddress answer) {}

    @Override
    public final void dismiss(int sender) {
        for (QueuePair qp : senders.get(sender)) {
            qp.close(); // once more in close(), where it does nothing
        }
    }

    final int senders() {
        return senders.size();
    }

    final QueuePair queuePair(int sender, int lane) {
        return senders.get(sender)[lane];
    }

    final int senderOf(int queuePair) {
        return senderOf.get(queuePair);
    }

    final long now() {
        return now;
    }

    // ---- receiving -----------------------------------------------------------------------------------------------

    @Override
    public final int poll(MessageSink to, int limit) {
        sink = to;
        taken = 0;
        try {
            receive(limit);
        } finally {
            sink = NOBODY;
        }
        return taken;
    }

    /** Takes messages, each by {@link #deliver}. */
    abstract void receive(int limit);

    /** Takes completions; where there are none, drives the engine. */
    final int pollCompletions(int limit) {
        return completions.poll(handler, limit);
    }

    private void take(Completion completion) {
        if (!completion.isSuccess()) {
            throw new RunException("a receive or an answer of sender " + senderOf(completion.qpNumber()) + " ended in "
                    + completion.status());
        }
        onCompletion(completion);
    }

    /** A completion without error. */
    void onCompletion(Completion completion) {}

    /** Hands a message out. */
    final void deliver(org.agrona.DirectBuffer buffer, int offset, int length, int sender, int number) {
        taken++;
        sink.onMessage(buffer, offset, length, MessageSink.tag(sender, number));
    }

    @Override
    public final int maintain(long nowNanos) {
        now = nowNanos;
        return work();
    }

    /** Does what is due. */
    int work() {
        return 0;
    }

    @Override
    public final void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (QueuePair[] qps : senders) {
            for (QueuePair qp : qps) {
                qp.close();
            }
        }
        release();
        domain.close();
        completions.close();
    }

    /** Gives back what a subclass has, after the queue pairs. */
    abstract void release();
}
