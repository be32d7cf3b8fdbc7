package io.verbena.bench.check.nodes;

import io.verbena.ConnectionException;
import io.verbena.Merging;
import io.verbena.RegionOptions;
import io.verbena.RemoteRegion;
import io.verbena.bench.check.nodes.NodeTally.Event;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.WalkFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The regions that the walk's nodes are attached to. For the walk's thread. */
final class NodeAttachments {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** Where nobody is to answer. */
    private static final Duration BRIEF = Duration.ofMillis(50);

    private static final int POLL_LIMIT = 16;
    private static final int MAX_OPERATIONS = 8;

    private record Attached(NodeHost host, NodeTables.Slot slot, boolean polledByWalk) {}

    private final NodeWalk walk;
    private final List<Attached> attached = new ArrayList<>();

    NodeAttachments(NodeWalk walk) {
        this.walk = walk;
    }

    /** Attaches, or finds that there is nothing to attach to. */
    NodeTables.@Nullable Slot attach(NodeHost from, NodeHost to, SimRandom random) {
        NodeHost.Opening table = to.opening(NodeHost.TABLE);
        if (table != null && !walk.tables().hasSlot(table)) {
            return null;
        }
        RegionOptions options = anyOptions(random);
        RemoteRegion region;
        try {
            region = from.node().attach(to.address(NodeHost.TABLE), options, table == null ? BRIEF : TIMEOUT);
        } catch (ConnectionException e) {
            if (table != null) {
                throw new WalkFailure(from + " cannot attach to " + table + ": " + e.getMessage());
            }
            walk.tally().event(Event.UNREACHABLE);
            return null;
        }
        if (table == null) {
            throw new WalkFailure(from + " has attached to the table of " + to + ", which is not there");
        }
        boolean polledByWalk = random.nextInt(2) == 0;
        NodeTables.Slot slot = walk.tables().attached(table, polledByWalk ? region : region.pollOnNode());
        attached.add(new Attached(from, slot, polledByWalk));
        walk.note(from + " attaches to " + table);
        return slot;
    }

    /** Half of the regions merge; their windows and buffers are small enough to be full at times. */
    private static RegionOptions anyOptions(SimRandom random) {
        RegionOptions options = new RegionOptions();
        Merging[] ways = Merging.values();
        Merging how = random.nextInt(2) == 0 ? Merging.OFF : ways[random.nextInt(ways.length)];
        if (how != Merging.OFF) {
            options.merge(how).window(1L << random.nextInt(14)).buffer(4096 << random.nextInt(4));
        }
        return options;
    }

    /** Operates on any of them. */
    void operate(SimRandom random) {
        if (!attached.isEmpty()) {
            NodeTables.Slot slot = attached.get(random.nextInt(attached.size())).slot;
            for (int i = random.nextInt(MAX_OPERATIONS); i >= 0; i--) {
                walk.tables().post(slot, random);
            }
        }
    }

    void closeAny(SimRandom random) {
        if (!attached.isEmpty()) {
            attached.get(random.nextInt(attached.size())).slot.region().close();
        }
    }

    void closeAll() {
        attached.forEach(a -> a.slot.region().close());
    }

    /** Tells of a node's operations that have ended, unless the node does. @return how many that were */
    int poll(NodeHost host) {
        int work = 0;
        for (Attached a : attached) {
            if (a.host == host && a.polledByWalk) {
                work += a.slot.region().poll(POLL_LIMIT);
            }
        }
        return work;
    }

    /** Whether no operation is under way. */
    boolean areQuiet() {
        return attached.stream().allMatch(a -> a.slot.isQuiet());
    }

    /** Tells of a closed node's operations. @return whether all have ended */
    boolean haveEnded(NodeHost host) {
        List<Attached> those = attached.stream().filter(a -> a.host == host).toList();
        those.forEach(a -> a.slot.region().poll(Integer.MAX_VALUE));
        return those.stream().allMatch(a -> a.slot.isQuiet());
    }

    /** A node has closed. */
    void forget(NodeHost host) {
        attached.removeIf(a -> a.host == host);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        attached.forEach(a -> text.append(a.slot).append("; "));
        return text.toString();
    }
}
