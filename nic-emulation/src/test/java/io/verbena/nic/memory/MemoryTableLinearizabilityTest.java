package io.verbena.nic.memory;

import io.verbena.nic.Linearizability;
import io.verbena.nic.port.Segment;
import java.util.TreeSet;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Keys that go while they are looked up: the table is a set, of which a look-up without a lock sees every removal at
 * once.
 */
@Param(name = "index", gen = IntGen.class, conf = "0:3")
public class MemoryTableLinearizabilityTest {
    private static final int REGIONS = 4;

    private final DirectMemoryProvider memory = new DirectMemoryProvider();
    private final ControlBlock control = ControlBlock.create(memory, 1, new ControlLimits(1, 16, 16, 1, 4));
    private final MemoryTable table = new MemoryTable(control, System::nanoTime, 0);
    private final MemoryRegion[] regions = new MemoryRegion[REGIONS];
    private final RemoteKeys keys = new RemoteKeys(control, new OwnMemory(memory));

    /** A table with {@value #REGIONS} regions. */
    public MemoryTableLinearizabilityTest() {
        for (int i = 0; i < REGIONS; i++) {
            Segment segment = memory.allocate(64);
            regions[i] = table.register(segment.buffer(), segment.id(), 0, 64, Access.ALL, 1);
        }
    }

    @Operation
    public boolean find(@Param(name = "index") int index) {
        return table.find(regions[index].key()) == regions[index];
    }

    /** As a peer with the direct path looks it up: one at a time, for a resolver is one thread's. */
    @Operation(nonParallelGroup = "peer")
    public boolean resolve(@Param(name = "index") int index) {
        return keys.resolve(regions[index].key(), 1, 0, 64, Access.REMOTE_READ) == RemoteKeys.OK;
    }

    @Operation
    public boolean deregister(@Param(name = "index") int index) {
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

    /** What it should be. */
    public static class Specification {
        private final TreeSet<Integer> set = new TreeSet<>(java.util.List.of(0, 1, 2, 3));

        public boolean find(int index) {
            return set.contains(index);
        }

        public boolean resolve(int index) {
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
    void someOrderExplainsTheResults() {
        Linearizability.check(MemoryTableLinearizabilityTest.class, Specification.class, 3, 3, 2);
    }
}
