package io.verbena.mux;

import io.verbena.MuxScheduler;

/**
 * When and how channels share queue pairs.
 *
 * @param after channels to a peer that have queue pairs of their own; those that follow share. At
 *     {@link Integer#MAX_VALUE} none does
 * @param queuePairs to a peer that are shared, as long as they have room
 * @param depth messages that a channel which shares may have under way at first, a power of two
 * @param segment bytes of a long message that are sent before others have their turn
 * @param scheduler which of those that share a queue pair sends next
 */
public record MuxSettings(int after, int queuePairs, int depth, int segment, MuxScheduler scheduler) {}
