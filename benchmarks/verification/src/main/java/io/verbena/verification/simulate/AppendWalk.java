package io.verbena.verification.simulate;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.SimTrace;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.sim.SimulationException;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.RnrTimer;
import io.verbena.verification.simulate.AppendPlan.Feature;
import io.verbena.verification.simulate.AppendTally.Event;
import io.verbena.verification.walk.SeedCommand;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One seed: an owner with an append queue, and senders on NICs of their own; steps that send, stall, break, kill,
 * change and destroy; then everything heals, all that is owed comes, and the queue is as small as it was. Belongs to
 * one thread.
 */
final class AppendWalk implements SeedCommand.SeedWalk {
    static final long MAX_SETTLING = 3_000_000_000L;
    private static final long MICRO = 1_000;
    private static final long FIRST_NIC = 0xB0;
    /** Time for the background thread to look a few times, and give back a chunk each. */
    private static final long SETTLED = 60_000_000;

    private static final int MAX_EPOCHS = 4_000;
    private static final int MAX_STEPS_TO_DEATH = 60;

    private final AppendPlan plan;
    private final Simulation simulation;
    private final SimFabric fabric;
    private final AppendTally tally = new AppendTally();
    private final AppendHost ownerHost;
    private final AppendOwner owner;
    private final List<AppendHost> hosts = new ArrayList<>();
    private final List<SimConnection> links = new ArrayList<>();
    private final List<AppendSender> senders = new ArrayList<>();
    private final List<Trap> traps = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private boolean healed;
    private boolean frozen;
    private int rebirths;

    /** Where the model of a connection is. */
    private record Place(AppendSender sender, int index) {}

    /** Counts a NIC's steps in the owner's memory; at the chosen one it dies or stands still. */
    private final class Trap implements Runnable {
        private final AppendHost host;
        private int left = -1;
        private boolean kills;
        private long nanos;

        Trap(AppendHost host) {
            this.host = host;
        }

        @Override
        public void run() {
            if (left < 0 || frozen || healed || left-- > 0) {
                return;
            }
            if (kills) {
                tally.event(Event.KILLED_DIRECT);
                host.node.note("is killed in an append");
                host.node.kill();
            }
            tally.event(Event.FROZEN_DIRECT);
            host.node.note("stops for " + nanos + " ns in an append");
            frozen = true;
            try {
                simulation.runFor(nanos);
            } finally {
                frozen = false;
            }
            host.node.note("goes on");
        }
    }

    AppendWalk(AppendPlan plan, int traceLines) {
        this.plan = plan;
        simulation = new Simulation(plan.seed(), traceLines);
        fabric = new SimFabric(simulation);
        SimRandom random = simulation.newRandom();
        ownerHost = new AppendHost(
                simulation,
                new SimNode(
                        simulation,
                        fabric,
                        "owner",
                        FIRST_NIC,
                        new SimNode.Options()
                                .allocationNanos(plan.allocationNanos)
                                .sharedReserve(plan.sharedReserve())),
                tally);
        owner = new AppendOwner(simulation, this, plan, ownerHost, tally);
        ownerHost.onDeath(this::ownerDied);
        boolean steps = plan.has(Feature.KILLED_DIRECT) || plan.has(Feature.FROZEN_DIRECT);
        for (int i = 0; i < plan.hosts; i++) {
            long id = FIRST_NIC + 1 + i;
            AppendHost host = new AppendHost(
                    simulation, new SimNode(simulation, fabric, String.valueOf((char) ('a' + i)), id), tally);
            hosts.add(host);
            Trap trap = new Trap(host);
            traps.add(trap);
            if (steps && plan.has(Feature.DIRECT)) {
                fabric.stepper(id, trap);
            }
            host.onDeath(() -> rebirth(host));
            links.add(fabric.connect(
                    host.node.name(),
                    host.node.nic().engine(0).endpoint(),
                    "owner",
                    ownerHost.node.nic().engine(0).endpoint(),
                    plan.profile(),
                    plan.profile()));
        }
        for (int i = 0; i < plan.senders; i++) {
            AppendHost host = hosts.get(i < plan.hosts ? i : random.nextInt(plan.hosts));
            AppendSender sender = new AppendSender(this, plan, host, i, random);
            host.add(sender);
            senders.add(sender);
        }
        ownerHost.open();
        owner.open();
        hosts.forEach(AppendHost::open);
        simulation.runFor(0);
        for (AppendSender sender : senders) {
            sender.connect(random);
        }
    }

    AppendTally tally() {
        return tally;
    }

    @Override
    public SimTrace trace() {
        return simulation.trace();
    }

    SimFabric fabric() {
        return fabric;
    }

    AppendHost owner() {
        return ownerHost;
    }

    @Nullable
    AppendQueue queue() {
        return owner.queue();
    }

    int queueNumber() {
        return owner.number();
    }

    private AppendQueue present() {
        AppendQueue present = owner.queue();
        if (present == null) {
            throw new IllegalStateException("there is no queue now");
        }
        return present;
    }

    int queueId() {
        return present().id();
    }

    int queueKey() {
        return present().key();
    }

    /** Numbers a connection, so that its records tell whose they are. */
    int know(AppendSender sender, int index) {
        places.add(new Place(sender, index));
        if (places.size() > MAX_EPOCHS) {
            throw new IllegalStateException("more than " + MAX_EPOCHS + " connections in one walk");
        }
        return places.size() - 1;
    }

    /** A record was taken. */
    QpType taken(int queue, int qpNumber, int immediate, DirectBuffer b, int offset, int length) {
        int epoch = AppendSender.epochOf(immediate);
        if (epoch >= places.size()) {
            throw new WalkFailure("record of connection " + epoch + ", of which there are " + places.size());
        }
        Place place = places.get(epoch);
        place.sender.model(place.index).taken(AppendSender.sequenceOf(immediate), queue, qpNumber, b, offset, length);
        return place.sender.type;
    }

    void queueGone(int queue) {
        senders.forEach(sender -> sender.queueGone(queue));
    }

    // ---- the walk ----------------------------------------------------------------------------------------------

    /** Runs the seed to its end; any exception is a failure of the NIC, or of the model. */
    @Override
    public void run() {
        for (int step = 0; step < plan.steps(); step++) {
            if (!plan.without().get(step)) {
                step(plan.stepRandom(step));
            }
        }
        heal();
        settle();
        prove();
        owner.close();
        hosts.forEach(AppendHost::tally);
        tally.packets(fabric.counters());
        if (tally.copies > tally.packetsDuplicated()) {
            throw new WalkFailure(
                    tally.copies + " datagrams came twice, " + tally.packetsDuplicated() + " packets were duplicated");
        }
        tally.virtualNanos = simulation.nowNanos();
        tally.walks = 1;
    }

    private void step(SimRandom random) {
        AppendSender sender = senders.get(random.nextInt(senders.size()));
        int what = random.nextInt(100);
        if (what < 60) {
            int messages = 1 + random.nextInt(10);
            for (int i = 0; i < messages; i++) {
                sender.post(random, -1);
            }
        } else if (what < 70) {
            if (plan.has(Feature.STALLS)) {
                owner.stall(random.nextInt(1_500) * MICRO);
            }
        } else if (what < 80) {
            strike(random, sender);
        } else if (what < 90) {
            if (sender.isBroken() || random.nextInt(8) == 0) {
                sender.disconnect(random.nextInt(3) != 0);
                sender.connect(random);
            }
        } else if (what < 95) {
            if (plan.has(Feature.MODIFY)) {
                owner.modify(random);
            }
        } else if (what < 98) {
            if (plan.has(Feature.DESTROY)) {
                owner.destroy(random.nextInt(3) == 0);
                if (random.nextInt(3) != 0) {
                    owner.create();
                }
            }
        } else {
            owner.create();
        }
        simulation.runFor(gap(random));
    }

    private static long gap(SimRandom random) {
        switch (random.nextInt(10)) {
            case 0:
                return random.nextInt(600) * MICRO;
            case 1:
            case 2:
            case 3:
                return random.nextInt(60) * MICRO;
            default:
                return random.nextInt(8_000);
        }
    }

    // ---- faults ------------------------------------------------------------------------------------------------

    private void strike(SimRandom random, AppendSender sender) {
        int which = hosts.indexOf(sender.host);
        SimConnection link = links.get(which);
        switch (random.nextInt(8)) {
            case 0:
                if (plan.has(Feature.CUTS) && !link.isCut() && link.isUp()) {
                    tally.event(Event.CUT);
                    link.cut();
                    simulation.after(random.nextInt(random.nextInt(3) == 0 ? 20_000 : 800) * MICRO, link::heal);
                }
                break;
            case 1:
                if (plan.has(Feature.BREAKS) && link.isUp()) {
                    tally.event(Event.BREAK);
                    link.breakLink();
                    simulation.after((1 + random.nextInt(2_000)) * MICRO, () -> reconnect(which));
                }
                break;
            case 2:
                if (plan.has(Feature.PAUSES)) {
                    tally.event(Event.PAUSE);
                    AppendHost host = random.nextInt(3) == 0 ? ownerHost : sender.host;
                    host.pauseFor((10 + random.nextInt(2_000)) * MICRO);
                }
                break;
            case 3:
                if (plan.has(Feature.CRASHES) && sender.host.isAlive()) {
                    tally.event(Event.CRASH);
                    sender.host.crash();
                }
                break;
            case 4:
                if (plan.has(Feature.OWNER_CRASHES) && ownerHost.isAlive() && random.nextInt(3) == 0) {
                    tally.event(Event.OWNER_CRASH);
                    ownerHost.crash();
                }
                break;
            default:
                arm(which, random);
        }
    }

    private void arm(int which, SimRandom random) {
        boolean kills = random.nextInt(3) == 0;
        if (!plan.has(kills ? Feature.KILLED_DIRECT : Feature.FROZEN_DIRECT)) {
            return;
        }
        Trap trap = traps.get(which);
        trap.left = random.nextInt(MAX_STEPS_TO_DEATH);
        trap.kills = kills;
        trap.nanos = 1L + random.nextInt(random.nextInt(3) == 0 ? 2_000_000 : 30_000);
    }

    private void reconnect(int which) {
        SimConnection link = links.get(which);
        if (!link.isUp() && hosts.get(which).isAlive() && ownerHost.isAlive()) {
            link.reconnect();
        }
    }

    private void rebirth(AppendHost host) {
        long nanos = (20 + plan.stepRandom(1_000_000 + rebirths++).nextInt(1_500)) * MICRO;
        simulation.after(nanos, () -> restart(host));
    }

    private void ownerDied() {
        owner.died();
        senders.forEach(AppendSender::died);
        rebirth(ownerHost);
    }

    private void restart(AppendHost host) {
        if (host.isAlive()) {
            return;
        }
        host.restart();
        if (host == ownerHost) {
            owner.open();
        } else {
            traps.get(hosts.indexOf(host)).left = -1;
        }
    }

    /** Ends all faults: what is cut is whole, what is down is up, nobody stands still, and packets arrive. */
    private void heal() {
        healed = true;
        simulation.note("all faults end");
        for (SimConnection link : links) {
            link.heal();
            link.profiles(p -> p.faultless());
        }
        ownerHost.resume();
        hosts.forEach(AppendHost::resume);
        restart(ownerHost);
        hosts.forEach(this::restart);
        for (int i = 0; i < links.size(); i++) {
            reconnect(i);
        }
        owner.create();
        owner.hurry();
    }

    // ---- the end -----------------------------------------------------------------------------------------------

    private void settle() {
        simulation.runFor(0);
        until("an append hangs", this::isQuietWithoutTheBroken);
        for (AppendSender sender : senders) {
            sender.disconnect(true);
        }
        drained();
    }

    /** What is broken is closed: until then the owner keeps room for the half of a message that it may have sent. */
    private boolean isQuietWithoutTheBroken() {
        boolean quiet = true;
        for (AppendSender sender : senders) {
            if (sender.isBroken()) {
                sender.disconnect(true);
            }
            quiet &= sender.isQuiet();
        }
        return quiet;
    }

    /** Everything owed is taken, holes are closed, and what a backlog has mapped is given back. */
    private void drained() {
        owner.hurry();
        until("messages are missing", () -> senders.stream().allMatch(s -> s.owed(owner.number()) == 0));
        until("the queue is not drained", owner::isEmpty);
        owner.hurry();
        // What was made for a sender is kept until it has come again at the latest.
        long kept = 3 * RnrTimer.MAX_BACK_OFF;
        simulation.runFor(3 * (plan.surplusNanos + plan.holeTimeoutNanos + kept) + SETTLED);
        owner.checkDrained();
    }

    /** After all that, new connections send messages of each kind. */
    private void prove() {
        SimRandom random = simulation.newRandom();
        int[] lengths = {0, 1, 200, plan.chunkLength / 4};
        for (AppendSender sender : senders) {
            sender.connectPatiently(random);
            if (!sender.isConnected()) {
                throw new WalkFailure(sender + " in the proof");
            }
        }
        for (int length : lengths) {
            for (AppendSender sender : senders) {
                sender.post(random, Math.min(length, plan.maxMessage));
            }
        }
        senders.get(0).post(random, plan.maxMessage);
        until("an append hangs in the proof", () -> senders.stream().allMatch(AppendSender::isQuiet));
        for (AppendSender sender : senders) {
            if (sender.isBroken()) {
                throw new WalkFailure(sender + ": broken in the proof");
            }
            sender.disconnect(true);
        }
        drained();
    }

    private void until(String complaint, BooleanSupplier condition) {
        try {
            simulation.runUntil(condition, MAX_SETTLING);
        } catch (SimulationException e) {
            StringBuilder text = new StringBuilder(complaint);
            AppendQueue queue = owner.queue();
            text.append(": ").append(queue == null ? "no queue" : queue.query());
            for (AppendSender sender : senders) {
                text.append("; ").append(sender);
            }
            throw new IllegalStateException(text + ": " + e.getMessage(), e);
        }
    }
}
