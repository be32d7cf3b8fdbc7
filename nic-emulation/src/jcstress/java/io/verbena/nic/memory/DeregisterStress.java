package io.verbena.nic.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A direct initiator against the end of the region that it writes to. */
public class DeregisterStress {
    private static final ControlLimits LIMITS = new ControlLimits(1, 16, 16, 1, 4);

    /** The region's memory is not given away while an initiator that found the key valid is in it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "in flight, and the memory is set aside")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "the key was found invalid")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the key was found invalid, the slot was seen all the same")
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "in flight in memory that was given away")
    @State
    public static class InFlight {
        private final StressMemory memory = new StressMemory();
        private final ControlBlock control = ControlBlock.create(memory, 1, LIMITS);
        private final MemoryTable table = new MemoryTable(control, System::nanoTime, 0);
        private final MemoryRegion region;
        private final RemoteKeys keys = new RemoteKeys(control, new OwnMemory(memory));

        /** Registers the region. */
        public InFlight() {
            var segment = memory.allocate(64);
            region = table.register(segment.buffer(), segment.id(), 0, 64, Access.ALL, 1);
            control.setQpWord(0, QueuePairWord.pack(3, Access.ALL, 0, 1));
        }

        /** Says what it is about to do, then looks at the key; does not come to an end. */
        @Actor
        public void initiator(II_Result r) {
            control.beginAccess(0, region.key());
            r.r1 = keys.resolve(region.key(), 1, 0, 8, Access.REMOTE_WRITE) == RemoteKeys.OK ? 1 : 0;
        }

        /** Ends the region. */
        @Actor
        public void owner(II_Result r) {
            r.r2 = table.deregister(region) == DeregisterResult.BUSY ? 1 : 0;
        }
    }

    /** What an initiator has written is there when the region has ended in order. */
    @JCStressTest
    @Outcome(id = "7, 7", expect = ACCEPTABLE, desc = "written, and seen")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "the key was found invalid")
    @Outcome(id = "7, -1", expect = ACCEPTABLE, desc = "in flight, and the memory is set aside")
    @Outcome(id = "0, -1", expect = ACCEPTABLE, desc = "the key was found invalid, the slot was seen all the same")
    @Outcome(expect = FORBIDDEN, desc = "written to memory that was given away")
    @State
    public static class Finished {
        private final StressMemory memory = new StressMemory();
        private final ControlBlock control = ControlBlock.create(memory, 1, LIMITS);
        private final MemoryTable table = new MemoryTable(control, System::nanoTime, 0);
        private final MemoryRegion region;
        private final RemoteKeys keys = new RemoteKeys(control, new OwnMemory(memory));

        /** Registers the region. */
        public Finished() {
            var segment = memory.allocate(64);
            region = table.register(segment.buffer(), segment.id(), 0, 64, Access.ALL, 1);
            control.setQpWord(0, QueuePairWord.pack(3, Access.ALL, 0, 1));
        }

        /** A direct WRITE. */
        @Actor
        public void initiator(II_Result r) {
            control.beginAccess(0, region.key());
            if (keys.resolve(region.key(), 1, 0, 8, Access.REMOTE_WRITE) == RemoteKeys.OK) {
                keys.buffer().putLong(keys.index(), 7);
                r.r1 = 7;
            }
            control.endAccess(0);
        }

        /** Ends the region and looks at its memory, as whoever gets it next would. */
        @Actor
        public void owner(II_Result r) {
            r.r2 = table.deregister(region) == DeregisterResult.BUSY
                    ? -1
                    : (int) region.buffer().getLong(0);
        }
    }
}
