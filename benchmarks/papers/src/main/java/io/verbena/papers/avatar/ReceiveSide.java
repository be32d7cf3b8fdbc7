package io.verbena.papers.avatar;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimThread;
import java.util.Arrays;

/**
 * Avatar's receiving side (3.3, 3.4): all queue pairs take their receives from one shared receive queue, whose
 * completions go to one queue; the Poller takes them, puts each into the ingress queue of the connection that its
 * immediate data names, and hands the message over when its last segment is there; another thread posts receives again
 * when half of them are used. Native connections are received likewise, with buffers that hold a message.
 *
 * <pre>
 *   queue pairs ─▶ SRQ ─▶ CQ ─▶ Poller ─▶ ingress queue ─ all segments ─▶ application
 *                   ▲                                                        │ free buffers
 *                   └──────── refill, at half ◄──────────────────────────────┘
 * </pre>
 */
final class ReceiveSide {
    private static final int DEPTH = 1024;
    private static final int LOW = DEPTH / 2;
    private static final int BATCH = 64;
    private static final int POLLED = 32;
    private static final int NOTHING = -1;

    private final SharedReceiveQueue receives;
    private final CompletionQueue queue;
    private final HostCompletionQueue completions;
    private final MemoryRegion memory;
    private final HostModel host;
    private final int bufferBytes;
    private final boolean inSegments;
    private final int[] next = new int[DEPTH]; // behind a buffer, in its ingress queue or among the free
    private final int[] lengths = new int[DEPTH];
    private final Ingress[] ingress;
    private int free = NOTHING;
    private long messages;
    private long bytes;

    /** Segments of a message that is not complete. */
    private static final class Ingress {
        int first = NOTHING;
        int last = NOTHING;
        int bytes;
        long messages;
    }

    /**
     * Posts receives and starts both threads.
     *
     * @param connections whose numbers are below this
     * @param bufferBytes of a receive; if that is a segment, buffers are memory of their own and what they hold is
     *     looked at, else they are one and the same
     */
    ReceiveSide(ProtectionDomain domain, CompletionQueue queue, SimCores cores, int connections, int bufferBytes) {
        this.queue = queue;
        this.bufferBytes = bufferBytes;
        inSegments = bufferBytes == Source.SEGMENT;
        completions = new HostCompletionQueue(queue, cores);
        host = cores.model();
        receives = domain.createSharedReceiveQueue(DEPTH, 1);
        memory = domain.allocate(inSegments ? DEPTH * bufferBytes : bufferBytes, Access.LOCAL_WRITE);
        ingress = new Ingress[connections];
        Arrays.setAll(ingress, i -> new Ingress());
        for (int i = 0; i < DEPTH; i++) {
            post(i);
        }
        cores.start("poller", this::poll);
        cores.start("refill", this::refill);
    }

    /** A queue pair of this side. */
    QueuePair queuePair(ProtectionDomain domain) {
        return domain.createQueuePair(
                new QueuePairAttributes().completionQueue(queue).sharedReceiveQueue(receives));
    }

    /** Messages that are complete. */
    long messages() {
        return messages;
    }

    /** Messages of a connection that are complete. */
    long messages(int connection) {
        return ingress[connection].messages;
    }

    /** Their bytes. */
    long bytes() {
        return bytes;
    }

    private void post(int buffer) {
        PostResult result =
                receives.postReceive(buffer, memory.key(), inSegments ? (long) buffer * bufferBytes : 0, bufferBytes);
        if (result != PostResult.POSTED) {
            throw new IllegalStateException(result + " with " + receives.size() + " receives posted");
        }
    }

    private void poll(SimThread self) {
        int taken = completions.poll(self, this::arrived, POLLED);
        self.run(taken == 0 ? AvatarWorld.LOOK_NANOS : taken * host.lineNanos()); // of the ingress queues
    }

    private void arrived(Completion completion) {
        int data = Wire.checked(completion).immediate();
        int buffer = (int) completion.wrId();
        Ingress to = ingress[Wire.connection(data)];
        check(Wire.connection(data), to.bytes, buffer, completion.byteLength());
        lengths[buffer] = completion.byteLength();
        next[buffer] = NOTHING;
        if (to.first == NOTHING) {
            to.first = buffer;
        } else {
            next[to.last] = buffer;
        }
        to.last = buffer;
        to.bytes += lengths[buffer];
        if (Wire.isLast(data)) {
            handOver(to);
        }
    }

    private void check(int connection, int offset, int buffer, int length) {
        if (!inSegments || length < 2 * Integer.BYTES) {
            return;
        }
        int at = buffer * bufferBytes;
        int of = memory.buffer().getInt(at);
        int begins = memory.buffer().getInt(at + Integer.BYTES);
        if (of != connection || begins != offset) {
            throw new IllegalStateException(
                    "connection " + connection + " at " + offset + " got what connection " + of + " has at " + begins);
        }
    }

    private void handOver(Ingress from) {
        messages++;
        from.messages++;
        bytes += from.bytes;
        next[from.last] = free;
        free = from.first;
        from.first = NOTHING;
        from.last = NOTHING;
        from.bytes = 0;
    }

    private void refill(SimThread self) {
        if (receives.size() >= LOW || free == NOTHING) {
            self.run(AvatarWorld.REFILL_NANOS);
            return;
        }
        int posted = 0;
        while (free != NOTHING && posted < BATCH) {
            int buffer = free;
            free = next[buffer];
            post(buffer);
            posted++;
        }
        self.run(posted * host.postNanos());
    }
}
