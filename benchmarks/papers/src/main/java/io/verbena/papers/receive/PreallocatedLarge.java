package io.verbena.papers.receive;

import io.verbena.papers.srq.SizeClasses;

/**
 * Two shared receive queues, for messages up to a cut and for those above, each of which gets a buffer of the largest size
 * (RIMA 5.2.1, the first option; Table 6 row 2).
 */
public final class PreallocatedLarge {
    private PreallocatedLarge() {}

    /**
     * Makes the scheme.
     *
     * @param cut largest small message in bytes
     * @param small buffers for those
     * @param largest message in bytes
     * @param large buffers for messages above the cut
     */
    public static SrqBySize of(int cut, int small, int largest, int large) {
        return new SrqBySize(
                "large buffers posted",
                SizeClasses.of(cut, largest),
                new int[] {small, large},
                false,
                SchemeSettings.DEFAULT);
    }
}
