package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/** Flows that share one entitlement: a tenant. Its fields are the arbiter's, used under the engine's baton. */
public final class FlowGroup {
    @Nullable
    FlowGroup nextGroup;

    @Nullable
    Flow head;

    @Nullable
    Flow tail;

    boolean scheduled;
    long bytes;

    /** Bytes charged to the group since it was created. */
    public long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return head == null;
    }

    void addLast(Flow flow) {
        flow.nextInGroup = null;
        if (tail == null) {
            head = flow;
        } else {
            tail.nextInGroup = flow;
        }
        tail = flow;
    }

    @Nullable
    Flow removeFirst() {
        Flow flow = head;
        if (flow != null) {
            head = flow.nextInGroup;
            flow.nextInGroup = null;
            if (head == null) {
                tail = null;
            }
        }
        return flow;
    }
}
