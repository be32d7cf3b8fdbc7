package io.verbena.kv.store;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that a client reads piece by piece: a snapshot of a value in an extent, pinned, or a reply that was held, in
 * memory that is the stream's own.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class OpenStream {
    final UnsafeBuffer source;
    final int start;
    final int length;
    int position;
    /** What is pinned; null if it is a reply. */
    @Nullable
    MemoryChunk extent;
    /** What holds the reply; null if it is a value. */
    @Nullable
    ByteBuffer reply;
    /** The first stream that the reply can tell of; those up to its own id are the others. */
    long firstStream;

    OpenStream(UnsafeBuffer source, int start, int length) {
        this.source = source;
        this.start = start;
        this.length = length;
    }
}
