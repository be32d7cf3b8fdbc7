package io.verbena.nic.jfr;

import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.nic.arbiter.Limit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The events of a NIC's groups. The recorder calls once a second while it records {@code io.verbena.GroupShare}; until
 * it is first used it is not even started.
 *
 * <p>Thread-safe: the recorder calls by one thread at a time.
 */
final class GroupEvents implements Runnable {
    private final String nic;
    private final Supplier<List<GroupRecorder.Named>> groups;
    private final Map<FlowGroup, Counts> before = new HashMap<>(); // of the recorder's calls
    private final PeriodicHook hook = new PeriodicHook(GroupShareEvent.class, this);

    /** What a group had at the event before. */
    private static final class Counts {
        long bytes;
        long charged;
        long entitled;
        long messages;
        long backlogged;
        long demoted;
        long held;
        final long[] refusals = new long[Limit.values().length];

        @Nullable
        Histogram delays;
    }

    GroupEvents(String nic, Supplier<List<GroupRecorder.Named>> groups) {
        this.nic = nic;
        this.groups = groups;
    }

    void start() {
        hook.start();
    }

    void close() {
        hook.close();
    }

    void changed(String group, int from, int to) {
        WeightChangeEvent event = new WeightChangeEvent();
        event.nic = nic;
        event.group = group;
        event.before = from;
        event.after = to;
        event.commit();
    }

    /** One event a group. */
    @Override
    public void run() {
        List<GroupRecorder.Named> now = groups.get();
        GroupShareEvent[] events = new GroupShareEvent[now.size()];
        long[] charged = new long[events.length];
        long[] entitled = new long[events.length];
        long allCharged = 0;
        long allEntitled = 0;
        before.keySet().retainAll(now.stream().map(GroupRecorder.Named::group).toList());
        for (int i = 0; i < events.length; i++) {
            Counts counts = before.computeIfAbsent(now.get(i).group(), group -> new Counts());
            long chargedBefore = counts.charged;
            long entitledBefore = counts.entitled;
            events[i] = event(now.get(i), counts);
            charged[i] = counts.charged - chargedBefore;
            entitled[i] = counts.entitled - entitledBefore;
            allCharged += charged[i];
            allEntitled += entitled[i];
        }
        for (int i = 0; i < events.length; i++) {
            events[i].share = allCharged == 0 ? 0 : charged[i] / (double) allCharged;
            events[i].entitlement = allEntitled == 0 ? 0 : entitled[i] / (double) allEntitled;
            events[i].commit();
        }
    }

    /** The event of what was added since, and remembers what there is. */
    private GroupShareEvent event(GroupRecorder.Named named, Counts counts) {
        GroupStatistics s = named.group().statistics();
        Histogram delays = s.delays();
        Histogram since = delays.copy();
        if (counts.delays != null) {
            since.subtract(counts.delays);
        }
        long bytes = s.bytes();
        long messages = s.messages();
        long backlogged = s.backloggedNanos();
        long demoted = s.demoted();
        long held = s.held();
        GroupShareEvent event = new GroupShareEvent();
        event.nic = nic;
        event.group = named.name();
        event.weight = named.group().weight();
        event.bytes = bytes - counts.bytes;
        event.messages = messages - counts.messages;
        event.backlogged = backlogged - counts.backlogged;
        event.delay99 = since.getValueAtPercentile(99);
        event.operationRate = named.group().operations().perSecond();
        event.heldByRate = held - counts.held;
        event.refusedForWindow = refused(s, counts, Limit.WINDOW);
        event.refusedForLink = refused(s, counts, Limit.LINK);
        event.refusedForReceiver = refused(s, counts, Limit.RECEIVER);
        event.refusedForCeiling = refused(s, counts, Limit.CEILING);
        demoted(named.name(), demoted - counts.demoted);
        counts.bytes = bytes;
        counts.messages = messages;
        counts.backlogged = backlogged;
        counts.demoted = demoted;
        counts.held = held;
        counts.charged = s.charged();
        counts.entitled = s.entitled();
        counts.delays = delays;
        return event;
    }

    private static long refused(GroupStatistics s, Counts counts, Limit limit) {
        long before = counts.refusals[limit.ordinal()];
        counts.refusals[limit.ordinal()] = s.refusals(limit);
        return counts.refusals[limit.ordinal()] - before;
    }

    private void demoted(String group, long visits) {
        if (visits > 0) {
            UrgentDemotedEvent event = new UrgentDemotedEvent();
            event.nic = nic;
            event.group = group;
            event.visits = visits;
            event.commit();
        }
    }
}
