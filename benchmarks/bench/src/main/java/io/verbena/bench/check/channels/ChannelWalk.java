package io.verbena.bench.check.channels;

import io.verbena.bench.check.channels.ChannelPlan.Feature;
import io.verbena.bench.check.channels.ChannelTally.Event;
import io.verbena.bench.check.channels.SharedChannel.How;
import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.SimTrace;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.verification.walk.SeedCommand;
import io.verbena.verification.walk.WalkFailure;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One seed: a node that sends and one that receives, channels between them that share queue pairs, and steps in which
 * they send, are guilty of something, close and come anew, while the link loses and breaks and nodes crash; then
 * everything heals, and all that is owed comes.
 *
 * <p>For one thread, in virtual time.
 */
final class ChannelWalk implements SeedCommand.SeedWalk {
    private static final long SENDER = 0xA0;
    private static final long RECEIVER = 0xB0;
    private static final long US = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Virtual time in which all that is owed must come. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

    private static final int MOST_AT_A_TIME = 64;
    private static final int MAX_CRASHES = 2;
    private static final int MAX_INBOXES = 24;

    private final ChannelPlan plan;
    private final ChannelTally tally = new ChannelTally();
    private final Simulation simulation;
    private final SimFabric fabric;
    private final SimNode sender;
    private final SimNode receiver;
    private ChannelRig rig;
    private SimConnection link;
    private boolean isCut;
    private boolean isBroken;
    private int crashes;
    private int closedInboxes;

    ChannelWalk(ChannelPlan plan, int traceLines) {
        this.plan = plan;
        simulation = new Simulation(plan.seed(), traceLines);
        fabric = new SimFabric(simulation);
        SimNode.Options options = plan.node();
        sender = new SimNode(simulation, fabric, "sender", SENDER, options);
        receiver = new SimNode(simulation, fabric, "receiver", RECEIVER, options);
        rig = new ChannelRig(plan, tally, sender, receiver);
        link = fabric.connect(
                sender.nic().engine(0).endpoint(), receiver.nic().engine(0).endpoint(), plan.profile());
    }

    ChannelTally tally() {
        return tally;
    }

    @Override
    public SimTrace trace() {
        return simulation.trace();
    }

    /** Runs the seed to its end; any exception is a failure of what is walked, or of the model. */
    @Override
    public void run() {
        begin(plan.stepRandom(-2));
        for (int step = 0; step < plan.steps(); step++) {
            if (!plan.without().get(step)) {
                SimRandom random = plan.stepRandom(step);
                send(random);
                act(random);
                take(random);
                simulation.runFor(random.nextLong(100 * US));
                rig.hear();
                rig.checkQueuePairs();
            }
        }
        SimRandom random = plan.stepRandom(-1);
        settle();
        prove(random);
        end();
        tally.event(Event.WALKS);
        if (plan.channels == ChannelPlan.THOUSAND) {
            tally.event(Event.THOUSANDS);
        }
    }

    private void begin(SimRandom random) {
        simulation.runFor(0);
        slow(sender);
        slow(receiver);
        rig.connect();
        for (int i = 0; i < plan.channels; i++) {
            rig.join(any(rig.inboxes(), random), random);
        }
    }

    private void slow(SimNode node) {
        Simulation.Participant present = node.participant();
        if (present != null) {
            present.turnCost(plan.turnNanos());
        }
    }

    private static <T> T any(List<T> some, SimRandom random) {
        return some.get(random.nextInt(some.size()));
    }

    // ---- steps ------------------------------------------------------------------------------------------------------

    private void send(SimRandom random) {
        for (int i = random.nextInt(Math.min(MOST_AT_A_TIME, 2 * plan.channels)); i >= 0; i--) {
            SharedChannel channel = rig.any(random);
            if (channel != null) {
                for (int j = random.nextInt(4); j >= 0; j--) {
                    post(channel, length(random), random);
                }
                if (random.nextInt(4) != 0) {
                    channel.path.flush();
                }
            }
        }
    }

    private void post(SharedChannel channel, int length, SimRandom random) {
        int how = random.nextInt(8);
        if (how == 0 && channel.post(length, How.AT_ONCE)) {
            tally.event(Event.AT_ONCE);
        } else if (!channel.post(length, how < 4 ? How.ENQUEUE : How.POST)) {
            tally.event(Event.REFUSED);
            return;
        }
        tally.event(Event.SENT);
        if (length > plan.segment) {
            tally.event(Event.LONG);
        }
    }

    private int length(SimRandom random) {
        int kind = random.nextInt(plan.has(Feature.LONG) ? 16 : 13);
        if (kind < 8) {
            return random.nextInt(200);
        }
        if (kind < 11) {
            return random.nextInt(4_000);
        }
        if (kind < 13) {
            return plan.segment - 2 + random.nextInt(4);
        }
        return kind == 13 ? random.nextInt(ChannelPlan.MAX_MESSAGE + 1) : random.nextInt(40_000);
    }

    private void take(SimRandom random) {
        for (WalkedInbox inbox : rig.inboxes()) {
            if (!inbox.stuck && random.nextInt(3) != 0) {
                rig.take(inbox, 1 + random.nextInt(40));
            }
        }
    }

    private void act(SimRandom random) {
        int what = random.nextInt(100);
        if (what < 10) {
            beGuilty(random);
        } else if (what < 16) {
            SharedChannel channel = rig.any(random);
            if (plan.has(Feature.CLOSES) && channel != null) {
                channel.close();
                tally.event(Event.CLOSED);
                sender.note("closes " + channel);
            }
        } else if (what < 24) {
            rig.join(any(rig.inboxes(), random), random);
        } else if (what < 32) {
            stick(random);
        } else if (what < 36) {
            closeInbox(random);
        } else if (what < 40) {
            SharedChannel channel = rig.any(random);
            if (channel != null) {
                channel.path.weight(1 + random.nextInt(8));
            }
        } else if (what < 44) {
            SharedChannel channel = rig.any(random);
            if (channel != null && channel.path.depth() < 256) {
                channel.path.resize(2 * channel.path.depth());
            }
        } else if (what < 62) {
            disturb(random);
        } else if (what < 64) {
            if (plan.has(Feature.CRASHES) && crashes < MAX_CRASHES) {
                crash(random);
            }
        }
    }

    private void beGuilty(SimRandom random) {
        SharedChannel channel = rig.any(random);
        if (channel == null || channel.isGuilty()) {
            return;
        }
        if (random.nextInt(2) == 0) {
            if (plan.has(Feature.WRONG_KEYS) && channel.postWithWrongKey(length(random))) {
                tally.event(Event.WRONG_KEYS);
                sender.note("a wrong key by " + channel);
            }
        } else if (plan.has(Feature.TOO_LONG) && channel.postTooLong()) {
            tally.event(Event.TOO_LONG);
            sender.note("too long a message by " + channel);
        }
    }

    private void stick(SimRandom random) {
        WalkedInbox inbox = any(rig.inboxes(), random);
        if (plan.has(Feature.STUCK_INBOXES)) {
            inbox.stuck = !inbox.stuck;
            if (inbox.stuck) {
                tally.event(Event.STUCK_INBOXES);
            }
            receiver.note(inbox.toString());
        }
    }

    private void closeInbox(SimRandom random) {
        if (!plan.has(Feature.CLOSED_INBOXES) || closedInboxes + plan.inboxes >= MAX_INBOXES) {
            return;
        }
        closedInboxes++;
        rig.close(any(rig.inboxes(), random));
        tally.event(Event.CLOSED_INBOXES);
        if (rig.inboxes().isEmpty() || random.nextInt(2) == 0) {
            rig.openInbox();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                rig.join(rig.inboxes().get(rig.inboxes().size() - 1), random);
            }
        }
    }

    // ---- faults -----------------------------------------------------------------------------------------------------

    private void disturb(SimRandom random) {
        switch (random.nextInt(3)) {
            case 0:
                if (plan.has(Feature.BREAKS) && !isBroken) {
                    isBroken = true;
                    link.breakLink();
                    tally.event(Event.BREAKS);
                    simulation.after(random.nextLong(300 * US), this::reconnect);
                }
                break;
            case 1:
                if (plan.has(Feature.CUTS) && !isCut && !isBroken) {
                    isCut = true;
                    link.cut();
                    tally.event(Event.CUTS);
                    simulation.after(random.nextLong(1500 * US), this::heal);
                }
                break;
            default:
                Simulation.Participant one = (random.nextInt(2) == 0 ? sender : receiver).participant();
                if (plan.has(Feature.PAUSES) && one != null) {
                    one.pauseFor(random.nextLong(500 * US));
                    tally.event(Event.PAUSES);
                }
        }
    }

    private void reconnect() {
        if (isBroken) {
            isBroken = false;
            link.reconnect();
        }
    }

    private void heal() {
        if (isCut) {
            isCut = false;
            link.heal();
        }
    }

    /** One of the nodes is gone; it comes up again, and everything is made anew. */
    private void crash(SimRandom random) {
        crashes++;
        reconnect();
        heal();
        rig.hear();
        countTakenBack();
        rig.isGone();
        ChannelRig old = rig;
        if (random.nextInt(2) == 0) {
            tally.event(Event.RECEIVER_CRASHES);
            receiver.crash();
            until("the failure of queue pairs whose peer has crashed", old::haveSendersFailed);
            old.closeSender();
            receiver.restart();
        } else {
            tally.event(Event.SENDER_CRASHES);
            sender.crash();
            simulation.runFor(10 * MS);
            old.closeReceiver();
            sender.restart();
        }
        simulation.runFor(MS);
        rig = new ChannelRig(plan, tally, sender, receiver);
        begin(random);
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** Nothing stands in the way any more but inboxes that nobody reads: all that is owed to others comes; then all. */
    private void settle() {
        reconnect();
        heal();
        simulation.note("all goes on");
        rig.channels().forEach(c -> c.path.flush());
        if (!rig.isTight()) {
            until("messages to inboxes that are read", rig::areFreeSettled);
        }
        rig.inboxes().forEach(inbox -> inbox.stuck = false);
        until("messages", rig::areFreeSettled);
        until("the end of what is counted", rig::areQuotasFree);
    }

    /** After all that, each channel that is left carries messages. */
    private void prove(SimRandom random) {
        simulation.note("the proof");
        WalkedInbox inbox = any(rig.inboxes(), random);
        rig.join(inbox, random);
        for (SharedChannel channel : rig.channels()) {
            if (channel.isOpen() && !channel.inbox.isClosed()) {
                boolean sent = channel.post(random.nextInt(100), How.POST)
                        && (random.nextInt(8) != 0 || channel.post(length(random), How.POST));
                if (!sent) {
                    throw channel.wrong("takes no message, though it owes none");
                }
            }
        }
        until("messages of the proof", rig::areFreeSettled);
        until("the end of what is counted", rig::areQuotasFree);
    }

    private void end() {
        rig.channels().forEach(SharedChannel::close);
        until("the end of channels", () -> rig.channels().stream().allMatch(c -> c.path.isReleased()));
        rig.checkQueuePairs();
        countTakenBack();
    }

    private void countTakenBack() {
        tally.add(Event.TAKEN_BACK, sender.nic().counter(NicCounter.TAKEN_BACK));
    }

    /** Takes what comes until something holds, which it must in time. */
    private void until(String what, BooleanSupplier condition) {
        long begin = simulation.nowNanos();
        ChannelRig present = rig;
        while (!condition.getAsBoolean()) {
            if (simulation.nowNanos() - begin > PATIENCE) {
                List<SharedChannel> unsettled = present.unsettled();
                throw new WalkFailure("missed " + what + ": " + unsettled.size() + " channels, "
                        + unsettled.subList(0, Math.min(5, unsettled.size())) + "; " + present.state());
            }
            simulation.runFor(MS);
            if (receiver.isAlive()) {
                for (WalkedInbox inbox : present.inboxes()) {
                    if (!inbox.stuck) {
                        present.take(inbox, MOST_AT_A_TIME);
                    }
                }
            }
            present.hear();
        }
    }
}
