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
import org.jspecify.annotations.Nullable;

/**
 * A NIC with some queue pairs, and the posting of one verb's requests: batches go around the queue pairs. The owner's
 * thread runs the engine (INVOKER).
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

    final FabricNode node;
    final ProtectionDomain domain;
    final MemoryRegion region;
    final QueuePair[] qps;
    final @Nullable SharedReceiveQueue shared; // what the queue pairs take their receives from, if not each its own
    final RegionLayout layout;

    private final RequestTemplate requests;
    private final int slots; // of the layout
    private final int batch;
    private final int senders;
    private final int firstLane;
    private final CompletionQueue completions;
    private final CompletionHandler handler;
    private final long[] posted;
    private final long[] completed;
    private int current;
    private int inBatch;
    private boolean pending;

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
            PathVerb verb,
            FabricKind fabric,
            PathSettings settings,
            int producer,
            int queuePairs,
            CompletionHandler handler) {
        this.handler = completion -> {
            if (!completion.isSuccess()) {
                throw new RunException("a request ended in " + completion.status());
            }
            handler.onCompletion(completion);
        };
        int length = verb == PathVerb.FETCH_ADD ? Long.BYTES : settings.length();
        batch = settings.batch();
        senders = settings.queuePairs();
        firstLane = producer * senders;
        boolean inline = length <= inlineLimit(fabric, batch) && verb != PathVerb.READ && verb != PathVerb.FETCH_ADD;
        layout = RegionLayout.of(verb, settings, queuePairs);
        slots = layout.slots();
        int receiveDepth = layout.receiveDepth();
        node = FabricNode.open(fabric, settings.waiting() == Waiting.API ? EngineMode.ASSISTED : EngineMode.INVOKER);
        domain = node.nic().allocateProtectionDomain();
        region = domain.allocate(layout.length(), Access.ALL);
        requests = new RequestTemplate(verb, length, inline, layout, region);
        int sends = verb.isSend() && !inline ? Math.min(layout.depth(), receiveDepth) : layout.depth();
        completions = node.nic().createCompletionQueue(layout.completions(sends));
        shared = verb == PathVerb.SEND_SRQ ? domain.createSharedReceiveQueue(receiveDepth * queuePairs, 1) : null;
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
    }

    private static int inlineLimit(FabricKind fabric, int batch) {
        boolean direct = fabric == FabricKind.LOCAL || fabric == FabricKind.SHM;
        if (!direct) {
            return INLINE;
        }
        return batch > 1 ? INLINE_BATCHED : INLINE_AT_ONCE;
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
            requests.remote(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
        }
        node.awaitLink(peer, WaitLimit.ofSeconds(10, "link"));
        for (int i = 0; i < senders; i++) {
            qps[firstQp + i].connect(peer, Integer.parseInt(words[4 + i]));
        }
        return peer;
    }

    // ---- posting ----------------------------------------------------------------------------------------------------

    /** Posts a request, in batches without a doorbell. @return false if there is no room now */
    boolean offer(long number) {
        int qp = current;
        if (!requests.inline && posted[qp] - completed[qp] >= slots && !look(qp)) {
            return false;
        }
        long stamp = senders == 1 ? (long) firstLane << End.LANE_SHIFT | number : stamp(qp);
        SendRequest request = requests.fill(layout.slotOf(qp, posted[qp]), stamp, inBatch + 1 == batch);
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

    /** A request of its own, with a doorbell: for what is not measured. */
    void read(int qp, int remoteOffset, long wrId) {
        if (qps[qp].postSend(requests.readBack(remoteOffset, wrId)) != PostResult.POSTED) {
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
