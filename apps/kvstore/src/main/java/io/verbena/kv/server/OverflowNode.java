package io.verbena.kv.server;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.tier.PagedMemory;
import io.verbena.tier.PagedOptions;
import io.verbena.tier.PagedStatistics;
import java.time.Duration;

/** The node by which a server's shards reach the memory of peers, and that memory. Thread-safe. */
final class OverflowNode implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);
    private static final long PAGE = 4096;

    private final Node node;
    private final PagedMemory memory;

    private OverflowNode(Node node, PagedMemory memory) {
        this.node = node;
        this.memory = memory;
    }

    /**
     * Connects to all peers.
     *
     * @param onProgress called by the node's thread when something was moved
     */
    static OverflowNode open(KvServerContext context, PagedOptions options, Runnable onProgress) {
        NodeContext settings = new NodeContext();
        context.overflowNode.accept(settings);
        Node node = Node.launch(settings.name(context.name + "-overflow").closeOnShutdown(false));
        try {
            return new OverflowNode(node, PagedMemory.open(node, options.onProgress(onProgress), CONNECT_TIMEOUT));
        } catch (RuntimeException | Error e) {
            node.close();
            throw e;
        }
    }

    PagedOverflow memory() {
        return new PagedOverflow(memory);
    }

    /** Bytes of a shard's part, of as many parts as there are shards: whole pages. */
    long share(int shards) {
        long share = memory.size() / shards / PAGE * PAGE;
        if (share == 0) {
            throw new IllegalArgumentException(
                    "overflow of " + memory.size() + " bytes for " + shards + " shards < minimum " + PAGE * shards);
        }
        memory.discard(0, PAGE); // throws if pages are longer: slots in them could not be discarded
        return share;
    }

    PagedStatistics statistics() {
        return memory.statistics();
    }

    @Override
    public void close() {
        memory.close();
        node.close();
    }
}
