package io.verbena.nic;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.jfr.GroupRecorder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The groups of a NIC, by name and number. Everything is under the NIC's lock, unless it says otherwise. */
final class PerformanceGroups {
    static final String DEFAULT = "default";

    private final Nic nic;
    private final int engines;
    private final ArbiterSettings settings;
    private final long capacity;
    private final BitSet indexes = new BitSet();
    private final List<PerformanceGroup> groups = new ArrayList<>();
    private final PerformanceGroup ofAll;
    private final GroupRecorder recorder;
    private volatile List<GroupRecorder.Named> named = List.of(); // of the same groups, for the recorder's thread

    PerformanceGroups(Nic nic, int engines, ArbiterSettings settings, long capacity) {
        this.nic = nic;
        this.engines = engines;
        this.settings = settings;
        this.capacity = capacity;
        this.ofAll = create(new GroupAttributes().name(DEFAULT));
        this.recorder = new GroupRecorder(nic.name(), () -> named);
    }

    Nic lock() {
        return nic;
    }

    PerformanceGroup defaultGroup() {
        return ofAll;
    }

    List<PerformanceGroup> list() {
        return List.copyOf(groups);
    }

    PerformanceGroup create(GroupAttributes a) {
        a.check();
        for (PerformanceGroup group : groups) {
            if (group.attributes().name().equals(a.name())) {
                throw new IllegalArgumentException("there is a group " + a.name() + " of weight "
                        + group.attributes().weight() + ", number " + group.index() + "; the new one has weight "
                        + a.weight());
            }
        }
        if (groups.size() >= settings.maxGroups()) {
            throw new IllegalStateException("groups " + (groups.size() + 1) + " > maximum " + settings.maxGroups());
        }
        checkFloors(a, null);
        int index = indexes.nextClearBit(0);
        PerformanceGroup group = new PerformanceGroup(this, new FlowGroup(index, a.weight(), engines), a);
        indexes.set(index);
        groups.add(group);
        listNamed();
        return group;
    }

    void check(GroupAttributes a, PerformanceGroup group) {
        a.check();
        checkFloors(a, group);
    }

    private void listNamed() {
        named = groups.stream()
                .map(group -> new GroupRecorder.Named(group.attributes().name(), group.flows()))
                .toList();
    }

    /** Whether the NIC's discipline knows rates of queue pairs; any thread. */
    void checkRates() {
        if (settings.discipline() != Discipline.CHUNKS) {
            throw new IllegalArgumentException(
                    "rateLimit needs the discipline CHUNKS; NIC " + nic.name() + " has " + settings.discipline());
        }
    }

    /** Called when a group's settings have changed. */
    void changed(PerformanceGroup group, boolean bulkOnly) {
        nic.changed(group, bulkOnly);
    }

    /**
     * Called when a group's weight was changed. Any thread, without the lock, since the flight recorder may take its
     * time.
     */
    void reweighed(String group, int from, int to) {
        recorder.changed(group, from, to);
    }

    /** Reports groups to the flight recorder from now on. */
    void start() {
        recorder.start();
    }

    /** Stops reporting groups. */
    void close() {
        recorder.close();
    }

    int urgentQueuePairs(PerformanceGroup group) {
        return nic.urgentQueuePairs(group);
    }

    int regions(PerformanceGroup group) {
        return nic.regions(group);
    }

    void remove(PerformanceGroup group) {
        if (group == ofAll) {
            throw new IllegalStateException(
                    "group " + DEFAULT + " is for protection domains without a group, and stays");
        }
        groups.remove(group);
        listNamed();
        indexes.clear(group.index());
    }

    private void checkFloors(GroupAttributes a, @Nullable PerformanceGroup instead) {
        if (a.floor() == 0) {
            return;
        }
        long sum = a.floor();
        for (PerformanceGroup group : groups) {
            if (group != instead) {
                sum += group.attributes().floor();
            }
        }
        if (sum > capacity) {
            throw new IllegalArgumentException(
                    "floors of " + sum + " bytes a second > capacity " + capacity + " of the NIC");
        }
    }
}
