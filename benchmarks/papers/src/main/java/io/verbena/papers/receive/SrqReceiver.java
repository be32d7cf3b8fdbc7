package io.verbena.papers.receive;

import io.verbena.nic.Completion;
import io.verbena.nic.Nic;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.verbs.WcOpcode;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Receives into shared receive queues, one for each class of sizes; each sender has a queue pair for each, since a
 * queue pair takes its receives from one queue. Schemes for large messages have one queue, and override what else
 * comes.
 */
class SrqReceiver extends ReceiverEnd {
    private static final int SPARE = 64; // completions of a sender's requests and answers

    final BufferPool[] pools;
    private final int answers;

    /**
     * Allocates and posts all buffers.
     *
     * @param scheme to be called by
     * @param nic of the receiver
     * @param settings of the queue pairs
     * @param lengths of the buffers of each queue, ascending
     * @param counts of buffers of each queue
     * @param aliased whether the buffers of a queue are all the same memory
     * @param answers requests of its own to a sender that may be under way
     * @param others completions beside those of the buffers that may be there at a time
     */
    SrqReceiver(
            String scheme,
            Nic nic,
            SchemeSettings settings,
            int[] lengths,
            int[] counts,
            boolean aliased,
            int answers,
            int others) {
        super(scheme, nic, settings, total(counts) + others + SPARE);
        this.answers = answers;
        pools = new BufferPool[lengths.length];
        for (int i = 0; i < pools.length; i++) {
            pools[i] = new BufferPool(domain, i, lengths[i], counts[i], aliased);
        }
    }

    private static int total(int[] counts) {
        int sum = 0;
        for (int count : counts) {
            sum = Math.addExact(sum, count);
        }
        return sum;
    }

    @Override
    QueuePair[] createQueuePairs(int sender) {
        QueuePair[] qps = new QueuePair[pools.length];
        for (int i = 0; i < qps.length; i++) {
            qps[i] = domain.createQueuePair(attributes(answers).sharedReceiveQueue(pools[i].queue()));
        }
        return qps;
    }

    final QueuePairAttributes attributes(int sends) {
        return new QueuePairAttributes()
                .completionQueue(completions)
                .maxSend(Math.max(1, sends))
                .maxReceive(1)
                .maxSge(1)
                .maxInline(ControlMessage.LENGTH);
    }

    @Override
    void receive(int limit) {
        pollCompletions(limit);
    }

    @Override
    final void onCompletion(Completion completion) {
        int sender = senderOf(completion.qpNumber());
        WcOpcode opcode = completion.opcode();
        if (opcode == WcOpcode.RECEIVE || opcode == WcOpcode.RECEIVE_WRITE_IMMEDIATE) {
            long id = completion.wrId();
            int pool = BufferPool.poolOf(id);
            if (pool >= pools.length) {
                onLarge(sender, BufferPool.bufferOf(id), completion);
                return;
            }
            int buffer = BufferPool.bufferOf(id);
            try {
                onReceive(sender, pools[pool].memory(buffer), pools[pool].offset(buffer), completion);
            } finally {
                pools[pool].post(buffer);
            }
        }
    }

    /** What came into a buffer of a queue, or by a WRITE that used one up. */
    void onReceive(int sender, AtomicBuffer memory, int offset, Completion completion) {
        deliver(memory, offset, completion.byteLength(), sender, completion.immediate());
    }

    /** What came into memory that is of no queue. */
    void onLarge(int sender, int place, Completion completion) {
        throw new IllegalStateException("receive " + completion.wrId() + " is of no queue");
    }

    final long bytes() {
        long sum = 0;
        for (BufferPool pool : pools) {
            sum += pool.bytes();
        }
        return sum;
    }

    final long postedBytes() {
        long sum = 0;
        for (BufferPool pool : pools) {
            sum += pool.postedBytes();
        }
        return sum;
    }

    @Override
    public SchemeFootprint footprint() {
        long bytes = bytes();
        long posted = postedBytes();
        return new SchemeFootprint(bytes - posted, posted, bytes, bytes);
    }

    @Override
    void release() {
        for (BufferPool pool : pools) {
            pool.close();
        }
    }
}
