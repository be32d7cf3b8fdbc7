package io.verbena.nic.memory;

import io.verbena.nic.Linearizability;
import io.verbena.nic.port.Segment;
import java.util.List;
import java.util.TreeSet;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Keys that go while they are looked up: for whoever looks them up the table is a set, of which a look-up without a
 * lock sees every removal at once. The NIC and a peer with the direct path each look up in a place of their own, and a
 * removal reaches one of the two first; so each is held against the set by itself.
 */
class MemoryTableLinearizabilityTest {
    private static final int REGIONS = 4;

    /** Regions, and what ends them. */
    public abstract static class Keys {
        final DirectMemoryProvider memory = new DirectMemoryProvider();
        final ControlBlock control = ControlBlock.create(memory, 1, new ControlLimits(1, 16, 16, 1, 4));
        final MemoryTable table = new MemoryTable(control, System::nanoTime, 0);
        final MemoryRegion[] regions = new MemoryRegion[REGIONS];

        Keys() {
            for (int i = 0; i < REGIONS; i++) {
                Segment segment = memory.allocate(64);
                regions[i] = table.register(segment.buffer(), segment.id(), 0, 64, Access.ALL, 1);
            }
        }

        @Operation
        public boolean deregister(@Param(gen = IntGen.class, conf = "0:3") int index) {
            try {
                return table.deregister(regions[index]) == DeregisterResult.DONE;
            } catch (IllegalStateException e) {
                return false; // somebody else was first
            }
        }

        @Operation
        public int size() {
            return table.size();
        }
    }

    /** As the NIC itself looks keys up, from any thread. */
    public static class OfTheNic extends Keys {
        @Operation
        public boolean find(@Param(gen = IntGen.class, conf = "0:3") int index) {
            return table.find(regions[index].key()) == regions[index];
        }
    }

    /** As a peer with the direct path looks them up: one at a time, for a resolver is one thread's. */
    public static class OfAPeer extends Keys {
        private final RemoteKeys keys = new RemoteKeys(control, new OwnMemory(memory));

        @Operation(nonParallelGroup = "peer")
        public boolean find(@Param(gen = IntGen.class, conf = "0:3") int index) {
            return keys.resolve(regions[index].key(), 1, 0, 64, Access.REMOTE_READ) == RemoteKeys.OK;
        }
    }

    /** What either should be. */
    public static class Specification {
        private final TreeSet<Integer> set = new TreeSet<>(List.of(0, 1, 2, 3));

        public boolean find(int index) {
            return set.contains(index);
        }

        public boolean deregister(int index) {
            return set.remove(index);
        }

        public int size() {
            return set.size();
        }
    }

    @Test
    void someOrderExplainsWhatTheNicFinds() {
        Linearizability.check(OfTheNic.class, Specification.class, 3, 3, 2);
    }

    @Test
    void someOrderExplainsWhatAPeerFinds() {
        Linearizability.check(OfAPeer.class, Specification.class, 3, 3, 2);
    }
}
