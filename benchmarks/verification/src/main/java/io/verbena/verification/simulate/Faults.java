package io.verbena.verification.simulate;

import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.Simulation;
import io.verbena.verification.simulate.WalkPlan.Feature;
import java.util.ArrayList;
import java.util.List;

/** Makes things go wrong, and right again after a while; counts what it did. */
final class Faults {
    private static final long MICRO = 1_000L;
    private static final long MIN_REBIRTH = 20 * MICRO;
    private static final int REBIRTH_RANGE = 1_500;
    private static final int MAX_STEPS_TO_DEATH = 120;

    private final WalkPlan plan;
    private final Simulation simulation;
    private final SimFabric fabric;
    private final List<SimulatedHost> hosts;
    private final List<Wire> wires;
    private final List<Pair> pairs;
    private final WalkTally tally;
    private final List<Trap> traps = new ArrayList<>();
    private boolean healed;
    private boolean frozen;
    private int names;

    /** Counts a host's steps in its peers' memory; at the chosen one it dies or stands still. */
    private final class Trap implements Runnable {
        private final SimulatedHost host;
        private int left = -1;
        private boolean kills;
        private long nanos;

        Trap(SimulatedHost host) {
            this.host = host;
        }

        @Override
        public void run() {
            if (left < 0 || frozen || healed || left-- > 0) {
                return;
            }
            if (kills) {
                tally.fault(Fault.KILLED_DIRECT);
                host.node.note("is killed in a direct operation");
                host.node.kill();
            }
            tally.fault(Fault.FROZEN_DIRECT);
            host.node.note("stops for " + nanos + " ns in a direct operation");
            outage(host, nanos);
            frozen = true;
            try {
                simulation.runFor(nanos);
            } finally {
                frozen = false;
            }
            host.node.note("goes on");
        }
    }

    Faults(
            WalkPlan plan,
            Simulation simulation,
            SimFabric fabric,
            List<SimulatedHost> hosts,
            List<Wire> wires,
            List<Pair> pairs,
            WalkTally tally) {
        this.plan = plan;
        this.simulation = simulation;
        this.fabric = fabric;
        this.hosts = hosts;
        this.wires = wires;
        this.pairs = pairs;
        this.tally = tally;
        boolean steps =
                plan.has(Feature.DIRECT) && (plan.has(Feature.KILLED_DIRECT) || plan.has(Feature.FROZEN_DIRECT));
        for (SimulatedHost host : hosts) {
            Trap trap = new Trap(host);
            traps.add(trap);
            if (steps) {
                fabric.stepper(host.node.nicId(), trap);
            }
            host.onDeath(() -> died(host));
        }
    }

    /** Lets one of the plan's faults happen, near a connection. */
    void strike(SimRandom random, Pair pair) {
        Wire wire = pair.wire();
        SimulatedHost host = random.nextInt(2) == 0 ? pair.a.host : pair.b.host;
        switch (random.nextInt(9)) {
            case 0:
                if (plan.has(Feature.CUTS)) {
                    cut(wire, random, Fault.SHORT_CUT);
                }
                break;
            case 1:
                if (plan.has(Feature.CUTS)) {
                    cut(wire, random, random.nextInt(2) == 0 ? Fault.LONG_CUT : Fault.ONE_WAY_CUT);
                }
                break;
            case 2:
                if (plan.has(Feature.PARTITIONS)) {
                    partition(random);
                }
                break;
            case 3:
                if (plan.has(Feature.BREAKS)) {
                    breakLink(wire, random);
                }
                break;
            case 4:
                if (plan.has(Feature.PAUSES)) {
                    pause(host, random);
                }
                break;
            case 5:
                if (plan.has(Feature.CRASHES)) {
                    crash(host);
                }
                break;
            case 6:
            case 7:
                arm(host, random);
                break;
            default:
                if (plan.has(Feature.WEATHER)) {
                    weather(wire, random);
                }
        }
    }

    /** The least that a request on a link lasts without an answer. */
    private long budget(Wire wire) {
        long least = Long.MAX_VALUE;
        for (Pair pair : pairs) {
            if (pair.wire() == wire) {
                least = Math.min(least, pair.budgetNanos());
            }
        }
        return least;
    }

    private void cut(Wire wire, SimRandom random, Fault fault) {
        long now = simulation.nowNanos();
        long budget = budget(wire);
        boolean brief = fault == Fault.SHORT_CUT;
        long nanos = brief ? budget / 8 + random.nextLong(budget / 4) : budget * 2 + random.nextLong(budget * 2);
        SimConnection connection = wire.connection;
        if (connection.isCut() || !connection.isUp()) {
            return;
        }
        tally.fault(fault);
        if (brief) {
            wire.outShortly(now + nanos);
        } else {
            wire.out(now + nanos);
        }
        if (fault == Fault.ONE_WAY_CUT) {
            if (random.nextInt(2) == 0) {
                connection.cutAToB(true);
            } else {
                connection.cutBToA(true);
            }
        } else {
            connection.cut();
        }
        simulation.after(nanos, connection::heal);
    }

    private void partition(SimRandom random) {
        long now = simulation.nowNanos();
        int side = 1 + random.nextInt((1 << hosts.size()) - 2);
        long[] nics = hosts.stream()
                .filter(h -> (side >> hosts.indexOf(h) & 1) != 0)
                .mapToLong(h -> h.node.nicId())
                .toArray();
        long nanos = (50 + random.nextInt(3_000)) * MICRO;
        for (Wire wire : wires) {
            if ((side >> hosts.indexOf(wire.a) & 1) != (side >> hosts.indexOf(wire.b) & 1)) {
                noteOutage(wire, now, nanos);
            }
        }
        tally.fault(Fault.PARTITION);
        String name = "p" + names++;
        fabric.partition(name, nics);
        simulation.after(nanos, () -> fabric.heal(name));
    }

    private void noteOutage(Wire wire, long now, long nanos) {
        long budget = budget(wire);
        if (nanos > budget / 3) {
            wire.out(now + nanos);
        } else {
            wire.outShortly(now + nanos);
        }
    }

    private void outage(SimulatedHost host, long nanos) {
        for (Wire wire : wires) {
            if (wire.touches(host)) {
                noteOutage(wire, simulation.nowNanos(), nanos);
            }
        }
    }

    private void breakLink(Wire wire, SimRandom random) {
        if (!wire.connection.isUp()) {
            return;
        }
        tally.fault(Fault.BREAK);
        long nanos = (1 + random.nextInt(2_000)) * MICRO;
        noteOutage(wire, simulation.nowNanos(), nanos);
        simulation.note("link " + wire.a.name() + '-' + wire.b.name() + " broken");
        wire.connection.breakLink();
        simulation.after(nanos, () -> reconnect(wire));
    }

    private static void reconnect(Wire wire) {
        if (!wire.connection.isUp() && wire.a.isAlive() && wire.b.isAlive()) {
            wire.connection.reconnect();
        }
    }

    private void pause(SimulatedHost host, SimRandom random) {
        if (!host.isAlive()) {
            return;
        }
        tally.fault(Fault.PAUSE);
        long nanos = (10 + random.nextInt(2_000)) * MICRO;
        outage(host, nanos);
        host.pauseFor(nanos);
    }

    private void crash(SimulatedHost host) {
        if (host.isAlive()) {
            tally.fault(Fault.CRASH);
            host.crash();
        }
    }

    /** A host has died, by a fault or in the middle of a step: it comes again. */
    private void died(SimulatedHost host) {
        long nanos = MIN_REBIRTH + plan.stepRandom(names++).nextInt(REBIRTH_RANGE) * MICRO;
        for (Wire wire : wires) {
            if (wire.touches(host)) {
                wire.dead(simulation.nowNanos() + nanos);
            }
        }
        simulation.after(nanos, () -> restart(host));
    }

    private void restart(SimulatedHost host) {
        if (host.isAlive()) {
            return;
        }
        traps.get(hosts.indexOf(host)).left = -1;
        for (Wire wire : wires) {
            if (wire.touches(host)) {
                wire.dead(simulation.nowNanos());
            }
        }
        host.restart();
    }

    private void arm(SimulatedHost host, SimRandom random) {
        boolean kills = random.nextInt(3) == 0;
        if (!plan.has(kills ? Feature.KILLED_DIRECT : Feature.FROZEN_DIRECT)) {
            return;
        }
        Trap trap = traps.get(hosts.indexOf(host));
        trap.left = random.nextInt(MAX_STEPS_TO_DEATH);
        trap.kills = kills;
        trap.nanos = 1L + random.nextInt(random.nextInt(4) == 0 ? 2_000_000 : 30_000);
    }

    private void weather(Wire wire, SimRandom random) {
        tally.fault(Fault.WEATHER);
        SimConnection c = wire.connection;
        c.a().profile().rate((5L + random.nextInt(96)) * 1_000_000_000L).delay(100 + random.nextInt(20_000));
        c.b().profile().rate((5L + random.nextInt(96)) * 1_000_000_000L).delay(100 + random.nextInt(20_000));
        simulation.note("weather " + wire.a.name() + '-' + wire.b.name());
    }

    /** Ends all faults: what is cut is whole, what is down is up, nobody stands still, and packets arrive. */
    void heal() {
        healed = true;
        simulation.note("all faults end");
        for (int i = 0; i < names; i++) {
            fabric.heal("p" + i);
        }
        for (Wire wire : wires) {
            wire.connection.heal();
            wire.connection.profiles(p -> p.faultless());
            wire.heal(simulation.nowNanos());
        }
        for (SimulatedHost host : hosts) {
            host.resume();
            restart(host);
        }
        for (Wire wire : wires) {
            reconnect(wire);
        }
    }
}
