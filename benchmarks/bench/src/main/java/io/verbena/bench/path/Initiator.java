package io.verbena.bench.path;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.util.function.BooleanSupplier;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A NIC with some queue pairs, and the posting of one verb's requests: batches go around the queue pairs. The owner's
 * thread runs the engine (INVOKER). Short data goes inline, long data from slots of a registered region,
 * which hold the message already but for its number: as an application would have composed it there.
 *
 * <p>The region:
 * <pre>
 *   sources: queue pairs x slots | targets: as many | receives: queue pairs x depth (SEND) | scratch
 * </pre>
 */
final class Initiator implements AutoCloseable {
    /** Bytes up to which data goes inline through sockets: copied once more, but no key and no range to look up. */
    private static final int INLINE = 256;

    /** The same on the direct path for batches, whose inline data waits in the send ring. */
    private static final int INLINE_BATCHED = 512;

    /**
     * The same for a request of its own, whose inline data goes from the caller's buffer to the peer's memory at once.
     */
    private static final int INLINE_AT_ONCE = 4096;

    static final int POLL = 256;

    private static final int MIN_DEPTH = 16;
    private static final int SINGLE_DEPTH = 512;
    private static final int SOURCE_MEMORY = 1 << 20;
    private static final int SHARED_SOURCE_MEMORY = 16 << 20;
    private static final int RECEIVE_MEMORY = 64 << 20;
    private static final int WORD_LENGTH = BitUtil.CACHE_LINE_LENGTH;

    final FabricNode node;
    final ProtectionDomain domain;
    final MemoryRegion region;
    final QueuePair[] qps;
    final @Nullable SharedReceiveQueue shared; // what the queue pairs take their receives from, if not each its own
    final int slots;
    final int slotLength;
    final int receiveDepth;
    final int receiveBase;
    final int scratch;

    private final Verb verb;
    private final int length;
    private final int batch;
    private final int senders;
    private final int firstLane;
    private final boolean inline;
    private final CompletionQueue completions;
    private final CompletionHandler handler;
    private final UnsafeBuffer message;
    private final UnsafeBuffer memory;
    private final SendRequest request = new SendRequest();
    private final long[] posted;
    private final long[] completed;
    private int current;
    private int inBatch;
    private boolean pending;

    private int remoteQueue;
    private int remoteQueueKey;
    private int remoteKey;

    /**
     * Opens the NIC and creates the queue pairs.
     *
     * @param verb of all requests
     * @param fabric of the NIC
     * @param settings of the path
     * @param producer its index; it sends on as many queue pairs as the settings say
     * @param queuePairs to create, at least those
     * @param handler takes completions; errors never reach it
     */
    Initiator(
            Verb verb,
            FabricKind fabric,
            PathSettings settings,
            int producer,
            int queuePairs,
            CompletionHandler handler) {
        this.verb = verb;
        this.handler = completion -> {
            if (!completion.isSuccess()) {
                throw new RunException("a request ended in " + completion.status());
            }
            handler.onCompletion(completion);
        };
        length = verb == Verb.FETCH_ADD ? Long.BYTES : settings.length();
        batch = settings.batch();
        senders = settings.queuePairs();
        firstLane = producer * senders;
        inline = length <= inlineLimit(fabric, batch) && verb != Verb.READ && verb != Verb.FETCH_ADD;
        slotLength = verb == Verb.FETCH_ADD ? WORD_LENGTH : settings.slotLength();
        int depth = senders == 1
                ? Math.max(SINGLE_DEPTH, settings.depth())
                : Math.max(MIN_DEPTH, Math.max(2 * batch, settings.depth() / senders));
        depth = BitUtil.findNextPositivePowerOfTwo(depth);
        slots = slots(verb, settings, depth);
        depth = verb.isMessage() ? depth : slots;
        receiveDepth = verb.isSend() ? receives(depth, queuePairs) : 1;
        int sources = slots * slotLength * queuePairs;
        receiveBase = 2 * sources;
        scratch = Math.addExact(receiveBase, Math.multiplyExact(receiveDepth * queuePairs, slotLength));
        node = FabricNode.open(fabric, settings.waiting() == Waiting.API ? EngineMode.ASSISTED : EngineMode.INVOKER);
        domain = node.nic().allocateProtectionDomain();
        region = domain.allocate(Math.addExact(scratch, slotLength), Access.ALL);
        memory = new UnsafeBuffer(region.buffer(), 0, (int) region.length());
        memory.setMemory(0, memory.capacity(), (byte) 0); // every page is there before it is timed
        int sends = verb.isSend() && !inline ? Math.min(depth, receiveDepth) : depth;
        completions = node.nic()
                .createCompletionQueue(Math.max(SINGLE_DEPTH, 2 * Math.max(sends, receiveDepth) * queuePairs));
        shared = verb == Verb.SEND_SRQ ? domain.createSharedReceiveQueue(receiveDepth * queuePairs, 1) : null;
        QueuePairAttributes attributes = new QueuePairAttributes()
                .completionQueue(completions)
                .maxSend(sends)
                .maxReceive(receiveDepth)
                .maxInline(inline ? length : 0)
                .maxSge(1);
        if (shared != null) {
            attributes.sharedReceiveQueue(shared);
        }
        qps = new QueuePair[queuePairs];
        for (int i = 0; i < queuePairs; i++) {
            qps[i] = domain.createQueuePair(attributes);
        }
        posted = new long[senders];
        completed = new long[senders];
        message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
    }

    private static int inlineLimit(FabricKind fabric, int batch) {
        boolean direct = fabric == FabricKind.LOCAL || fabric == FabricKind.SHM;
        if (!direct) {
            return INLINE;
        }
        return batch > 1 ? INLINE_BATCHED : INLINE_AT_ONCE;
    }

    /** Slots of a queue pair: the settings' for one-sided verbs; for messages no more than stay in a core's cache. */
    private static int slots(Verb verb, PathSettings settings, int depth) {
        int senders = settings.queuePairs();
        int memory = senders == 1 ? SOURCE_MEMORY : SHARED_SOURCE_MEMORY;
        int wanted = verb.isMessage() ? memory / settings.slotLength() / senders : settings.slots() / senders;
        int least = verb.isMessage() ? 2 : 1;
        return Math.min(depth, Integer.highestOneBit(Math.max(least, wanted)));
    }

    /** Receives of a queue pair: as many as sends can be outstanding, as far as memory goes. */
    private int receives(int depth, int queuePairs) {
        int fitting = RECEIVE_MEMORY / slotLength / queuePairs;
        if (verb == Verb.SEND_SRQ) {
            fitting = Math.min(fitting, SharedReceiveQueue.MAX_DEPTH / queuePairs);
        }
        return Math.min(depth, Integer.highestOneBit(Math.max(2, fitting)));
    }

    /** Where the other end's initiator finds this one: NIC, append queue, key, and queue pairs of a producer. */
    String address(int queueId, int queueKey, int firstQp) {
        StringBuilder line = new StringBuilder();
        line.append(node.nic().id()).append(' ').append(queueId).append(' ').append(queueKey);
        line.append(' ').append(region.key());
        for (int i = 0; i < senders; i++) {
            line.append(' ').append(qps[firstQp + i].number());
        }
        return line.toString();
    }

    /**
     * Connects queue pairs to those of an address.
     *
     * @param address what the other end's {@link #address} is
     * @param firstQp the first of this end's
     * @return the other's NIC
     */
    long connect(String address, int firstQp) {
        String[] words = address.split(" ", -1);
        long peer = Long.parseLong(words[0]);
        if (firstQp == 0) {
            remoteQueue = Integer.parseInt(words[1]);
            remoteQueueKey = Integer.parseInt(words[2]);
            remoteKey = Integer.parseInt(words[3]);
        }
        node.awaitLink(peer, Deadline.ofSeconds(10, "link"));
        for (int i = 0; i < senders; i++) {
            qps[firstQp + i].connect(peer, Integer.parseInt(words[4 + i]));
        }
        return peer;
    }

    // ---- posting ----------------------------------------------------------------------------------------------------

    /** Posts a request, in batches without a doorbell. @return false if there is no room now */
    boolean offer(long number) {
        int qp = current;
        if (!inline && posted[qp] - completed[qp] >= slots && !look(qp)) {
            return false;
        }
        long stamp = senders == 1 ? (long) firstLane << End.LANE_SHIFT | number : stamp(qp);
        fill(qp, stamp);
        // A request of its own is posted with its doorbell, as an application would.
        PostResult result = batch == 1 ? qps[qp].postSend(request) : qps[qp].post(request);
        if (result != PostResult.POSTED) {
            poll(POLL);
            return false;
        }
        pending = batch > 1;
        posted[qp]++;
        if (++inBatch == batch) {
            inBatch = 0;
            if (senders > 1) {
                if (pending) {
                    qps[qp].doorbell();
                    pending = false;
                }
                current = qp + 1 == senders ? 0 : qp + 1;
            }
        }
        return true;
    }

    private long stamp(int qp) {
        return (long) (firstLane + qp) << End.LANE_SHIFT | posted[qp];
    }

    private boolean look(int qp) {
        completed[qp] = posted[qp] - qps[qp].outstanding();
        if (posted[qp] - completed[qp] < slots) {
            return true;
        }
        poll(POLL);
        completed[qp] = posted[qp] - qps[qp].outstanding();
        return posted[qp] - completed[qp] < slots;
    }

    private void fill(int qp, long stamp) {
        int slot = slotOf(qp, posted[qp]);
        int source = slot * slotLength;
        switch (verb) {
            case APPEND -> request.append(remoteQueue, remoteQueueKey).signaled(false);
            case SEND, SEND_SRQ -> request.send().signaled(false);
            case WRITE -> request.write(remoteKey, target(slot));
            case READ -> {
                memory.putLong(source, ~stamp);
                memory.putLong(source + length - Long.BYTES, ~stamp);
                request.read(remoteKey, target(slot));
            }
            default -> request.fetchAdd(remoteKey, target(qp * slots), 1);
        }
        if (inline) {
            Stamp.put(message, 0, length, stamp);
            request.inline(message, 0, length);
        } else {
            if (verb.isMessage() || verb == Verb.WRITE) {
                Stamp.put(memory, source, length, stamp);
            }
            request.local(region.key(), source, length);
        }
        if (!verb.isMessage()) {
            request.wrId(stamp).signaled(inBatch + 1 == batch);
        }
    }

    int slotOf(int qp, long number) {
        return qp * slots + (int) (number & slots - 1);
    }

    /** Where a slot is in the other's region. */
    int target(int slot) {
        return (qps.length * slots + slot) * slotLength;
    }

    /** A request of its own, with a doorbell: for what is not measured. */
    void read(int qp, int remoteOffset, long wrId) {
        request.read(remoteKey, remoteOffset)
                .local(region.key(), scratch, length)
                .wrId(wrId)
                .signaled(true);
        if (qps[qp].postSend(request) != PostResult.POSTED) {
            throw new RunException("the send queue is full where nothing is outstanding");
        }
    }

    /** Rings the doorbell. */
    void flush() {
        if (pending) {
            pending = false;
            qps[current].doorbell();
        }
    }

    /** Requests posted on a queue pair. */
    long posted(int qp) {
        return posted[qp];
    }

    /** Whether all requests of a queue pair are complete. */
    boolean isDone(int qp) {
        return qps[qp].outstanding() == 0;
    }

    /** Whether all requests are complete. */
    boolean isDone() {
        for (int i = 0; i < senders; i++) {
            if (!isDone(i)) {
                return false;
            }
        }
        return true;
    }

    /** Takes completions; where there are none, runs the engine. */
    int poll(int limit) {
        return completions.poll(handler, limit);
    }

    /** Sleeps until the condition holds, while the engine's thread goes on. */
    void await(long nanos, BooleanSupplier condition) {
        node.engine().awaitAsGuest(nanos, condition);
    }

    /** Sleeps until there is a completion, while the engine's thread goes on. */
    void await(long nanos) {
        completions.await(nanos);
    }

    /** A completion's handler that has nothing to do. */
    static void ignore(Completion completion) {}

    @Override
    public void close() {
        for (QueuePair qp : qps) {
            qp.close();
        }
        if (shared != null) {
            shared.close();
        }
        domain.deregister(region);
        domain.close();
        completions.close();
        node.close();
    }
}
