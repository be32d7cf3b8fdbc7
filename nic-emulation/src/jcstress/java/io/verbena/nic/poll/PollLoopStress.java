package io.verbena.nic.poll;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.nic.port.PollStrategy.Step;
import io.verbena.nic.queue.CompletionRing;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Arm, poll once more, block: a poller that blocks over an entry has an event for it. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the entry was found, and no event was asked for in time")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "the entry was found after arming, and raised the event too")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "blocked, and woken by the event")
@Outcome(id = "0, 0", expect = FORBIDDEN, desc = "blocked over an entry: a lost wake-up")
@State
public class PollLoopStress implements PollLoop.Source {
    private final CompletionRing ring = new CompletionRing(1, 4);
    private final PollLoop loop =
            new PollLoop(this, Polling.adaptive().retries(1).evenIfCoresAreShort(), new WaitCounters());
    private final long before = ring.events();
    private int found;

    @Override
    public int poll(int limit) {
        if (ring.front() < 0) {
            return 0;
        }
        ring.pop();
        ring.release();
        found++;
        return 1;
    }

    @Override
    public void arm() {
        ring.arm(false);
    }

    /** Completes a request, and raises the event at the end of its turn. */
    @Actor
    public void engine() {
        ring.offer(1, 0, 0, 0, 0, 0, 0, 0, 0);
        ring.noteOffered(false);
        VarHandle.fullFence();
        ring.fire();
    }

    /** Steps until it has found something or is about to block. */
    @Actor
    public void poller() {
        while (found == 0 && loop.step() != Step.SLEEP) {
            Thread.onSpinWait();
        }
    }

    /** What became of it. */
    @Arbiter
    public void outcome(II_Result r) {
        r.r1 = found;
        r.r2 = ring.events() == before ? 0 : 1;
    }
}
