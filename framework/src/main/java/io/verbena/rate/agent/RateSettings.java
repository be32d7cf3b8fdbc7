package io.verbena.rate.agent;

/**
 * What a {@link RateAgent} is made with.
 *
 * @param epochNanos between two looks
 * @param requests operations a second that the NIC takes; 0 to measure them
 * @param completions messages a second that inboxes deliver; 0 for no bound
 * @param margin part of either capacity that is never allocated
 * @param isTwoSided whether nodes agree on what they send to each other
 */
public record RateSettings(long epochNanos, double requests, double completions, double margin, boolean isTwoSided) {
    /** Whether deliveries have rates too. */
    public boolean pacesDeliveries() {
        return completions > 0;
    }
}
