package io.verbena.kv.store;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Where a {@link Shard} moves values that its own memory has no room for. Nothing waits: what cannot be done at once
 * is begun, and done by a later call. Thread-safe.
 */
public interface OverflowMemory {
    /**
     * Reads.
     *
     * @param offset of the first byte
     * @param target takes the bytes
     * @param index of the first in the target
     * @param length in bytes
     * @return whether it is done; if not, it is to be tried again
     * @throws OverflowException if the bytes are lost; says with whom
     */
    boolean tryRead(long offset, MutableDirectBuffer target, int index, int length);

    /**
     * Writes.
     *
     * @param offset of the first byte
     * @param source holds the bytes
     * @param index of the first in the source
     * @param length in bytes
     * @return whether it is done; if not, some of the bytes may be written
     * @throws OverflowException if a part of a page would be written that is lost: it is to be {@linkplain #discard
     *     discarded} first
     * @throws OverflowFullException if there is no room
     */
    boolean tryWrite(long offset, DirectBuffer source, int index, int length);

    /**
     * Forgets what is in whole pages, lost ones too: they can be written again.
     *
     * @param offset of the first byte
     * @param length in bytes
     */
    void discard(long offset, int length);
}
