package io.verbena.nic.memory;

import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A NIC's memory on the heap: a stress test makes and drops more of it than direct buffers are good for. */
public final class StressMemory implements MemoryProvider {
    private final List<AtomicBuffer> segments = new ArrayList<>();
    private AtomicBuffer control = new UnsafeBuffer(new byte[0]);

    @Override
    public AtomicBuffer allocateControl(int length) {
        control = new UnsafeBuffer(new byte[length]);
        return control;
    }

    @Override
    public AtomicBuffer control() {
        return control;
    }

    @Override
    public synchronized Segment allocate(int length) {
        AtomicBuffer memory = new UnsafeBuffer(new byte[length]);
        segments.add(memory);
        return new Segment(segments.size() - 1, memory);
    }

    @Override
    public void release(Segment segment) {}

    @Override
    public synchronized AtomicBuffer segment(int id) {
        return id < 0 || id >= segments.size() ? null : segments.get(id);
    }

    @Override
    public void close() {}
}
