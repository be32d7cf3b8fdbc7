package io.verbena.kv.store;

/**
 * Bytes in an extent that a client reads piece by piece: a snapshot of a value, pinned, or a reply that was held, which is the
 * stream's own.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class OpenStream {
    final Chunk extent;
    final int start;
    final int length;
    final boolean held;
    int position;

    OpenStream(final Chunk extent, final int start, final int length, final boolean held) {
        this.extent = extent;
        this.start = start;
        this.length = length;
        this.held = held;
    }
}
