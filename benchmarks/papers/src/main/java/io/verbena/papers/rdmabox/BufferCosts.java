package io.verbena.papers.rdmabox;

import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** What it takes a thread to copy to registered memory, and to register a buffer and deregister it. */
final class BufferCosts implements AutoCloseable {
    private static final int PLACES = 4; // copied to and from in turn, so that not all of it lies in the nearest cache

    private final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER));
    private final ProtectionDomain domain = nic.allocateProtectionDomain();
    private final int rounds;

    /**
     * Opens a NIC.
     *
     * @param rounds of which the median counts, at least 1
     */
    BufferCosts(int rounds) {
        this.rounds = rounds;
    }

    /** Nanoseconds that a copy of so many bytes takes. */
    double copying(int bytes) {
        ByteBuffer from = ByteBuffer.allocateDirect(bytes * PLACES);
        MemoryRegion to = domain.allocate(bytes * PLACES, Access.LOCAL_WRITE);
        try {
            UnsafeBuffer source = new UnsafeBuffer(from);
            return median(round -> {
                int at = round % PLACES * bytes;
                to.buffer().putBytes(at, source, at, bytes);
            });
        } finally {
            domain.deregister(to);
            BufferUtil.free(from);
        }
    }

    /** Nanoseconds that it takes to register so many bytes, and to deregister them. */
    double registering(int bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
        try {
            return median(round -> domain.deregister(domain.register(buffer, Access.LOCAL_WRITE)));
        } finally {
            BufferUtil.free(buffer);
        }
    }

    @FunctionalInterface
    private interface Step {
        void run(int round);
    }

    private double median(Step step) {
        long[] nanos = new long[rounds];
        for (int round = -rounds; round < rounds; round++) { // the first half for the compilers
            long begin = System.nanoTime();
            step.run(round + rounds);
            if (round >= 0) {
                nanos[round] = System.nanoTime() - begin;
            }
        }
        Arrays.sort(nanos);
        return nanos[rounds / 2];
    }

    @Override
    public void close() {
        nic.close();
    }
}
