package io.verbena.papers.avatar;

import io.verbena.mux.FairOrder;
import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendFeed;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Avatar's scheduler as the paper prints it (3.2): egress queues of blocks, of which the first is cut into segments by
 * an offset that moves on, with a fixed number of segments of a block under way.
 *
 * <ul>
 *   <li>Round robin: a segment of each queue in turn.
 *   <li>WFQ, which the paper does not define: a block gets its tag when it arrives, by its bytes, and the block of the
 *       least tag is sent ({@link FairOrder}): whole, since the paper has its completion depend on the length of
 *       others.
 * </ul>
 */
final class PrintedSource implements SendSource {
    /** Segments of a block under way; the paper says "a fixed number". */
    static final int QUOTA = 4;

    private static final int MAX_MOVED = 64;

    private final Source source;
    private final boolean fair;
    private final SendFeed feed;
    private final ArrayDeque<Queue> round = new ArrayDeque<>(); // those whose first block has segments to send
    private final FairOrder<Block> tagged = new FairOrder<>();
    private final ArrayDeque<Block> underWay = new ArrayDeque<>(); // one a segment
    private @Nullable Block current; // of WFQ
    private long done;

    /** The egress queue of a connection. */
    static final class Queue {
        final int connection;
        final ArrayDeque<Block> blocks = new ArrayDeque<>();
        boolean waits; // stands in the round
        long tag; // of its last block

        Queue(int connection) {
            this.connection = connection;
        }
    }

    private static final class Block {
        final Queue queue;
        final int bytes;
        int offset;
        int underWay;

        Block(Queue queue, int bytes) {
            this.queue = queue;
            this.bytes = bytes;
        }

        boolean hasMore() {
            return offset < bytes;
        }
    }

    /**
     * Fills a queue pair, which is in RESET.
     *
     * @param fair WFQ; else round robin
     */
    PrintedSource(QueuePair qp, Source source, boolean fair) {
        this.source = source;
        this.fair = fair;
        feed = qp.feed(this);
    }

    /** A block of at least 1 byte arrives. */
    void post(Queue queue, int bytes) {
        Block block = new Block(queue, bytes);
        if (fair) {
            queue.tag = tagged.add(block, queue.tag, bytes, 1);
        } else {
            queue.blocks.add(block);
            enter(queue);
        }
    }

    private void enter(Queue queue) {
        Block first = queue.blocks.peek();
        if (first != null && !queue.waits && first.underWay < QUOTA) {
            queue.waits = true;
            round.add(queue);
        }
    }

    @Override
    public void fill(SendRing ring) {
        int bytes = 0;
        for (int moved = 0; moved < MAX_MOVED && bytes < Source.SEGMENT; moved++) {
            Block block = fair ? nextBlock() : nextInTurn();
            if (block == null) {
                break;
            }
            int length = Math.min(Source.SEGMENT, block.bytes - block.offset);
            boolean last = block.offset + length == block.bytes;
            PostResult result = feed.post(
                    source.local(
                            Wire.request(block.queue.connection, last), block.queue.connection, block.offset, length),
                    ring);
            if (result != PostResult.POSTED) {
                putBack(block);
                break;
            }
            bytes += length;
            sent(block, length);
        }
        ring.publish();
    }

    private @Nullable Block nextBlock() {
        Block block = current;
        if (block == null) {
            block = tagged.take();
            current = block;
        }
        return block != null && block.underWay < QUOTA ? block : null;
    }

    private @Nullable Block nextInTurn() {
        Queue queue = round.poll();
        if (queue == null) {
            return null;
        }
        queue.waits = false;
        return queue.blocks.peek();
    }

    private void putBack(Block block) {
        if (!fair) {
            block.queue.waits = true;
            round.addFirst(block.queue);
        }
    }

    private void sent(Block block, int length) {
        block.offset += length;
        block.underWay++;
        underWay.add(block);
        if (fair) {
            current = block.hasMore() ? block : null;
        } else {
            if (!block.hasMore()) {
                block.queue.blocks.remove();
            }
            enter(block.queue);
        }
    }

    @Override
    public void completed(long before) {
        for (; done < before; done++) {
            Block block = underWay.remove();
            block.underWay--;
            if (!fair) {
                enter(block.queue);
            }
        }
    }

    @Override
    public int weight() {
        return 1;
    }
}
