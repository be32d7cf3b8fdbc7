package io.verbena.nic.sim;

import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a simulated NIC, on the heap: thousands of short simulations leave nothing behind that the collector does
 * not find. What a dead NIC had stays readable to peers that have it mapped, as shared memory does. Not thread-safe.
 */
public final class SimMemory implements MemoryProvider {
    private final Map<Integer, Segment> segments = new HashMap<>();
    private @Nullable AtomicBuffer control;
    private int nextId = 1;

    /** Creates a provider without memory yet. */
    public SimMemory() {}

    @Override
    public AtomicBuffer allocateControl(int length) {
        if (control != null) {
            throw new IllegalStateException("there is a control block of " + control.capacity() + " bytes already");
        }
        AtomicBuffer made = take(length);
        control = made;
        return made;
    }

    @Override
    public AtomicBuffer control() {
        if (control == null) {
            throw new IllegalStateException("there is no control block yet");
        }
        return control;
    }

    @Override
    public Segment allocate(int length) {
        if (length < 1) {
            throw new IllegalArgumentException("length " + length + " < minimum 1");
        }
        Segment segment = new Segment(nextId++, take(length));
        segments.put(segment.id(), segment);
        return segment;
    }

    @Override
    public void release(Segment segment) {
        segments.remove(segment.id());
    }

    /**
     * Whoever touches the segment from now on meets an {@link IndexOutOfBoundsException}, as others would meet their
     * end.
     */
    @Override
    public void unmap(Segment segment) {
        if (segments.remove(segment.id(), segment)) {
            segment.buffer().wrap(new byte[0]);
        }
    }

    @Override
    public @Nullable AtomicBuffer segment(int id) {
        Segment segment = segments.get(id);
        return segment == null ? null : segment.buffer();
    }

    @Override
    public void close() {
        segments.clear();
    }

    private static AtomicBuffer take(int length) {
        byte[] bytes = new byte[length + 7];
        // Where an array's bytes start is a matter of the JVM; atomics need multiples of 8.
        int misaligned = (int) (new UnsafeBuffer(bytes).addressOffset() & 7);
        return new UnsafeBuffer(bytes, -misaligned & 7, length);
    }
}
