package io.verbena.mux;

/**
 * When and how channels share queue pairs.
 *
 * @param after channels between two inboxes that have queue pairs of their own; those that follow share.
 *     {@link Integer#MAX_VALUE}: none does
 * @param queuePairs between two inboxes that are shared, as long as they have room
 * @param depth messages that a channel which shares may have under way at first, a power of two
 * @param segment bytes of a long message that are sent before others have their turn
 */
public record MuxSettings(int after, int queuePairs, int depth, int segment) {
    /** None shares. */
    public static final MuxSettings OFF = new MuxSettings(Integer.MAX_VALUE, 1, 4, 16 << 10);
}
