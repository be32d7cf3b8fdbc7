package io.verbena.bench.tenants;

import io.verbena.bench.Latency;
import java.util.List;

/**
 * What a measurement came to.
 *
 * @param seconds that were counted
 * @param contended part of them in which all tenants had work queued
 * @param tenants in the setting's order
 * @param latency of the ping; zeros without one
 */
public record TenantsResult(double seconds, double contended, List<Figures> tenants, Latency latency) {
    /**
     * A tenant's figures.
     *
     * @param share of what all were charged while all had work queued; of all the time if they never had
     * @param arrived its part of what the other side has taken of all in all the time, each message as it is charged;
     *     0 where the other side sees none
     * @param entitled its weight's part
     * @param messages completed a second
     * @param charged a second, in the charged unit
     * @param backlogged part of the time for which it had work queued
     * @param delayNanos p50 and p99 of the time between having work and being served
     */
    public record Figures(
            String name,
            int bytes,
            double share,
            double arrived,
            double entitled,
            double messages,
            double charged,
            double backlogged,
            List<Long> delayNanos) {
        /** Share by entitlement: 1 is exact. */
        public double normalised() {
            return share / entitled;
        }

        /** Payload a second. */
        public double payload() {
            return messages * bytes;
        }
    }
}
