package io.verbena.nic.append;

import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link Appender} knows of a queue: what does not change while the queue has its key, and the chunk last used.
 * Sequences never come twice, so a chunk that is here is right or not wanted. Under the appender's thread.
 */
final class QueueView {
    /** Of a queue that has not been looked at: no queue has the key 0. */
    static final QueueView UNKNOWN = new QueueView(0, 0, 0, 0, 0, 0, 0, 0);

    final int queue;
    final int key;
    final int pd;
    final int chunkLength;
    final int maxMessage;
    /** Largest payload in a chunk; less than any if the view is not sound. */
    final int recordLimit;

    final int chunkMask;

    /**
     * Whether these are what a queue may have; its owner has written them, and anybody who has them mapped may have
     * since.
     */
    final boolean isSound;

    AtomicBuffer chunk = Appender.NOTHING;
    int chunkPosition;
    int chunkSequence;

    /** What the appender, unless it is the owner's, may have there once the queue has been full; null before. */
    @Nullable
    DynamicThreshold share;

    QueueView(
            int queue,
            int key,
            int pd,
            int chunkLength,
            int maxMessage,
            int recordLimit,
            int chunkMask,
            int maxChunks) {
        this.queue = queue;
        this.key = key;
        this.pd = pd;
        this.chunkLength = chunkLength;
        this.maxMessage = maxMessage;
        this.chunkMask = chunkMask;
        this.isSound = chunkLength >= AppendQueueAttributes.MIN_CHUNK_LENGTH
                && chunkLength <= AppendQueueAttributes.MAX_CHUNK_LENGTH
                && Integer.bitCount(chunkLength) == 1
                && recordLimit >= 0
                && recordLimit <= chunkLength / 4
                && maxMessage >= recordLimit
                && chunkMask == maxChunks - 1;
        this.recordLimit = isSound ? recordLimit : -1;
    }
}
