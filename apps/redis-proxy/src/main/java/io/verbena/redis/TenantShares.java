package io.verbena.redis;

import io.verbena.UtilityShares;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What part of a worker's turns each tenant is entitled to, by its utility and its minimum (DRUM (6), see {@link
 * UtilityShares}), computed anew each {@value #EPOCH_MILLIS} ms and when a tenant comes or goes. Whoever was held up in
 * the last epoch wants all that it can get, and shares what the others have left; whoever was not has what it would get
 * if all of them wanted more, so that what it sends at once is not held up by how little it has sent before.
 *
 * <p>The capacity is what the worker has executed in epochs in which somebody always waited. A tenant's minimum is
 * divided among the workers that have clients of it that are active.
 *
 * <p>For the worker's thread; {@link #rate} is for any.
 */
final class TenantShares {
    private static final int EPOCH_MILLIS = 10;
    private static final long EPOCH_NANOS = TimeUnit.MILLISECONDS.toNanos(EPOCH_MILLIS);

    /** Commands a second that a worker is taken to execute before anything was seen. */
    private static final double FIRST_CAPACITY = 1e6;

    /** What a tenant that was not held up wants beside what it has used. */
    private static final double MORE = 1.25;

    /** Of a demand or a capacity that moves by a smaller part nothing is computed. */
    private static final double MOVED = 0.05;

    private final List<ProxyTenant> tenants;
    private final AtomicIntegerArray workers; // on which each tenant is active, of the whole proxy
    private final UtilityShares shares = new UtilityShares();
    private final boolean[] isActive;
    private final boolean[] wasHeld;
    private final double[] used; // commands in this epoch
    private final double[] demands; // that the shares are of
    private final double[] minimums; // on this worker, that the shares are of
    private final double[] parts; // of a turn, 0 to 1
    private final AtomicLongArray rates; // commands a second
    private double capacity = FIRST_CAPACITY;
    private double capacityOfShares;
    private long epochBegin;
    private boolean isFull = true; // somebody has waited in each turn of the epoch
    private boolean isStale;

    /**
     * Creates it, with nobody active.
     *
     * @param workers on which each tenant is active, which this worker keeps up to date for its part
     */
    TenantShares(List<ProxyTenant> tenants, AtomicIntegerArray workers, long nowNanos) {
        this.tenants = tenants;
        this.workers = workers;
        int count = tenants.size();
        isActive = new boolean[count];
        wasHeld = new boolean[count];
        used = new double[count];
        demands = new double[count];
        minimums = new double[count];
        parts = new double[count];
        rates = new AtomicLongArray(count);
        epochBegin = nowNanos;
        for (ProxyTenant tenant : tenants) {
            shares.add(tenant.weight(), tenant.alpha());
        }
    }

    /** A tenant has something to execute, or has had a moment ago; or no longer. */
    void active(int tenant, boolean is) {
        if (isActive[tenant] != is) {
            isActive[tenant] = is;
            workers.addAndGet(tenant, is ? 1 : -1);
            isStale = true;
            wasHeld[tenant] = is; // nobody knows yet what it wants
        }
    }

    /** A tenant has used what counts as so many commands. */
    void used(int tenant, double commands) {
        used[tenant] += commands;
    }

    /** Clients of a tenant wait for the next turn. */
    void held(int tenant) {
        wasHeld[tenant] = true;
    }

    /**
     * A turn begins.
     *
     * @param waits whether somebody has waited since the last one
     */
    void turn(long nowNanos, boolean waits) {
        isFull &= waits;
        long elapsed = nowNanos - epochBegin;
        boolean epochIsOver = elapsed >= EPOCH_NANOS;
        if (epochIsOver || isStale) {
            look(epochIsOver ? elapsed : 0);
            if (isStale) {
                isStale = false;
                share();
            }
        }
        if (epochIsOver) {
            epochBegin = nowNanos;
            isFull = true;
        }
    }

    /** Takes what was done in an epoch, or before somebody came or went in the middle of one, for what is wanted. */
    private void look(long elapsed) {
        double done = 0;
        for (int i = 0; i < used.length; i++) {
            done += used[i];
            minimum(i);
            if (elapsed > 0 || !isActive[i]) {
                double perSecond = elapsed > 0 ? used[i] * TimeUnit.SECONDS.toNanos(1) / elapsed : 0;
                demand(i, !isActive[i] ? 0 : wasHeld[i] ? Double.POSITIVE_INFINITY : Math.max(1, MORE * perSecond));
                used[i] = 0;
                wasHeld[i] = false;
            } else if (wasHeld[i]) {
                demand(i, Double.POSITIVE_INFINITY);
            }
        }
        if (elapsed > 0 && isFull && done > 0) {
            capacity = (capacity + done * TimeUnit.SECONDS.toNanos(1) / elapsed) / 2;
            isStale |= Math.abs(capacity - capacityOfShares) > MOVED * capacityOfShares;
        }
    }

    private void demand(int tenant, double now) {
        double before = demands[tenant];
        boolean isSame =
                now == before || (before < Double.POSITIVE_INFINITY && Math.abs(now - before) <= MOVED * before);
        if (!isSame) {
            demands[tenant] = now;
            isStale = true;
        }
    }

    private void minimum(int tenant) {
        double now = (double) tenants.get(tenant).min() / Math.max(1, workers.get(tenant));
        if (now != minimums[tenant]) {
            minimums[tenant] = now;
            shares.minimum(tenant, now);
            isStale = true;
        }
    }

    /** First what each has if all want more, then what those that were held up have by what the others want. */
    private void share() {
        capacityOfShares = capacity;
        boolean isAnyLight = false;
        for (int i = 0; i < parts.length; i++) {
            shares.demand(i, isActive[i] ? Double.POSITIVE_INFINITY : 0);
            isAnyLight |= isActive[i] && demands[i] < Double.POSITIVE_INFINITY;
        }
        publish(false);
        if (isAnyLight) {
            for (int i = 0; i < parts.length; i++) {
                shares.demand(i, isActive[i] ? demands[i] : 0);
            }
            publish(true);
        }
    }

    private void publish(boolean onlyHeld) {
        shares.solve(capacity);
        for (int i = 0; i < parts.length; i++) {
            if (!onlyHeld || demands[i] == Double.POSITIVE_INFINITY) {
                parts[i] = shares.rate(i) / capacity;
                rates.lazySet(i, (long) shares.rate(i));
            }
        }
    }

    /** The part of a turn that a tenant is entitled to, 0 to 1; 0 if it is not active. */
    double part(int tenant) {
        return parts[tenant];
    }

    /** Commands a second that a tenant is entitled to on this worker; 0 if it is not active. */
    long rate(int tenant) {
        return rates.get(tenant);
    }

    /** The worker ends: nobody is active on it. */
    void end() {
        for (int i = 0; i < isActive.length; i++) {
            active(i, false);
        }
    }
}
