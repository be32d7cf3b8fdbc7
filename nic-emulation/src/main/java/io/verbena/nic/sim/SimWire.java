package io.verbena.nic.sim;

/**
 * One direction of a simulated link, between the NICs: when a packet's last bit has left, when it arrives, and which
 * faults it meets by chance. The profile may change at any time. Chance is asked in the order of the calls.
 */
final class SimWire {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int BITS = 8;

    private final LinkProfile profile;
    private final SimRandom random;
    private long freeAtNanos;
    private long remainder;
    private long lastArrivalNanos;
    private int lossesToCome;

    SimWire(LinkProfile profile, SimRandom random) {
        this.profile = profile;
        this.random = random;
    }

    /** When the last bit has left of all packets so far. */
    long freeAtNanos() {
        return freeAtNanos;
    }

    /** When the last packet arrives that was sent in order. */
    long lastArrivalNanos() {
        return lastArrivalNanos;
    }

    /** When a packet's last bit has left, exactly: fractions of a nanosecond are carried over to the next packet. */
    long departure(long now, int length) {
        if (profile.bitsPerSecond == 0) {
            freeAtNanos = Math.max(freeAtNanos, now);
            return freeAtNanos;
        }
        if (freeAtNanos < now) {
            freeAtNanos = now;
            remainder = 0;
        }
        long scaled = (length + (long) profile.overheadBytes) * BITS * NANOS_PER_SECOND + remainder;
        freeAtNanos += scaled / profile.bitsPerSecond;
        remainder = scaled % profile.bitsPerSecond;
        return freeAtNanos;
    }

    /** When a packet that has left arrives, jitter included. */
    long arrival(long now) {
        long arrival = now + profile.delayNanos;
        return profile.jitterNanos > 0 ? arrival + random.nextLong(profile.jitterNanos + 1) : arrival;
    }

    /** An arrival not before the last one: jitter delays; only reordering lets a packet overtake another. */
    long inOrder(long arrival) {
        lastArrivalNanos = Math.max(arrival, lastArrivalNanos);
        return lastArrivalNanos;
    }

    /** By how much a reordered packet is late, in nanoseconds; one that is held, by the most. */
    long lateness(boolean hold) {
        return hold ? profile.reorderNanos : 1 + random.nextLong(profile.reorderNanos);
    }

    boolean reorders() {
        return random.chance(profile.reordering);
    }

    boolean corrupts() {
        return random.chance(profile.corruption);
    }

    boolean duplicates() {
        return random.chance(profile.duplication);
    }

    /** Whether a packet is lost; losses come in bursts. */
    boolean loses() {
        if (profile.loss == 0) {
            lossesToCome = 0; // what is faultless now ends the burst too
            return false;
        }
        if (lossesToCome > 0) {
            lossesToCome--;
            return true;
        }
        if (random.chance(profile.loss)) {
            lossesToCome = profile.lossBurst - 1;
            return true;
        }
        return false;
    }
}
