package io.verbena.rate.agent;

/**
 * How many operations a second a NIC takes: as it was told, or as it is seen to send while several tenants wait and one
 * of them for the NIC alone, which no rate holds. While rates hold all that wait nobody sees whether the NIC could do
 * more, so the estimate then grows, until they do not.
 */
final class CapacityMeter {
    private static final double GROWTH = 1.05;
    private static final double FILLED = 0.9;

    /** Operations a second that no NIC takes. */
    private static final double MOST = 1e9;

    private final double given;
    private volatile double estimate; // 0 while nothing is known; written by the agent's thread

    /**
     * A meter.
     *
     * @param given operations a second, 0 to measure them
     */
    CapacityMeter(double given) {
        this.given = given;
    }

    /** Operations a second, 0 if they are not known yet. */
    double perSecond() {
        return given > 0 ? given : estimate;
    }

    /**
     * Takes what was seen in an epoch.
     *
     * @param sent operations a second, of all tenants
     * @param allocated to them, operations a second
     * @param heldSent of them, those that a rate held for want of capacity
     * @param heldAllocated to these
     * @param isShort whether somebody waited that no rate held, for the NIC or a ceiling, while another waited too
     */
    void observe(double sent, double allocated, double heldSent, double heldAllocated, boolean isShort) {
        double before = estimate;
        if (isShort && sent > 0 && (before == 0 || sent < FILLED * allocated)) {
            estimate = before == 0 ? sent : (before + sent) / 2;
        } else if (heldAllocated > 0 && heldSent >= FILLED * heldAllocated) {
            estimate = Math.min(GROWTH * before, MOST);
        }
    }
}
