package io.verbena.nic.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Who is about to block, and who has work for it: one of the two sees the other (Dekker). */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the sleeper is woken")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the sleeper sees the work and stays awake")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both")
@Outcome(id = "0, 0", expect = FORBIDDEN, desc = "sleeps over work")
@State
public class ParkWordStress {
    private static final int WORK = ControlDescriptor.HEADER_LENGTH + 2 * ControlDescriptor.LINE;

    private final ControlBlock control = ControlBlock.create(new StressMemory(), 1, new ControlLimits(1, 16, 16, 1, 4));

    /** Makes work visible by a release store, then looks whether somebody sleeps. */
    @Actor
    public void worker(II_Result r) {
        control.buffer().putLongRelease(WORK, 1);
        r.r1 = control.isParkedFenced(0) ? 1 : 0;
    }

    /** Says that it will sleep, then looks for work. */
    @Actor
    public void sleeper(II_Result r) {
        control.setParked(0);
        r.r2 = (int) control.buffer().getLongVolatile(WORK);
    }
}
