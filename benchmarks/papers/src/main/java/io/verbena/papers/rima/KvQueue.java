package io.verbena.papers.rima;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.verbs.WcOpcode;
import org.agrona.DirectBuffer;

/**
 * Where an end of {@link FastKv} receives: an append queue, or a shared receive queue of buffers of the largest size.
 */
abstract class KvQueue {
    /** Longest message in bytes. */
    static final int MAX = 1 << 20;

    private static final int BATCH = 64;

    final ProtectionDomain domain;
    final CompletionQueue completions;

    /** Takes a message, whose memory is valid during the call. */
    interface Taker {
        /** One message, and the receiver's queue pair by which it came. */
        void take(DirectBuffer buffer, int offset, int length, int qpNumber);
    }

    private KvQueue(SimNode node, ProtectionDomain domain, int depth) {
        this.domain = domain;
        this.completions = node.nic().createCompletionQueue(depth);
    }

    /** Attributes of the receiver's ends of connections. */
    abstract QueuePairAttributes attributes();

    /** Makes a request one to this queue; the caller adds the data. */
    abstract SendRequest address(SendRequest request);

    /** Takes what has come; returns how much. */
    abstract int poll(Taker taker);

    /** Most bytes of memory that it had. */
    abstract long mostBytes();

    /** An append queue (FastKV-RIMA). */
    static KvQueue append(SimNode node, ProtectionDomain domain, int reserveChunks) {
        AppendQueue queue = domain.createAppendQueue(
                new AppendQueueAttributes().reserveChunks(reserveChunks).maxMessage(MAX));
        return new KvQueue(node, domain, BATCH) {
            @Override
            QueuePairAttributes attributes() {
                return new QueuePairAttributes().completionQueue(completions);
            }

            @Override
            SendRequest address(SendRequest request) {
                return request.append(queue.id(), queue.key());
            }

            @Override
            int poll(Taker taker) {
                return queue.poll(
                        (buffer, offset, length, qpNumber, immediate, flags) ->
                                taker.take(buffer, offset, length, qpNumber),
                        BATCH);
            }

            @Override
            long mostBytes() {
                return queue.query().highWater();
            }
        };
    }

    /**
     * A shared receive queue (FastKV-RDMA).
     *
     * @param buffers that are posted
     * @param inUse of these that can be in use at a time, because senders keep to their credits: so many are memory of
     *     their own, and the others lie in the same one after the other
     */
    static KvQueue shared(SimNode node, ProtectionDomain domain, int buffers, int inUse) {
        return new Shared(node, domain, buffers, inUse);
    }

    private static final class Shared extends KvQueue {
        private final SharedReceiveQueue queue;
        private final MemoryRegion memory;
        private final int buffers;
        private final int inMemory;

        Shared(SimNode node, ProtectionDomain domain, int buffers, int inUse) {
            super(node, domain, 2 * buffers);
            this.buffers = buffers;
            inMemory = Math.min(buffers, inUse);
            queue = domain.createSharedReceiveQueue(buffers, 1);
            memory = domain.allocate(inMemory * MAX, Access.LOCAL_WRITE);
            for (int i = 0; i < buffers; i++) {
                post(i % inMemory);
            }
        }

        /** Receives are used in the order in which they are posted, so their places come round in order. */
        private void post(int place) {
            if (queue.postReceive(place, memory.key(), (long) place * MAX, MAX) != PostResult.POSTED) {
                throw new IllegalStateException(queue.size() + " of " + buffers + " buffers are posted");
            }
        }

        @Override
        QueuePairAttributes attributes() {
            return new QueuePairAttributes().completionQueue(completions).sharedReceiveQueue(queue);
        }

        @Override
        SendRequest address(SendRequest request) {
            return request.send();
        }

        @Override
        int poll(Taker taker) {
            return completions.poll(completion -> taken(completion, taker), BATCH);
        }

        private void taken(Completion completion, Taker taker) {
            if (!completion.isSuccess()) {
                throw new IllegalStateException("a request failed: " + completion);
            }
            if (completion.opcode() == WcOpcode.RECEIVE) {
                int place = (int) completion.wrId();
                taker.take(memory.buffer(), place * MAX, completion.byteLength(), completion.qpNumber());
                post(place);
            }
        }

        @Override
        long mostBytes() {
            return (long) buffers * MAX;
        }
    }
}
