package io.verbena.bench.tenants;

/** Adds up what tenants were charged in the samples in which all of them had work queued. For one thread. */
final class ShareMeter {
    private final int tenants;
    private final long[] charged;
    private final long[] contendedCharge;
    private final long[] allCharge;
    private final long[] busyNanos;
    private long lastNanos;
    private long contendedNanos;
    private long allNanos;

    ShareMeter(int tenants) {
        this.tenants = tenants;
        charged = new long[tenants];
        contendedCharge = new long[tenants];
        allCharge = new long[tenants];
        busyNanos = new long[tenants];
    }

    /** Where counting starts. */
    void start(long nowNanos, long[] chargedNow) {
        lastNanos = nowNanos;
        System.arraycopy(chargedNow, 0, charged, 0, tenants);
    }

    /**
     * The next sample.
     *
     * @param chargedNow of each tenant since it was made
     * @param hadWork whether each had work queued throughout
     */
    void sample(long nowNanos, long[] chargedNow, boolean[] hadWork) {
        long span = nowNanos - lastNanos;
        boolean contended = true;
        for (boolean each : hadWork) {
            contended &= each;
        }
        for (int i = 0; i < tenants; i++) {
            long more = chargedNow[i] - charged[i];
            allCharge[i] += more;
            contendedCharge[i] += contended ? more : 0;
            busyNanos[i] += hadWork[i] ? span : 0;
        }
        contendedNanos += contended ? span : 0;
        allNanos += span;
        start(nowNanos, chargedNow);
    }

    /** Part of the time in which all had work queued. */
    double contended() {
        return allNanos == 0 ? 0 : contendedNanos / (double) allNanos;
    }

    /** A tenant's part of what all were charged while all had work queued; of all the time if they never had. */
    double share(int tenant) {
        long[] of = contendedNanos > 0 ? contendedCharge : allCharge;
        long sum = 0;
        for (long each : of) {
            sum += each;
        }
        return sum == 0 ? 0 : of[tenant] / (double) sum;
    }

    /** What a tenant was charged a second, in all the time. */
    double rate(int tenant) {
        return allNanos == 0 ? 0 : allCharge[tenant] * 1e9 / allNanos;
    }

    /** Part of the time for which a tenant had work queued. */
    double backlogged(int tenant) {
        return allNanos == 0 ? 0 : busyNanos[tenant] / (double) allNanos;
    }

    /** Seconds that were counted. */
    double seconds() {
        return allNanos / 1e9;
    }
}
