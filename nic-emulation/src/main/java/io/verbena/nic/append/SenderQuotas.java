package io.verbena.nic.append;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of a NIC's senders, by the numbers that records carry.
 *
 * <p>Concurrency: any thread. The array is replaced as a whole, by compare-and-set, and never changed.
 */
final class SenderQuotas {
    /** The largest number; 0 is none. */
    static final int MAX = RecordDescriptor.MAX_QUOTA;

    private static final VarHandle QUOTAS;

    static {
        try {
            QUOTAS = MethodHandles.lookup().findVarHandle(SenderQuotas.class, "quotas", SenderQuota[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable SenderQuota[] quotas = new @Nullable SenderQuota[8]; // by number

    /**
     * Makes a quota.
     *
     * @throws IllegalStateException if there are as many as there may be
     */
    SenderQuota open(long limit) {
        while (true) {
            @Nullable SenderQuota[] known = quotas;
            int number = 1;
            while (number < known.length && known[number] != null) {
                number++;
            }
            if (number > MAX) {
                throw new IllegalStateException("quotas of senders " + MAX + " = maximum " + MAX);
            }
            int length = number < known.length ? known.length : Math.min(2 * known.length, MAX + 1);
            @Nullable SenderQuota[] next = Arrays.copyOf(known, length);
            SenderQuota made = new SenderQuota(this, number, limit);
            next[number] = made;
            if (QUOTAS.compareAndSet(this, known, next)) {
                return made;
            }
        }
    }

    /** The quota of a number, or null; any number, for whoever has a queue mapped may have written it. */
    @Nullable
    SenderQuota find(int number) {
        @Nullable SenderQuota[] known = quotas;
        return number <= 0 || number >= known.length ? null : known[number];
    }

    /** A quota was closed, or given back to: its number is free if it is closed and nothing counts against it. */
    void free(SenderQuota quota) {
        while (quota.bytes() == 0 && find(quota.number()) == quota) {
            @Nullable SenderQuota[] known = quotas;
            @Nullable SenderQuota[] next = known.clone();
            next[quota.number()] = null;
            if (known[quota.number()] != quota || QUOTAS.compareAndSet(this, known, next)) {
                return;
            }
        }
    }
}
