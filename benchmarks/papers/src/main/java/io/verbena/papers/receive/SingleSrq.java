package io.verbena.papers.receive;

import io.verbena.papers.srq.SizeClasses;

/** One shared receive queue, every buffer as long as the longest message (RIMA 2.2, Table 6 row 1). */
public final class SingleSrq {
    private SingleSrq() {}

    /**
     * Makes the scheme.
     *
     * @param largest message in bytes
     * @param buffers posted, 1 to {@link io.verbena.nic.SharedReceiveQueue#MAX_DEPTH}
     */
    public static SrqBySize of(int largest, int buffers) {
        return new SrqBySize(
                "one shared receive queue",
                SizeClasses.single(largest),
                new int[] {buffers},
                false,
                SchemeSettings.DEFAULT);
    }
}
