package io.verbena.fabric;

import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Direct memory for fabrics that do not share theirs. */
public final class TestMemory implements MemoryProvider {
    private final Map<Integer, AtomicBuffer> segments = new ConcurrentHashMap<>();
    private final AtomicInteger nextId = new AtomicInteger();
    private volatile AtomicBuffer control;

    @Override
    public AtomicBuffer allocateControl(int length) {
        control = newBuffer(length);
        return control;
    }

    @Override
    public AtomicBuffer control() {
        if (control == null) {
            throw new IllegalStateException("no control block yet");
        }
        return control;
    }

    @Override
    public Segment allocate(int length) {
        Segment segment = new Segment(nextId.getAndIncrement(), newBuffer(length));
        segments.put(segment.id(), segment.buffer());
        return segment;
    }

    @Override
    public void release(Segment segment) {
        segments.remove(segment.id());
    }

    @Override
    public AtomicBuffer segment(int id) {
        return segments.get(id);
    }

    @Override
    public void close() {
        segments.clear();
    }

    private static AtomicBuffer newBuffer(int length) {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, 64));
    }
}
