package io.verbena.bench.path;

import io.verbena.bench.BenchException;
import io.verbena.bench.fabric.FabricKind;
import io.verbena.bench.fabric.FabricNode;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.EngineMode;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import java.net.InetAddress;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A queue pair on a NIC of its own; the verb is the subclass'. The end's thread runs the engine (INVOKER), which it does
 * each time a poll finds nothing, or, where messages come without the engine, once in {@value #POLLS_A_TURN} such polls.
 */
abstract class VerbenaEnd extends End {
    static final int DEPTH = 512;
    private static final int POLLS_A_TURN = 16;

    final FabricNode node;
    final MemoryRegion region;
    final QueuePair qp;
    final AppendQueue inbox;
    final UnsafeBuffer message;
    final SendRequest request = new SendRequest();
    final int slotLength;
    int remoteQueue;
    int remoteQueueKey;
    int remoteKey;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final CompletionHandler handler = this::onCompletion;
    private int turnMask;
    private int polls;

    VerbenaEnd(FabricKind fabric, int length) {
        super(length);
        node = FabricNode.open(fabric, EngineMode.INVOKER);
        domain = node.nic().allocateProtectionDomain();
        slotLength = BitUtil.align(length, BitUtil.CACHE_LINE_LENGTH);
        region = domain.allocate(slotLength * DEPTH, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ);
        completions = node.nic().createCompletionQueue(4 * DEPTH);
        qp = domain.createQueuePair(new QueuePairAttributes()
                .completionQueue(completions)
                .maxSend(DEPTH)
                .maxReceive(DEPTH)
                .maxInline(length)
                .maxSge(1));
        inbox = domain.createAppendQueue(new AppendQueueAttributes());
        message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, Long.BYTES));
    }

    /** Connects the two ends. */
    final VerbenaEnd join(Rendezvous rendezvous, boolean near) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        if (near) {
            node.connect(loopback, rendezvous.hear(node::drive), 10_000_000_000L);
        } else {
            rendezvous.tell(node.listen(loopback));
        }
        rendezvous.tell(
                node.nic().id() + " " + qp.number() + " " + inbox.id() + " " + inbox.key() + " " + region.key());
        String[] words = rendezvous.hear(node::drive).split(" ", -1);
        long peer = Long.parseLong(words[0]);
        remoteQueue = Integer.parseInt(words[2]);
        remoteQueueKey = Integer.parseInt(words[3]);
        remoteKey = Integer.parseInt(words[4]);
        node.awaitLink(peer, Deadline.ofSeconds(10, "link"));
        qp.connect(peer, Integer.parseInt(words[1]));
        turnMask = isDirectArrival() && node.isDirect(peer) ? POLLS_A_TURN - 1 : 0;
        prepare();
        rendezvous.meet(node::drive);
        return this;
    }

    /** Gets ready for messages: the queue pair is connected, and nothing has been sent yet. */
    void prepare() {}

    /** Whether messages of this verb come without a turn of this end's engine, if the path is direct. */
    abstract boolean isDirectArrival();

    /** Looks for messages where the verb puts them. */
    abstract int take(int limit);

    /** Fills the request with a message's target and data. */
    abstract void fill(long number);

    @Override
    public boolean offer(long number) {
        fill(number);
        if (qp.post(request) == PostResult.POSTED) {
            return true;
        }
        completions.poll(handler, DEPTH);
        return false;
    }

    @Override
    public void flush() {
        qp.doorbell();
    }

    @Override
    public int poll(int limit) {
        int count = take(limit);
        if (count == 0 && (++polls & turnMask) == 0) {
            completions.poll(handler, limit);
            count = take(limit);
        }
        return count;
    }

    final int pollCompletions(int limit) {
        return completions.poll(handler, limit);
    }

    /** Unsignaled requests that succeed make none. */
    void onCompletion(Completion completion) {
        if (!completion.isSuccess()) {
            throw new BenchException("a request ended in " + completion.status());
        }
    }

    @Override
    public void close() {
        qp.close();
        domain.deregister(region);
        inbox.destroy(true);
        domain.close();
        completions.close();
        node.close();
    }
}
