package io.verbena.nic.append;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of a NIC's senders, by the numbers that records carry.
 *
 * <p>Concurrency: {@link #find} is for any thread; the others take a lock (control path).
 */
final class SenderQuotas {
    /** The largest number; 0 is none. */
    static final int MAX = RecordDescriptor.MAX_QUOTA;

    private volatile @Nullable SenderQuota[] quotas = new @Nullable SenderQuota[8];

    /**
     * Makes a quota.
     *
     * @throws IllegalStateException if there are as many as there may be
     */
    synchronized SenderQuota open(long limit) {
        @Nullable SenderQuota[] known = quotas;
        int number = 1;
        while (number < known.length && known[number] != null) {
            number++;
        }
        if (number > MAX) {
            throw new IllegalStateException("quotas of senders " + MAX + " = maximum " + MAX);
        }
        SenderQuota made = new SenderQuota(this, number, limit);
        @Nullable
        SenderQuota[] next =
                Arrays.copyOf(known, number < known.length ? known.length : Math.min(2 * known.length, MAX + 1));
        next[number] = made;
        quotas = next;
        return made;
    }

    /** The quota of a number, or null; any number, for whoever has a queue mapped may have written it. */
    @Nullable
    SenderQuota find(int number) {
        @Nullable SenderQuota[] known = quotas;
        return number <= 0 || number >= known.length ? null : known[number];
    }

    /** A quota was closed, or given back to: its number is free if it is closed and nothing counts against it. */
    synchronized void free(SenderQuota quota) {
        @Nullable SenderQuota[] known = quotas;
        if (quota.bytes() == 0 && find(quota.number()) == quota) {
            @Nullable SenderQuota[] next = known.clone();
            next[quota.number()] = null;
            quotas = next;
        }
    }
}
