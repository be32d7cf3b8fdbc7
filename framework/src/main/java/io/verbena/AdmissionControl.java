package io.verbena;

/**
 * Finds the window of a merging region from what ends, see {@link AdmissionPolicy#of}. Each region has one of its own.
 * It is called by the thread that polls the region, one call at a time, each time that it finds work requests ended; it
 * should be short, and must not wait for anything. If it throws, the error is logged, the window stays as it was, and
 * the region goes on.
 *
 * <pre>{@code
 *   // the shorter round trips are, the wider: 8 MB where they take a millisecond
 *   AdmissionControl control = (bytes, roundTrip, inFlight, now) -> Math.max(1, 8_000_000_000_000L / roundTrip);
 *   options.merge(Merging.HYBRID).admission(AdmissionPolicy.of(1 << 20, () -> control));
 * }</pre>
 */
@FunctionalInterface
public interface AdmissionControl {
    /**
     * Work requests have ended, in success or not.
     *
     * @param bytes of them, at least 0
     * @param roundTrip nanoseconds from posting to the end, of the last of them
     * @param inFlight bytes that are still under way to the node, of all merging regions of the tenant
     * @param now nanoseconds of the node's clock
     * @return bytes that may be under way from now on, at least 1: less is an error, as if it had thrown
     */
    long window(long bytes, long roundTrip, long inFlight, long now);
}
