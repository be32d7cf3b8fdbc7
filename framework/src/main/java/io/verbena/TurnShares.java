package io.verbena;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What part of a server's turns each of several parties is entitled to, by its utility and its minimum ({@link
 * UtilityShares}): for a thread that serves what they ask for, one request after the other. Computed anew each {@value
 * #EPOCH_MILLIS} ms, and when a party comes or goes. Whoever had to wait in the last epoch wants all that it can get,
 * and shares what the others leave; whoever did not has what it would get if all of them wanted more, so that what it
 * asks for at once is not held up by how little it has asked for before.
 *
 * <p>The capacity is what the server has done in epochs in which somebody always waited. Where several servers serve
 * the same parties, a party's minimum is divided among those on which it is active.
 *
 * <p>For the server's thread; {@link #rate} is for any.
 */
public final class TurnShares {
    private static final int EPOCH_MILLIS = 10;
    private static final long EPOCH_NANOS = TimeUnit.MILLISECONDS.toNanos(EPOCH_MILLIS);

    /** Requests a second that a server is taken to do before anything was seen. */
    private static final double FIRST_CAPACITY = 1e6;

    /** What a party that was not held up wants beside what it has used. */
    private static final double MORE = 1.25;

    /** Of a demand or a capacity that moves by a smaller part nothing is computed. */
    private static final double MOVED = 0.05;

    private final List<Party> parties;
    private final AtomicIntegerArray servers; // on which each party is active
    private final UtilityShares shares = new UtilityShares();
    private final boolean[] isActive;
    private final boolean[] wasHeld;
    private final double[] used; // requests in this epoch
    private final double[] demands; // that the shares are of
    private final double[] minimums; // on this server, that the shares are of
    private final double[] parts; // of a turn, 0 to 1
    private final AtomicLongArray rates; // requests a second
    private double capacity = FIRST_CAPACITY;
    private double capacityOfShares;
    private long epochBegin;
    private boolean isFull = true; // somebody has waited in each turn of the epoch
    private boolean isStale;

    /**
     * One that asks for something.
     *
     * @param weight of its utility, above 0
     * @param alpha of its utility, above 0, at most 32
     * @param minimum requests a second that it gets in any case, if it asks for so many; 0 for none
     */
    public record Party(double weight, double alpha, double minimum) {
        /**
         * What a tenant is entitled to: by its utility, or by its weight if no utility was set.
         *
         * @param options of the tenant
         */
        public static Party of(TenantOptions options) {
            boolean hasUtility = options.hasUtility();
            return new Party(
                    hasUtility ? options.utilityWeight() : options.weight(), options.alpha(), options.minimumRate());
        }
    }

    /**
     * Creates it, with nobody active.
     *
     * @param parties who asks, numbered from 0
     * @param servers on how many servers each party is active, as long as there are parties: shared by all of them
     * @param nowNanos the time
     * @throws IllegalArgumentException if a weight, an alpha or a minimum is out of its range
     */
    public TurnShares(List<Party> parties, AtomicIntegerArray servers, long nowNanos) {
        this.parties = List.copyOf(parties);
        this.servers = servers;
        int count = parties.size();
        isActive = new boolean[count];
        wasHeld = new boolean[count];
        used = new double[count];
        demands = new double[count];
        minimums = new double[count];
        parts = new double[count];
        rates = new AtomicLongArray(count);
        epochBegin = nowNanos;
        for (Party party : parties) {
            int number = shares.add(party.weight, party.alpha);
            shares.minimum(number, party.minimum);
            minimums[number] = party.minimum;
        }
    }

    /**
     * Creates it for one server that serves all parties.
     *
     * @see #TurnShares(List, AtomicIntegerArray, long)
     */
    public TurnShares(List<Party> parties, long nowNanos) {
        this(parties, new AtomicIntegerArray(parties.size()), nowNanos);
    }

    /** A party asks for something, or has a moment ago; or no longer. */
    public void active(int party, boolean is) {
        if (isActive[party] != is) {
            isActive[party] = is;
            servers.addAndGet(party, is ? 1 : -1);
            isStale = true;
            wasHeld[party] = is; // nobody knows yet what it wants
        }
    }

    /** What a party got counts as so many requests. */
    public void used(int party, double requests) {
        used[party] += requests;
    }

    /** A party waits for the next turn with some of its requests. */
    public void held(int party) {
        wasHeld[party] = true;
    }

    /**
     * A turn begins.
     *
     * @param nowNanos the time
     * @param waits whether somebody has waited since the last one
     */
    public void turn(long nowNanos, boolean waits) {
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

    private void demand(int party, double now) {
        double before = demands[party];
        boolean isSame =
                now == before || (before < Double.POSITIVE_INFINITY && Math.abs(now - before) <= MOVED * before);
        if (!isSame) {
            demands[party] = now;
            isStale = true;
        }
    }

    private void minimum(int party) {
        double now = parties.get(party).minimum / Math.max(1, servers.get(party));
        if (now != minimums[party]) {
            minimums[party] = now;
            shares.minimum(party, now);
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

    /** The part of a turn that a party is entitled to, 0 to 1; 0 if it is not active. */
    public double part(int party) {
        return parts[party];
    }

    /** Requests a second that a party is entitled to on this server; 0 if it is not active. Any thread. */
    public long rate(int party) {
        return rates.get(party);
    }

    /** The server ends: nobody is active on it. */
    public void end() {
        for (int i = 0; i < isActive.length; i++) {
            active(i, false);
        }
    }
}
