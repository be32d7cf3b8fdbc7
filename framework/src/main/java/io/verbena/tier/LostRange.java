package io.verbena.tier;

/**
 * Bytes of a {@link PagedMemory} that no living peer has.
 *
 * @param offset of the first byte
 * @param length in bytes, a multiple of the page's length
 * @param peer that was the last to have them
 */
public record LostRange(long offset, long length, String peer) {}
