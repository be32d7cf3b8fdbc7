package io.verbena.verification.simulate;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A process with a NIC and senders, or the owner's: lives, dies and comes again. Polls completions and events. */
final class AppendHost implements Actor {
    private static final int DEPTH = 512;
    private static final int BATCH = 32;

    private final Simulation simulation;
    private final AppendTally tally;
    final SimNode node;
    private final List<AppendSender> senders = new ArrayList<>();
    private final Map<Integer, AppendSender> byNumber = new HashMap<>();
    private final Map<Integer, AppendModel> models = new HashMap<>();
    private final Set<QueuePair> own = new HashSet<>();
    private Runnable afterDeath = () -> {};
    private @Nullable Life life;

    /** What a process has until it dies. */
    private record Life(
            ProtectionDomain pd,
            CompletionQueue completions,
            MemoryRegion region,
            Simulation.Participant participant) {}

    AppendHost(Simulation simulation, SimNode node, AppendTally tally) {
        this.simulation = simulation;
        this.node = node;
        this.tally = tally;
        node.onKill(this::died);
    }

    void add(AppendSender sender) {
        senders.add(sender);
    }

    void onDeath(Runnable action) {
        afterDeath = action;
    }

    void open() {
        Nic nic = node.nic();
        ProtectionDomain pd = nic.allocateProtectionDomain();
        int bytes = 64;
        for (AppendSender sender : senders) {
            bytes += sender.capacity();
        }
        byNumber.clear();
        models.clear();
        life = new Life(
                pd,
                nic.createCompletionQueue(DEPTH),
                pd.allocate(bytes, Access.LOCAL_WRITE),
                simulation.add(node.name() + ".app", this));
    }

    private Life life() {
        Life present = life;
        if (present == null) {
            throw new IllegalStateException(node.name() + " is down");
        }
        return present;
    }

    boolean isAlive() {
        return life != null;
    }

    ProtectionDomain pd() {
        return life().pd;
    }

    CompletionQueue completions() {
        return life().completions;
    }

    MemoryRegion region() {
        return life().region;
    }

    /** Where a sender's bytes begin in the region. */
    int offset(AppendSender sender) {
        int offset = 0;
        for (AppendSender each : senders) {
            if (each == sender) {
                return offset;
            }
            offset += each.capacity();
        }
        throw new IllegalArgumentException(sender + " is not at " + node.name());
    }

    /** Whose completions come under a queue pair's number. */
    void know(int number, AppendSender sender, AppendModel model) {
        byNumber.put(number, sender);
        models.put(number, model);
    }

    /** Whether a queue pair is of the present life. */
    boolean knows(QueuePair qp) {
        return own.contains(qp);
    }

    /** A queue pair was made in the present life. */
    void owns(QueuePair qp) {
        own.add(qp);
    }

    // ---- life and death ----------------------------------------------------------------------------------------

    void pauseFor(long nanos) {
        Simulation.Participant nic = node.participant();
        if (nic != null && life != null) {
            nic.pauseFor(nanos);
            life().participant.pauseFor(nanos);
        }
    }

    void resume() {
        Simulation.Participant nic = node.participant();
        if (nic != null && life != null) {
            nic.resume();
            life().participant.resume();
        }
    }

    void crash() {
        node.crash();
        died();
    }

    private void died() {
        Life was = life;
        if (was == null) {
            return;
        }
        life = null;
        was.participant.remove();
        own.clear();
        senders.forEach(AppendSender::died);
        afterDeath.run();
    }

    void restart() {
        if (!isAlive()) {
            node.restart();
            open();
        }
    }

    // ---- the application ---------------------------------------------------------------------------------------

    @Override
    public int step() {
        if (life == null) {
            return 0;
        }
        int[] work = new int[1];
        node.act(() -> work[0] = poll());
        return work[0];
    }

    @Override
    public long nextDeadlineNanos() {
        return NO_DEADLINE;
    }

    private int poll() {
        int work = life().completions.poll(this::completed, BATCH);
        if (!node.isAlive()) {
            return work;
        }
        for (AsyncEvent e = node.nic().pollAsyncEvent();
                e != null;
                e = node.nic().pollAsyncEvent()) {
            work++;
            e.acknowledge();
            switch (e.type()) {
                case CQ_ERR:
                case DEVICE_FATAL:
                    throw new WalkFailure(node.name() + ": " + e);
                default:
                    break;
            }
        }
        return work;
    }

    /** Polls until there is nothing. */
    void drain() {
        while (life != null) {
            int[] work = new int[1];
            if (!node.act(() -> work[0] = poll()) || work[0] == 0) {
                return;
            }
        }
    }

    private void completed(Completion c) {
        if (!node.isAlive()) {
            return; // it has died in this poll: nobody hears of it
        }
        node.note(c);
        AppendSender sender = byNumber.get(c.qpNumber());
        AppendModel model = models.get(c.qpNumber());
        if (sender == null || model == null) {
            throw new WalkFailure(node.name() + ": completion of no queue pair: " + c);
        }
        sender.completed(model, c);
    }

    /** What its NIC counted, at the end. */
    void tally() {
        if (node.isAlive()) {
            tally.direct += node.nic().counter(NicCounter.DIRECT_OPERATIONS);
        }
    }

    @Override
    public String toString() {
        return node.toString();
    }
}
