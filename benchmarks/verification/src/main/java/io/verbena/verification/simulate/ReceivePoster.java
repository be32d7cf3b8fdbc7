package io.verbena.verification.simulate;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.Pattern;
import io.verbena.verification.walk.WalkFailure;

/** Posts receives, to queue pairs and to the queue that a host's share. */
final class ReceivePoster {
    private final WalkPlan plan;
    private final WalkTally tally;

    ReceivePoster(WalkPlan plan, WalkTally tally) {
        this.plan = plan;
        this.tally = tally;
    }

    /** Posts a receive: mostly long enough; some are short or bad where flaws are wanted. */
    void post(PairEnd end, SimRandom random, boolean plain) {
        QueuePair qp = end.qp;
        if (qp == null || !end.isPresent()) {
            return;
        }
        if (end.shares) {
            if (random.nextInt(10) == 0) {
                refused(end, qp);
            }
            boolean trap = !plain && plan.has(WalkPlan.Feature.FLAWS) && random.nextInt(60) == 0;
            end.host.shared().post(trap ? random.nextInt(600) : end.host.slot, trap && random.nextInt(3) == 0);
            return;
        }
        DirectionModel channel = end.incoming();
        if (channel.receives.size() >= PairEnd.SLOTS) {
            return; // its slot may be in use
        }
        int sequence = end.nextReceive;
        int slot = sequence % PairEnd.SLOTS;
        boolean flaws = !plain && plan.has(WalkPlan.Feature.FLAWS);
        boolean bad = flaws && random.nextInt(150) == 0;
        int length = flaws && random.nextInt(40) == 0 ? random.nextInt(600) : end.host.slot;
        int at = end.receiveSlot(slot);
        Pattern.guard(end.host.memory().local(), at, end.host.slot);
        DirectionModel.Receive v = DirectionModel.Receive.of(end.host, sequence, at, length, bad && length > 0);
        int key = v.bad() ? ModelRequestEncoder.BAD_KEY : end.host.memory().localKey();
        end.nextReceive++;
        channel.posted(v);
        PostResult[] result = new PostResult[1];
        end.host.node.act(() -> result[0] = qp.postReceive((long) end.number() << 32 | sequence, key, at, length));
        if (result[0] == PostResult.QUEUE_FULL) {
            throw new WalkFailure(end + ": receive queue full with " + channel.receives.size() + " posted");
        }
    }

    /** A queue pair on a shared receive queue refuses receives of its own. */
    private void refused(PairEnd end, QueuePair qp) {
        try {
            qp.postReceive(-5, end.host.memory().localKey(), 0, 8);
        } catch (IllegalStateException e) {
            tally.add(Event.REFUSALS);
            return;
        }
        throw new WalkFailure(end + ": took a receive of its own, beside its shared queue");
    }
}
