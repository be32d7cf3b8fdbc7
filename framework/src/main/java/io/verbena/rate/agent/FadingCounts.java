package io.verbena.rate.agent;

import java.util.Arrays;

/** What the tenants of a node have sent lately by some connections, of which older ones fade. */
final class FadingCounts {
    /** What is left of a count after a look: half of it after 11. */
    private static final double FADING = 15.0 / 16;

    private double[] recent = {};
    private long[] total = {};
    private long[] before = {};
    private boolean isNew = true;

    /** Other tenants are counted from here on. */
    void resize(int members) {
        recent = new double[members];
        total = new long[members];
        before = new long[members];
        isNew = true;
    }

    /** A look begins. */
    void begin() {
        Arrays.fill(total, 0);
    }

    /** A connection has sent so much; by no known tenant if the member is below 0. */
    void add(int member, long messages) {
        if (member >= 0) {
            total[member] += messages;
        }
    }

    /** All connections have been looked at. */
    void fade(double[] sums) {
        for (int m = 0; m < recent.length; m++) {
            long more = isNew ? 0 : Math.max(0, total[m] - before[m]); // fewer where a connection was closed
            before[m] = total[m];
            recent[m] = recent[m] * FADING + more;
            sums[m] += recent[m];
        }
        isNew = false;
    }

    /** What a tenant has sent lately. */
    double recent(int member) {
        return recent[member];
    }
}
