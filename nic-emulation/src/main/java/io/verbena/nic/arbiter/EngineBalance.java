package io.verbena.nic.arbiter;

import java.util.ArrayList;
import java.util.List;

/**
 * What the other engines' service of groups means for their next turns on this one: a group that is served elsewhere
 * too would get more than its weight.
 *
 * <pre>
 *   engine 0:  A B        B is behind: it gets A's turns here, and A has engine 1
 *   engine 1:  A
 * </pre>
 *
 * <p>Only what was served while groups were <em>active</em> together here is compared: while they had work that could
 * be served. What a group has on another engine while nobody beside it is active here, or while it is not itself, takes
 * nothing from anybody. Of what is compared each is entitled to its weight's part for as long as it was active, as in a
 * virtual time that passes with service by weight; one that was away goes on where the one furthest behind is now,
 * neither behind what it missed nor ahead of it, but for what it was ahead itself and its absence has not paid.
 *
 * <pre>
 *   entitled   weight x what the pace here grew by while active, x all that was compared / what of it was served here
 *   lag       += entitled - served here while others were active - served elsewhere while both
 *   turns      are longer by lag / gain until the next comparison, shorter where that is negative
 * </pre>
 *
 * <p>Compared each {@value #INTERVAL} bytes of service here that others could have had, or two laps over the groups if
 * that is longer, so that each has a turn in between. Where a share cannot be met (all of an engine would not be
 * enough) the lag is bounded by what shortens a turn to nothing, and a margin for what becomes known in lots.
 *
 * <p>Used under the engine's baton; other engines' cells of {@link GroupLedger} are read when a group begins or ceases
 * to be active beside others, and written by nobody here. Constant time but for the comparison.
 */
final class EngineBalance {
    static final int INTERVAL = 256 * 1024;
    private static final int MARGIN = 1024 * 1024;

    /** Lag over what turns are corrected by in one interval, an engine: together they correct it in four. */
    private static final int GAIN_PER_ENGINE = 4;

    /** After this many intervals without service of these groups elsewhere there is nothing to settle. */
    private static final int FORGOTTEN = 16;

    private final int engine;
    private final int gain;
    private final long shortest;
    private final double margin;
    private final List<GroupBalance> seen = new ArrayList<>(); // in this interval; first those that are active
    private int active;
    private long weights; // of those active
    private double pace; // what a weight of one was served here while others were active
    private long unpaced; // served since it grew
    private long served; // in this interval
    private long interval;
    private double front; // lag over weight of the one furthest behind
    private int quiet = FORGOTTEN; // intervals since another engine has served a group that was active here
    private int epoch; // counts the times when nobody had work

    EngineBalance(int engine, int engines, int shift) {
        this.engine = engine;
        this.gain = GAIN_PER_ENGINE * engines;
        this.shortest = INTERVAL >> shift;
        this.interval = shortest;
        this.margin = (double) MARGIN / (1 << shift);
    }

    int engine() {
        return engine;
    }

    /** A lap over the groups begins, of this many units. */
    void lap(long units) {
        interval = Math.max(shortest, 2 * units);
    }

    /** Whether more than one group has work that can be served. */
    boolean isContended() {
        return active > 1;
    }

    /** A group has work that can be served. */
    void enter(GroupBalance group) {
        double now = pace();
        if (group.epoch != epoch) {
            group.epoch = epoch;
            group.begin(front); // all had left: it owes nobody, and is owed nothing
        } else {
            group.settleAbsence(now);
        }
        group.since = now;
        if (!group.listed) {
            group.listed = true;
            group.lag = Math.min(group.lag, front * group.weight);
            group.place = seen.size();
            seen.add(group);
        }
        swap(group, seen.get(active));
        active++;
        weights += group.weight;
        group.isActive = true;
        if (active > 1) {
            group.look();
            if (active == 2) {
                seen.get(0).look(); // what it was served while it was the only one is not compared
            }
        }
    }

    /** A group has none any more. */
    void leave(GroupBalance group) {
        group.settle(pace());
        if (active > 1) {
            group.settleElsewhere();
        }
        active--;
        weights -= group.weight;
        group.isActive = false;
        swap(group, seen.get(active));
        if (active == 1) {
            seen.get(0).settleElsewhere();
        }
    }

    /** Nobody has work: debts end. */
    void end() {
        epoch++;
        for (int i = 0; i < seen.size(); i++) {
            seen.get(i).unlist();
        }
        seen.clear();
        front = 0;
        served = 0;
    }

    void reweigh(GroupBalance group, int weight) {
        double now = pace();
        if (group.isActive) {
            group.settle(now);
            weights += weight - group.weight;
        } else if (group.epoch == epoch) {
            group.settleAbsence(now);
        }
        group.weight = weight;
    }

    void charge(GroupBalance group, long units) {
        if (active > 1
                || (active == 1 && !group.isActive)) { // an urgent flow's output may have room when bulk's has not
            group.here += units;
            unpaced += units;
            served += units;
            if (served >= interval) {
                balance();
            }
        }
    }

    private double pace() {
        if (unpaced != 0) {
            pace += (double) unpaced / weights;
            unpaced = 0;
        }
        return pace;
    }

    private void swap(GroupBalance one, GroupBalance other) {
        int place = one.place;
        seen.set(other.place, one);
        seen.set(place, other);
        one.place = other.place;
        other.place = place;
    }

    private void balance() {
        double now = pace();
        long all = 0;
        long elsewhere = 0;
        double entitled = 0;
        double sum = 0;
        for (int i = 0; i < seen.size(); i++) {
            GroupBalance group = seen.get(i);
            if (!group.isActive) {
                group.settleAbsence(now);
            } else {
                group.settle(now);
                if (active > 1) {
                    group.settleElsewhere();
                }
            }
            elsewhere += group.elsewhere;
            all += group.here + group.elsewhere;
            entitled += group.entitled;
            sum += group.weight;
        }
        served = 0;
        quiet = elsewhere > 0 ? 0 : Math.min(FORGOTTEN, quiet + 1);
        double scale = quiet < FORGOTTEN && entitled > 0 ? all / entitled : 0;
        double mean = 0;
        for (int i = 0; i < seen.size(); i++) {
            mean += seen.get(i).compare(scale) / sum;
        }
        front = -Double.MAX_VALUE;
        for (int i = 0; i < active; i++) {
            GroupBalance group = seen.get(i);
            front = Math.max(front, group.lag / group.weight - mean);
        }
        for (int i = seen.size() - 1; i >= 0; i--) {
            GroupBalance group = seen.get(i);
            group.lag -= mean * group.weight;
            group.forgive(front * group.weight, scale);
            double most = gain * interval * group.weight / sum + margin;
            group.lag = Math.max(-most, Math.min(most, group.lag));
            group.correction = Math.round(group.lag / gain);
            if (group.isOver()) {
                swap(group, seen.get(seen.size() - 1));
                seen.remove(seen.size() - 1).unlist();
            }
        }
    }
}
