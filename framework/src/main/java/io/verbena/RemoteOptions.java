package io.verbena;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link RemoteSession}: fluent setters over defaults. Mutable; not thread-safe.
 *
 * <pre>{@code
 *   RemoteOptions options = new RemoteOptions("pages").peer("tcp://10.0.0.7:9000").peer("tcp://10.0.0.8:9000");
 * }</pre>
 */
public final class RemoteOptions {
    /** Queue pairs to a peer unless {@link #queuePairs} says otherwise, as in the RDMAbox paper (section VI). */
    public static final int DEFAULT_QUEUE_PAIRS = 4;

    /** Bytes of a block unless {@link #blockLength} says otherwise: 128 KiB, as in the RDMAbox paper (section V). */
    public static final int DEFAULT_BLOCK_LENGTH = 128 << 10;

    private static final int MAX_QUEUE_PAIRS = 64;

    /** A region of a peer. */
    record Place(String address, String memory) {}

    private final String memory;
    final List<Place> places = new ArrayList<>();
    int queuePairs = DEFAULT_QUEUE_PAIRS;
    int blockLength = DEFAULT_BLOCK_LENGTH;
    RegionOptions region = new RegionOptions().merge(Merging.HYBRID);
    OperationHandler onCompletion = (correlationId, outcome, value) -> {};

    @Nullable
    String inbox;

    MessageHandler onMessage = message -> {};

    /**
     * Creates the defaults, without peers.
     *
     * @param memory name of the region that each peer shares, see {@link Node#share}
     */
    public RemoteOptions(String memory) {
        this.memory = Objects.requireNonNull(memory, "memory");
    }

    /**
     * Adds a peer. They are numbered from 0 in the order in which they are added.
     *
     * @param address of its node, see {@link Address}, without a name
     */
    public RemoteOptions peer(String address) {
        return peer(address, memory);
    }

    /**
     * Adds a peer whose region has a name of its own. A node with several regions is added once for each of them, and
     * has as many numbers.
     *
     * @param address of its node, see {@link Address}, without a name
     * @param memoryName name of the region
     */
    public RemoteOptions peer(String address, String memoryName) {
        places.add(new Place(Objects.requireNonNull(address, "peer"), Objects.requireNonNull(memoryName, "memory")));
        return this;
    }

    /**
     * Queue pairs to each peer. Blocks are dealt out to them in turn.
     *
     * @param count 1 to 64; {@value #DEFAULT_QUEUE_PAIRS} by default
     */
    public RemoteOptions queuePairs(int count) {
        queuePairs = Limits.range("queuePairs", count, 1, MAX_QUEUE_PAIRS);
        return this;
    }

    /**
     * Bytes of a block. Operations lie within one, and are ordered among those of the same one.
     *
     * @param bytes a power of two, 4 KiB to 1 GiB; {@value #DEFAULT_BLOCK_LENGTH} by default
     */
    public RemoteOptions blockLength(int bytes) {
        blockLength = Limits.powerOfTwo("blockLength", bytes, 4096, 1 << 30);
        return this;
    }

    /**
     * Options of the regions that lead to the peers' memory. By default they merge, {@link Merging#HYBRID}, and are for
     * any number of threads; with {@link Merging#OFF} one thread at a time may post.
     */
    public RemoteOptions region(RegionOptions options) {
        region = Objects.requireNonNull(options, "region");
        return this;
    }

    /** Who is told of the end of operations that name no handler of their own; by default nobody. */
    public RemoteOptions onCompletion(OperationHandler handler) {
        onCompletion = Objects.requireNonNull(handler, "onCompletion");
        return this;
    }

    /**
     * Messages beside the memory.
     *
     * @param inboxName of an inbox that each peer has open, which {@link RemoteSession#send} sends to
     * @param handler gets what the peers' inboxes send back through {@link Message#channel}, on the node's thread
     */
    public RemoteOptions messages(String inboxName, MessageHandler handler) {
        inbox = Objects.requireNonNull(inboxName, "messages");
        onMessage = Objects.requireNonNull(handler, "handler");
        return this;
    }
}
