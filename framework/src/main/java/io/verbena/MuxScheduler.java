package io.verbena;

/**
 * Which of the channels that share a queue pair sends next, see {@link MuxOptions#scheduler}. Whatever it is, each
 * channel's messages keep their order, and to other queue pairs this one weighs as much as its channels that have
 * something under way.
 */
public enum MuxScheduler {
    /**
     * Turns of so many bytes as the channels' weights say; what one sends beyond that it owes. Each channel has its
     * weight's part of the bytes, however long its messages are. The default.
     */
    DEFICIT_ROUND_ROBIN,

    /**
     * A message of each channel in turn, or a segment of a long one, as Avatar prints it. Weights do not count, and who
     * sends longer messages has more of the bytes, up to the length of a segment.
     */
    ROUND_ROBIN,

    /**
     * Avatar's other one, which that paper does not define: self-clocked fair queueing (Golestani 1994). A message has
     * a tag when it arrives: the last tag of its channel, or that of what is being sent if it is greater, and its own
     * bytes by the channel's weight. The least tag is next. Long messages are not cut, {@link MuxOptions#segment} does
     * not count, and so others wait for all of one. To compare with.
     */
    WEIGHTED_FAIR_QUEUEING
}
