package io.verbena.verification.simulate;

import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.SimTrace;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.verification.simulate.WalkPlan.Feature;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.SeedCommand;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayList;
import java.util.List;

/**
 * One seed: hosts, links and connections; steps that post, break and mend; then everything heals, and what was asked
 * for must be done, or have been refused, as the model says. Belongs to one thread.
 */
final class Walk implements SeedCommand.SeedWalk {
    private static final long MICRO = 1_000L;
    private static final long MILLI = 1_000_000L;
    private static final long FIRST_NIC = 0xA0;
    private static final long MAX_SETTLING = 3_000 * MILLI;
    private static final long HOLE_TIMEOUT = 300 * MICRO;

    private final WalkPlan plan;
    private final Simulation simulation;
    private final SimFabric fabric;
    private final WalkTally tally = new WalkTally();
    private final List<SimulatedHost> hosts = new ArrayList<>();
    private final List<Wire> wires = new ArrayList<>();
    private final List<Pair> pairs = new ArrayList<>();
    private final Poster poster;
    private final WindowSteps windows;
    private final ReceivePoster receives;
    private final RefusedPosts refused;
    private final Faults faults;

    Walk(WalkPlan plan, int traceLines) {
        this.plan = plan;
        simulation = new Simulation(plan.seed(), traceLines);
        fabric = new SimFabric(simulation);
        poster = new Poster(plan, tally);
        windows = new WindowSteps(plan, poster);
        receives = new ReceivePoster(plan, tally);
        refused = new RefusedPosts(tally);
        SimRandom random = simulation.newRandom();
        for (int i = 0; i < plan.hosts; i++) {
            long id = FIRST_NIC + i;
            if (plan.has(Feature.SILICON)) {
                fabric.model(id, plan.model());
            }
            SimNode node = new SimNode(simulation, fabric, String.valueOf((char) ('a' + i)), id);
            hosts.add(new SimulatedHost(
                    simulation,
                    node,
                    tally,
                    new AppendQueueAttributes()
                            .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                            .reserveChunks(1)
                            .maxMessage(plan.maxMessage)
                            .holeTimeoutNanos(HOLE_TIMEOUT)
                            .surplusNanos(MILLI),
                    plan.most + PairEnd.GUARD));
        }
        faults = new Faults(plan, simulation, fabric, hosts, wires, pairs, tally);
        for (int i = 0; i < plan.pairs; i++) {
            SimulatedHost a;
            SimulatedHost b;
            if (i < plan.hosts - 1) {
                a = hosts.get(random.nextInt(i + 1)); // a tree first, so that no host is left alone
                b = hosts.get(i + 1);
            } else {
                int first = random.nextInt(plan.hosts);
                a = hosts.get(first);
                b = hosts.get((first + 1 + random.nextInt(plan.hosts - 1)) % plan.hosts);
            }
            pairs.add(new Pair(a, b, wire(a, b), random, tally));
        }
        for (SimulatedHost host : hosts) {
            host.open();
        }
        simulation.runFor(0);
        for (Pair pair : pairs) {
            pair.connect(random, simulation.nowNanos());
        }
    }

    private Wire wire(SimulatedHost a, SimulatedHost b) {
        for (Wire wire : wires) {
            if (wire.touches(a) && wire.touches(b)) {
                return wire;
            }
        }
        SimConnection connection = fabric.connect(
                a.name(),
                a.node.nic().engine(0).endpoint(),
                b.name(),
                b.node.nic().engine(0).endpoint(),
                plan.profile(),
                plan.profile());
        Wire wire = new Wire(connection, a, b, plan.isLossy(), plan.duplication > 0);
        wires.add(wire);
        return wire;
    }

    /** What happened; complete when {@link #run} has returned. */
    WalkTally tally() {
        return tally;
    }

    /** The links, for a test that plants a mistake there. */
    SimFabric fabric() {
        return fabric;
    }

    @Override
    public SimTrace trace() {
        return simulation.trace();
    }

    /** Runs the seed to its end; any exception is a failure of the NIC, or of the model. */
    @Override
    public void run() {
        for (int step = 0; step < plan.steps(); step++) {
            if (!plan.without().get(step)) {
                step(plan.stepRandom(step));
            }
        }
        faults.heal();
        settle();
        prove();
        for (SimulatedHost host : hosts) {
            host.check(true);
        }
        tally.packets(fabric.counters());
        if (tally.count(Event.COPIES) > tally.count(Event.PACKETS_DUPLICATED)) {
            throw new WalkFailure(tally.count(Event.COPIES) + " datagrams arrived twice, "
                    + tally.count(Event.PACKETS_DUPLICATED) + " packets were duplicated");
        }
        tally.virtualNanos = simulation.nowNanos();
        tally.walks = 1;
    }

    private void step(SimRandom random) {
        Pair pair = pairs.get(random.nextInt(pairs.size()));
        PairEnd end = random.nextInt(2) == 0 ? pair.a : pair.b;
        int what = random.nextInt(100);
        if (what < 75 && pair.isBroken() && random.nextInt(4) != 0) {
            what = 85; // most of what is posted there would only be flushed
        }
        if (what < 55) {
            int requests = 1 + random.nextInt(6);
            if (requests > 3 && random.nextInt(3) == 0) {
                poster.postBatch(end, requests, random);
                requests = 0;
            }
            for (int i = 0; i < requests; i++) {
                poster.post(end, random);
            }
            windows.next(end, random);
        } else if (what < 75) {
            int wanted = 1 + random.nextInt(12);
            for (int i = 0; i < wanted; i++) {
                receives.post(end, random, false);
            }
            if (end.isPresent() && random.nextInt(3) == 0) {
                end.host.shared().disturb(random);
            }
        } else if (what < 82) {
            faults.strike(random, pair);
        } else if (what < 90) {
            mend(pair, random);
        } else if (what < 92) {
            refused.malformed(end, random);
            windows.next(end, random);
            poster.abortBatch(end, random.nextInt(4));
            end.host.resize(random);
            if (plan.has(Feature.REGIONS) && end.isPresent()) {
                if (random.nextInt(2) == 0) {
                    end.host.moveLocal();
                } else if (!plan.has(Feature.DIRECT)) { // who reaches in directly is waited for
                    end.host.moveTarget();
                }
            }
        } else if (what < 96) {
            if (plan.has(Feature.LAZY)) {
                end.host.lazyUntil = simulation.nowNanos() + random.nextInt(500) * MICRO;
            }
        } else {
            control(end, random);
        }
        simulation.runFor(gap(random));
    }

    private static long gap(SimRandom random) {
        switch (random.nextInt(10)) {
            case 0:
                return random.nextInt(400) * MICRO;
            case 1:
            case 2:
            case 3:
            case 4:
                return random.nextInt(40) * MICRO;
            default:
                return random.nextInt(5_000);
        }
    }

    /** Tears a connection down and makes it anew: mostly one that is broken. */
    private void mend(Pair pair, SimRandom random) {
        boolean broken = pair.isBroken();
        if (!broken && random.nextInt(10) != 0) {
            return;
        }
        pair.disconnect(random.nextInt(4) != 0);
        if (pair.a.host.isAlive() && pair.b.host.isAlive()) {
            pair.connect(random, simulation.nowNanos());
        }
    }

    /** What the application may do to its queue pair. */
    private void control(PairEnd end, SimRandom random) {
        QueuePair qp = end.qp;
        if (qp == null || !end.isPresent()) {
            return;
        }
        if (random.nextInt(2) == 0) {
            end.reopenHandles();
        }
        QpState state = qp.state();
        if (state == QpState.SQD) {
            moveUnlessBroken(end, qp, QpState.RTS);
        } else if (state == QpState.RTS) {
            if (random.nextInt(4) == 0) {
                end.forced = true;
                move(end, qp, QpState.ERR);
            } else {
                moveUnlessBroken(end, qp, QpState.SQD);
            }
        } else if (state == QpState.SQE) {
            end.host.drain(); // what was flushed comes before what is posted from here on
            end.outgoing().resumed();
            tally.add(Event.RESUMES);
            moveUnlessBroken(end, qp, QpState.RTS);
        } else if (state == QpState.ERR) {
            refuseMove(end, qp);
        }
    }

    private static void move(PairEnd end, QueuePair qp, QpState to) {
        end.host.node.act(() -> qp.modify(new QpAttributes().state(to)));
    }

    /** Moves a queue pair that works; what it had not seen yet, its peer's death for instance, may be quicker. */
    private void moveUnlessBroken(PairEnd end, QueuePair qp, QpState to) {
        try {
            move(end, qp, to);
        } catch (IllegalStateException e) {
            if (qp.state() != QpState.ERR) {
                throw e;
            }
            tally.add(Event.REFUSALS);
        }
    }

    private void refuseMove(PairEnd end, QueuePair qp) {
        try {
            move(end, qp, QpState.RTS);
        } catch (IllegalStateException e) {
            tally.add(Event.REFUSALS);
            return;
        }
        throw new WalkFailure(end + ": went from ERR to RTS");
    }

    // ---- the end -----------------------------------------------------------------------------------------------

    /** Everything that was posted ends, now that nothing is in its way; then each connection's account is settled. */
    private void settle() {
        for (SimulatedHost host : hosts) {
            host.lazyUntil = 0;
            host.refills = true;
        }
        simulation.runFor(0);
        SimRandom random = simulation.newRandom();
        for (Pair pair : pairs) {
            resume(pair.a, random);
            resume(pair.b, random);
        }
        until("a request hangs", this::isQuiet);
        for (Pair pair : pairs) {
            pair.disconnect(true);
        }
    }

    private void resume(PairEnd end, SimRandom random) {
        QueuePair qp = end.qp;
        if (qp == null || !end.isPresent()) {
            return;
        }
        if (qp.state() == QpState.SQD) {
            moveUnlessBroken(end, qp, QpState.RTS);
        }
        while (end.isPresent() && !end.shares && end.incoming().receives.size() < PairEnd.SLOTS) {
            receives.post(end, random, true);
        }
    }

    private boolean isQuiet() {
        for (Pair pair : pairs) {
            if (pair.isConnected()
                    && ((pair.a.isPresent() && !pair.a.outgoing().isQuiet())
                            || (pair.b.isPresent() && !pair.b.outgoing().isQuiet()))) {
                return false;
            }
        }
        return true;
    }

    private boolean isDelivered() {
        for (Pair pair : pairs) {
            if (!isDelivered(pair.a.outgoing()) || !isDelivered(pair.b.outgoing())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDelivered(DirectionModel channel) {
        return !(channel instanceof UnreliableChannel unreliable) || unreliable.isDelivered();
    }

    private void until(String complaint, java.util.function.BooleanSupplier condition) {
        try {
            simulation.runUntil(condition, MAX_SETTLING);
        } catch (io.verbena.nic.sim.SimulationException e) {
            StringBuilder text = new StringBuilder(complaint);
            for (Pair pair : pairs) {
                for (PairEnd end : List.of(pair.a, pair.b)) {
                    text.append("; ").append(end).append(' ').append(end.qp).append(' ');
                    text.append(end.outgoing().outstanding);
                }
            }
            throw new IllegalStateException(text + ": " + e.getMessage(), e);
        }
    }

    /** Datagrams with a wrong Q_Key, each of which must be counted, and nothing else come of it. */
    private void proveKeys(SimRandom random) {
        for (Pair pair : pairs) {
            for (PairEnd end : List.of(pair.a, pair.b)) {
                if (pair.type == QpType.UD) {
                    SimulatedHost target = pair.peer(end).host;
                    long before = target.node.nic().counter(NicCounter.QKEY_VIOLATIONS);
                    poster.post(end, PostedVerb.SEND, RequestFlaw.QKEY, random);
                    until(
                            "a wrong Q_Key is not counted",
                            () -> target.node.nic().counter(NicCounter.QKEY_VIOLATIONS) == before + 1);
                }
            }
        }
    }

    /** After all that, new connections do each verb without a fault. */
    private void prove() {
        SimRandom random = simulation.newRandom();
        for (SimulatedHost host : hosts) {
            host.shared().renew();
        }
        for (Pair pair : pairs) {
            pair.connect(random, simulation.nowNanos());
            for (PairEnd end : List.of(pair.a, pair.b)) {
                for (int i = 0; i < PairEnd.SLOTS; i++) {
                    receives.post(end, random, true);
                }
            }
        }
        for (PostedVerb verb : PostedVerb.values()) {
            for (Pair pair : pairs) {
                if (verb.isOfWindow()) {
                    continue;
                }
                poster.prove(pair.a, verb, random);
                poster.prove(pair.b, verb, random);
            }
        }
        until("a request hangs in the proof", this::isQuiet);
        for (Pair pair : pairs) {
            if (pair.isBroken()) {
                throw new WalkFailure(pair + ": broken in the proof");
            }
        }
        until("records are missing", () -> hosts.stream().noneMatch(SimulatedHost::owesRecords));
        until("unreliable messages are missing", this::isDelivered);
        proveKeys(random);
        for (Pair pair : pairs) {
            pair.disconnect(true);
        }
    }
}
