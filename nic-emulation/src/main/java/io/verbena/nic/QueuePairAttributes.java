package io.verbena.nic;

import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.verbs.QpType;
import org.jspecify.annotations.Nullable;

/**
 * Attributes with which a queue pair is created ({@code ibv_create_qp(3)}). The completion queues are required;
 * everything else has a default. Mutable; not thread-safe.
 */
public final class QueuePairAttributes {
    /** Most sends that may be outstanding. */
    public static final int MAX_SEND = 32768;

    @Nullable
    CompletionQueue sendQueue;

    @Nullable
    CompletionQueue receiveQueue;

    @Nullable
    SharedReceiveQueue sharedReceiveQueue;

    QpType type = QpType.RC;
    int engine;
    int maxSend = 256;
    int maxReceive = 256;
    int maxSge = 4;
    int maxInline = 64;
    SenderQuota senderQuota = SenderQuota.NONE;

    /** Creates the defaults: 256 sends, 256 receives, 4 entries, 64 bytes inline, engine 0. */
    public QueuePairAttributes() {}

    /** The transport; RC by default. */
    public QueuePairAttributes type(QpType transport) {
        type = transport;
        return this;
    }

    /** The quota against which messages that the peer appends by packets count; none by default. */
    public QueuePairAttributes senderQuota(SenderQuota quota) {
        senderQuota = quota;
        return this;
    }

    /** The completion queue of sends. */
    public QueuePairAttributes sendQueue(CompletionQueue queue) {
        sendQueue = queue;
        return this;
    }

    /** The completion queue of receives. */
    public QueuePairAttributes receiveQueue(CompletionQueue queue) {
        receiveQueue = queue;
        return this;
    }

    /** Where both go. */
    public QueuePairAttributes completionQueue(CompletionQueue queue) {
        return sendQueue(queue).receiveQueue(queue);
    }

    /**
     * A shared receive queue from which it takes its receives; posting receives to the queue pair itself is then
     * refused.
     */
    public QueuePairAttributes sharedReceiveQueue(SharedReceiveQueue queue) {
        sharedReceiveQueue = queue;
        return this;
    }

    /** The engine that owns the queue pair, from 0. */
    public QueuePairAttributes engine(int index) {
        engine = index;
        return this;
    }

    /** Sends that may be outstanding, 1 to 32768; rounded up to a power of two. */
    public QueuePairAttributes maxSend(int count) {
        maxSend = checkMaxSend(count);
        return this;
    }

    /** Checks a number of sends that may be outstanding. */
    static int checkMaxSend(int count) {
        return range("max_send_wr", count, 1, MAX_SEND);
    }

    /** Receives that may be outstanding, 1 to 32768; rounded up to a power of two. */
    public QueuePairAttributes maxReceive(int count) {
        maxReceive = range("max_recv_wr", count, 1, 32768);
        return this;
    }

    /** Scatter/gather entries of a request, 1 to 32. */
    public QueuePairAttributes maxSge(int count) {
        maxSge = range("max_sge", count, 1, 32);
        return this;
    }

    /** Bytes of inline data, 0 to 4096. */
    public QueuePairAttributes maxInline(int bytes) {
        maxInline = range("max_inline_data", bytes, 0, 4096);
        return this;
    }

    private static int range(String name, int value, int minimum, int maximum) {
        if (value < minimum || value > maximum) {
            throw new IllegalArgumentException(name + " " + value + " outside " + minimum + ".." + maximum);
        }
        return value;
    }
}
