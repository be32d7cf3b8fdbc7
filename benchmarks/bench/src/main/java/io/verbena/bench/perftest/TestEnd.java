package io.verbena.bench.perftest;

import io.verbena.bench.perftest.TestKind.Verb;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricNode;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one side needs for messages of one size: queue pairs, a completion queue, a region that holds the pattern (from
 * which it sends, and which the peer reads), a region of slots (where messages arrive) and, for appends, a queue.
 *
 * <p>For one thread.
 */
final class TestEnd implements AutoCloseable {
    /** Bytes of slots, unless a few messages need more. */
    private static final long SLOT_MEMORY = 32L << 20;

    private static final int MIN_SLOTS = 4;
    private static final int LINE = 64;
    private static final int MAX_APPEND = 1 << 30;

    private final PerftestSettings settings;
    private final FabricNode node;
    private final int size;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair[] queuePairs;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final TestData pattern;
    private final @Nullable AppendQueue inbox;
    private final BooleanSupplier inboxCheck;
    private final int slots;
    private final int slotLength;

    private int remoteSourceKey;
    private int remoteTargetKey;
    private int remoteSlots;
    private int remoteQueue;
    private int remoteQueueKey;
    private boolean direct;

    TestEnd(FabricNode node, PerftestSettings settings, int size) {
        this.settings = settings;
        this.node = node;
        this.size = size;
        int depth = Math.max(settings.txDepth(), settings.rxDepth());
        this.slotLength = (size + LINE - 1) / LINE * LINE;
        int wanted = settings.kind().isLatency() ? MIN_SLOTS : depth;
        long fit = SLOT_MEMORY / slotLength / settings.queuePairs();
        this.slots = (int) Math.max(MIN_SLOTS, Math.min(wanted, fit));
        long targetLength = (long) slots * slotLength * settings.queuePairs();
        if (targetLength > Integer.MAX_VALUE) {
            throw new RunException(settings.queuePairs() + " queue pairs with messages of " + size + " bytes need "
                    + targetLength + " bytes of receive memory > maximum " + Integer.MAX_VALUE);
        }
        this.domain = node.nic().allocateProtectionDomain();
        this.completions =
                node.nic().createCompletionQueue(settings.queuePairs() * (settings.txDepth() + settings.rxDepth()));
        this.source = domain.allocate(TestData.length(size), Access.REMOTE_READ);
        this.target = domain.allocate((int) targetLength, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        TestData.fill(source.buffer(), TestData.length(size));
        this.pattern = new TestData(source.buffer());
        this.queuePairs = new QueuePair[settings.queuePairs()];
        for (int i = 0; i < queuePairs.length; i++) {
            queuePairs[i] = domain.createQueuePair(new QueuePairAttributes()
                    .completionQueue(completions)
                    .maxSend(settings.txDepth())
                    .maxReceive(settings.rxDepth())
                    .maxInline(Math.max(settings.inline(), 0))
                    .maxSge(1));
        }
        AppendQueue queue = null;
        if (settings.kind().verb() == Verb.APPEND) {
            queue = domain.createAppendQueue(
                    new AppendQueueAttributes().maxMessage(Math.min(MAX_APPEND, appendLimit())));
        }
        this.inbox = queue;
        AppendQueue checked = queue;
        this.inboxCheck = checked == null ? () -> false : () -> !checked.isDrained(); // by the engine's thread
        node.engine().addParkCheck(inboxCheck);
    }

    private int appendLimit() {
        return Math.max(size, 1 << 20);
    }

    /** What the peer must know. */
    ControlLine description() {
        ControlLine message = new ControlLine("end")
                .with("nic", node.nic().id())
                .with(
                        "qps",
                        Arrays.stream(queuePairs)
                                .map(qp -> String.valueOf(qp.number()))
                                .collect(Collectors.joining(",")))
                .with("source", source.key())
                .with("target", target.key())
                .with("slots", slots);
        AppendQueue queue = inbox;
        if (queue != null) {
            message.with("queue", queue.id()).with("queue-key", queue.key());
        }
        return message;
    }

    /** Connects to what the peer has described. */
    void connect(ControlLine peer) {
        long peerNic = peer.number("nic");
        int[] numbers = peer.numbers("qps");
        if (numbers.length != queuePairs.length) {
            throw new RunException(
                    "the other side has " + numbers.length + " queue pairs, this one " + queuePairs.length);
        }
        remoteSourceKey = (int) peer.number("source");
        remoteTargetKey = (int) peer.number("target");
        remoteSlots = (int) peer.number("slots");
        if (inbox != null) {
            remoteQueue = (int) peer.number("queue");
            remoteQueueKey = (int) peer.number("queue-key");
        }
        for (int i = 0; i < queuePairs.length; i++) {
            queuePairs[i].connect(peerNic, numbers[i]);
        }
        direct = node.isDirect(peerNic) && settings.kind().verb() != Verb.SEND;
    }

    int size() {
        return size;
    }

    int slots() {
        return slots;
    }

    TestData pattern() {
        return pattern;
    }

    FabricNode node() {
        return node;
    }

    CompletionQueue completions() {
        return completions;
    }

    int queuePairCount() {
        return queuePairs.length;
    }

    QueuePair queuePair(int index) {
        return queuePairs[index];
    }

    /** Index of a queue pair by its number. */
    int indexOf(int number) {
        for (int i = 0; i < queuePairs.length; i++) {
            if (queuePairs[i].number() == number) {
                return i;
            }
        }
        throw new RunException("a completion names queue pair " + number + ", which is not of this test");
    }

    AppendQueue inbox() {
        AppendQueue queue = inbox;
        if (queue == null) {
            throw new IllegalStateException(settings.kind() + " has no append queue");
        }
        return queue;
    }

    /** Whether messages arrive without this side's engine. */
    boolean isDirect() {
        return direct;
    }

    /** The memory in which messages arrive. */
    AtomicBuffer arrivals() {
        return target.buffer();
    }

    /** Where the message of an index on a queue pair arrives here. */
    int slotOffset(int queuePair, long index) {
        return (int) (queuePair * (long) slots + index % slots) * slotLength;
    }

    /** Posts a receive for the message of an index on a queue pair. */
    void postReceive(int queuePair, long index) {
        queuePairs[queuePair].postReceive(index, target.key(), slotOffset(queuePair, index), slotLength);
    }

    /**
     * Fills a request with a message of the test's verb.
     *
     * @param queuePair its index
     * @param index of the message on that queue pair
     * @param message its number among all
     */
    SendRequest prepare(SendRequest request, int queuePair, long index, long message) {
        int offset = TestData.offset(message);
        switch (settings.kind().verb()) {
            case SEND:
                request.send();
                break;
            case WRITE:
                request.write(remoteTargetKey, (queuePair * (long) remoteSlots + index % remoteSlots) * slotLength);
                break;
            case APPEND:
                request.append(remoteQueue, remoteQueueKey);
                break;
            case READ:
                return request.read(remoteSourceKey, offset)
                        .local(target.key(), slotOffset(queuePair, index), size)
                        .wrId(index);
        }
        if (settings.isInline(size)) {
            request.inline(source.buffer(), offset, size);
        } else {
            request.local(source.key(), offset, size);
        }
        return request.wrId(index);
    }

    @Override
    public void close() {
        node.engine().removeParkCheck(inboxCheck);
        for (QueuePair qp : queuePairs) {
            qp.close();
        }
        domain.deregister(source);
        domain.deregister(target);
        AppendQueue queue = inbox;
        if (queue != null) {
            queue.destroy(true);
        }
        domain.close();
        completions.close();
    }
}
