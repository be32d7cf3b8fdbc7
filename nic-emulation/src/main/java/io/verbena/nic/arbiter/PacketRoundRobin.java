package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * Packet round robin, what a commodity NIC does: groups in turn, in each group flows in turn, a quantum of bytes a visit.
 * Byte deficits carry what a visit overshot to the next (Shreedhar and Varghese, deficit round robin), so equal flows get
 * equal bytes whatever their packet sizes. A flow that is alone is not sliced: it gets a long budget.
 */
public final class PacketRoundRobin implements Arbiter {
    private static final int ALONE_BUDGET = 256 * 1024;

    private final int quantum;
    private @Nullable FlowGroup headGroup;
    private @Nullable FlowGroup tailGroup;
    private int scheduled;

    /**
     * Creates an empty schedule.
     *
     * @param quantum bytes a visit, at least 1
     */
    public PacketRoundRobin(int quantum) {
        if (quantum < 1) {
            throw new IllegalArgumentException("quantum " + quantum + " < minimum 1");
        }
        this.quantum = quantum;
    }

    @Override
    public void active(Flow flow) {
        if (!flow.scheduled) {
            flow.scheduled = true;
            scheduled++;
            FlowGroup group = flow.group;
            group.addLast(flow);
            if (!group.scheduled) {
                addLast(group);
            }
        }
    }

    @Override
    public void idle(Flow flow) {
        flow.deficit = 0;
    }

    @Override
    public void blocked(Flow flow) {
        // Its deficit stays: a flow that waits for a link has earned it.
    }

    @Override
    public @Nullable Flow next() {
        FlowGroup group = headGroup;
        if (group == null) {
            return null;
        }
        while (true) {
            removeFirst();
            Flow flow = group.removeFirst();
            if (flow == null) {
                throw new IllegalStateException("a scheduled group has no flow");
            }
            boolean alone = scheduled == 1;
            flow.deficit = alone ? ALONE_BUDGET : Math.min(flow.deficit, quantum) + quantum;
            if (flow.deficit > 0) {
                flow.scheduled = false;
                scheduled--;
                if (!group.isEmpty()) {
                    addLast(group);
                }
                flow.budget = (int) flow.deficit;
                return flow;
            }
            group.addLast(flow);
            addLast(group);
            group = headGroup;
            if (group == null) {
                throw new IllegalStateException("the schedule lost its groups");
            }
        }
    }

    @Override
    public boolean nextAlone(Flow flow) {
        if (headGroup != null) {
            return false;
        }
        flow.deficit = ALONE_BUDGET;
        flow.budget = ALONE_BUDGET;
        return true;
    }

    @Override
    public void charge(Flow flow, int bytes) {
        flow.deficit -= bytes;
        flow.group.bytes += bytes;
    }

    @Override
    public boolean hasActive() {
        return headGroup != null;
    }

    private void addLast(FlowGroup group) {
        group.scheduled = true;
        group.nextGroup = null;
        if (tailGroup == null) {
            headGroup = group;
        } else {
            tailGroup.nextGroup = group;
        }
        tailGroup = group;
    }

    private void removeFirst() {
        FlowGroup group = headGroup;
        if (group != null) {
            group.scheduled = false;
            headGroup = group.nextGroup;
            group.nextGroup = null;
            if (headGroup == null) {
                tailGroup = null;
            }
        }
    }
}
