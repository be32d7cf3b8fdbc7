package io.verbena.nic.arbiter;

import org.agrona.concurrent.NanoClock;

/**
 * Flows in turn, a packet a visit: what Palos (II-B) finds a commodity NIC to do. Groups, weights and classes are not looked
 * at, nor is how long a packet is, so that who sends long packets gets more.
 *
 * <p>Where nothing is cut into packets, on mapped memory, a visit is one operation of at most the MTU.
 */
public class PacketRoundRobin extends FlowTurns {
    private final ShareList<Flow> flows = new ShareList<>();
    private final int mtu;

    /** Creates an empty schedule. */
    public PacketRoundRobin(ArbiterSettings settings, int engine, int engines, NanoClock clock) {
        super(settings, engine);
        this.mtu = settings.mtu();
    }

    @Override
    final ShareList<Flow> queue(Flow flow) {
        return flows;
    }

    @Override
    final Flow choose() {
        Flow flow = flows.first();
        if (flow == null) {
            throw new IllegalStateException("no flow waits");
        }
        return flow;
    }

    @Override
    void grant(Flow flow) {
        flow.onePacket = true;
        flow.budget = mtu;
    }

    @Override
    void joined(Flow flow) {
        // All flows are equal.
    }

    @Override
    final void left(Flow flow) {
        // All flows are equal.
    }
}
