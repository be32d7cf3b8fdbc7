package io.verbena.bench.tenants;

import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.HdrHistogram.Histogram;

/**
 * Tenants of one simulated NIC that send over one link of 100 Gb/s to another NIC; the peer of a {@link Conduct#SILENT}
 * one is a third, over a link of its own whose answers are cut. A run is a function of the seed.
 */
final class SimulatedTenants {
    private static final long NEAR = 1;
    private static final long FAR = 2;
    private static final long MUTE = 3;
    private static final int MTU = 1024;
    private static final int TRACE_LINES = 64;
    private static final int UNITS = 64;
    private static final long TURN_NANOS =
            500; // a tenth of what the link's window holds: coarser, and so faster to simulate
    private static final long NOT_SENT = -1;
    private static final int SHORT_TIMEOUT = 4; // 65 us, so that there are some in a run

    private final Simulation simulation;
    private final SimNode near;
    private final SimNode far;
    private final SimNode mute;
    private final List<TenantSender> senders = new ArrayList<>();
    private final Histogram pings = new Histogram(Sampling.DIGITS);

    /**
     * Brings the NICs and the tenants up.
     *
     * @param seed of all chance
     * @param settings of the sending NIC's arbiter
     * @param tenants all of them
     */
    SimulatedTenants(long seed, ArbiterSettings settings, List<MeasuredTenant> tenants) {
        this(seed, settings, tenants, Ping.NONE);
    }

    /** Likewise, with a ping beside the tenants. */
    SimulatedTenants(long seed, ArbiterSettings settings, List<MeasuredTenant> tenants, Ping ping) {
        simulation = new Simulation(seed, TRACE_LINES);
        SimFabric fabric = new SimFabric(simulation);
        for (long id = NEAR; id <= MUTE; id++) {
            // The link is what is short: units enough, and PCIe a little faster.
            fabric.model(id, new NicModel().units(UNITS).packet(10).pcie(128_000_000_000L));
        }
        int wanted = 16 + tenants.stream().mapToInt(MeasuredTenant::queuePairs).sum();
        int most = Integer.highestOneBit(wanted) << 1;
        near = node(fabric, "near", NEAR, new SimNode.Options().queuePairs(most).arbiter(settings));
        far = node(fabric, "far", FAR, new SimNode.Options().queuePairs(most));
        mute = node(fabric, "mute", MUTE, new SimNode.Options().queuePairs(most));
        link(fabric, far);
        SimConnection deaf = link(fabric, mute);
        simulation.runFor(0);
        for (MeasuredTenant tenant : tenants) {
            add(tenant);
        }
        if (ping != Ping.NONE) {
            add(ping, tenants);
        }
        deaf.cutBToA(true);
    }

    private void add(Ping ping, List<MeasuredTenant> tenants) {
        Pinger asking = new Pinger(near.nic(), ping, tenants);
        Pinger answering = new Pinger(far.nic(), ping, tenants);
        answering.connect(NEAR, asking.address(), new ConnectAttributes().pathMtu(MTU));
        asking.connect(FAR, answering.address(), new ConnectAttributes().pathMtu(MTU));
        long[] sentAt = {NOT_SENT};
        simulation.add("ping", actor(near, () -> {
            if (sentAt[0] != NOT_SENT && !asking.isBack()) {
                return 0;
            }
            if (sentAt[0] != NOT_SENT) {
                pings.recordValue(simulation.nowNanos() - sentAt[0]);
            }
            sentAt[0] = simulation.nowNanos();
            asking.send();
            return 1;
        }));
        simulation.add("ping-answer", actor(far, () -> answering.answer() ? 1 : 0));
    }

    private SimNode node(SimFabric fabric, String name, long id, SimNode.Options options) {
        SimNode made = new SimNode(simulation, fabric, name, id, options);
        Simulation.Participant participant = made.participant();
        if (participant != null) {
            participant.turnCost(TURN_NANOS);
        }
        return made;
    }

    private SimConnection link(SimFabric fabric, SimNode to) {
        return fabric.connect(
                near.name(),
                near.nic().engine(0).endpoint(),
                to.name(),
                to.nic().engine(0).endpoint(),
                LinkProfile.roce100(),
                LinkProfile.roce100());
    }

    private void add(MeasuredTenant tenant) {
        SimNode peer = tenant.conduct() == Conduct.SILENT ? mute : far;
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(MTU);
        if (peer == mute) {
            attributes.timeout(SHORT_TIMEOUT);
        }
        TenantSender sender = new TenantSender(near.nic(), tenant);
        TenantSink sink = new TenantSink(peer.nic(), tenant);
        sink.connect(NEAR, sender.numbers(), attributes);
        if (tenant.conduct() == Conduct.ABSENT) {
            sender.connect(Conduct.NOWHERE, sink.address(), attributes.timeout(0));
        } else {
            sender.connect(peer.nicId(), sink.address(), attributes);
        }
        if (peer == far) {
            sender.onReset((index, number, again) -> sink.reconnect(index, NEAR, number, again));
        }
        senders.add(sender);
        simulation.add(tenant.name(), actor(near, () -> sender.isIdle() ? 0 : sender.turn()));
        if (tenant.verb() != TenantVerb.WRITE) {
            simulation.add(tenant.name() + "-sink", actor(peer, sink::turn));
        }
    }

    private static Actor actor(SimNode node, IntSupplier turn) {
        return new Actor() {
            @Override
            public int step() {
                int[] work = new int[1];
                node.act(() -> work[0] = turn.getAsInt());
                return work[0];
            }

            @Override
            public long nextDeadlineNanos() {
                return NO_DEADLINE;
            }
        };
    }

    /**
     * Runs for a while that is not counted, then for one that is.
     *
     * @return bytes that each tenant put on the wire while it was counted
     */
    long[] run(long warmUpNanos, long nanos) {
        simulation.runFor(warmUpNanos);
        pings.reset();
        long[] bytes = new long[senders.size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = -senders.get(i).statistics().bytes();
        }
        simulation.runFor(nanos);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] += senders.get(i).statistics().bytes();
        }
        return bytes;
    }

    /** Round trips while it was counted, in nanoseconds. */
    Histogram pings() {
        return pings;
    }

    /** One of the tenants. */
    TenantSender sender(int index) {
        return senders.get(index);
    }
}
