package io.verbena.papers.receive;

/**
 * Memory that a receiver holds for messages, in bytes, as it is now.
 *
 * @param activeBytes that messages occupy which have come and are not handed out yet; in whole buffers, where there are
 *     buffers
 * @param reserveBytes that are there for messages to come
 * @param heldBytes taken from the operating system; or that would be, where buffers are aliased
 * @param peakBytes the most that was held at a time
 */
public record SchemeFootprint(long activeBytes, long reserveBytes, long heldBytes, long peakBytes) {}
