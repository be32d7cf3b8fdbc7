package io.verbena.papers.receive;

/** What the schemes that treat large messages apart have in common. */
final class LargeMessageLimits {
    /** Most large messages that a sender may have under way. */
    static final int MAX_PLACES = 4096;

    private LargeMessageLimits() {}

    /** Checks the cut, the largest message and the number of large messages under way. */
    static void check(int cut, int largest, int places) {
        if (cut < ControlMessage.LENGTH) {
            throw new IllegalArgumentException("cut at " + cut + " bytes < minimum " + ControlMessage.LENGTH);
        }
        if (largest <= cut) {
            throw new IllegalArgumentException("largest message " + largest + " <= cut at " + cut);
        }
        if (places < 1 || places > MAX_PLACES) {
            throw new IllegalArgumentException(places + " large messages outside 1.." + MAX_PLACES);
        }
    }
}
