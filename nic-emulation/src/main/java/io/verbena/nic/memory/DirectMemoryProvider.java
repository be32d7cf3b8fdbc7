package io.verbena.nic.memory;

import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a NIC from direct byte buffers, for one process. Released memory goes back when nobody refers to it any
 * more (peers of the same process may), which the garbage collector finds out; unmapped memory goes back to the C
 * library at once, which may keep pieces below 32 MiB for itself.
 *
 * <p>Thread-safe.
 */
public final class DirectMemoryProvider implements MemoryProvider {
    private static final int ALIGNMENT = 128;

    private final long limit;
    private final Map<Integer, Segment> segments = new HashMap<>();
    private @Nullable AtomicBuffer control;
    private int nextId;
    private long allocated;
    private boolean closed;

    /** A provider without a limit of its own; the JVM's {@code -XX:MaxDirectMemorySize} holds. */
    public DirectMemoryProvider() {
        this(Long.MAX_VALUE);
    }

    /**
     * A provider with a limit.
     *
     * @param limit most bytes that may be allocated at a time, control block and segments
     */
    public DirectMemoryProvider(long limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("memory limit " + limit + " < minimum 1");
        }
        this.limit = limit;
    }

    @Override
    public synchronized AtomicBuffer allocateControl(int length) {
        if (control != null) {
            throw new IllegalStateException("there is a control block of " + control.capacity() + " bytes already");
        }
        AtomicBuffer made = take(length);
        control = made;
        return made;
    }

    @Override
    public synchronized AtomicBuffer control() {
        if (control == null) {
            throw new IllegalStateException("there is no control block yet");
        }
        return control;
    }

    @Override
    public synchronized Segment allocate(int length) {
        Segment segment = new Segment(nextId, take(length));
        nextId++;
        segments.put(segment.id(), segment);
        return segment;
    }

    @Override
    public synchronized void release(Segment segment) {
        forget(segment);
    }

    @Override
    public synchronized void unmap(Segment segment) {
        if (forget(segment)) {
            ByteBuffer memory = segment.buffer().byteBuffer();
            segment.buffer().wrap(0, 0);
            BufferUtil.free(memory);
        }
    }

    private boolean forget(Segment segment) {
        Segment held = segments.get(segment.id());
        if (held == null || held.buffer() != segment.buffer()) {
            return false;
        }
        segments.remove(segment.id());
        allocated -= segment.buffer().capacity();
        return true;
    }

    @Override
    public synchronized @Nullable AtomicBuffer segment(int id) {
        Segment segment = segments.get(id);
        return segment == null ? null : segment.buffer();
    }

    /** Bytes that are allocated: control block and segments. */
    public synchronized long allocated() {
        return allocated;
    }

    @Override
    public synchronized void close() {
        closed = true;
        segments.clear();
        allocated = 0;
    }

    private AtomicBuffer take(int length) {
        if (closed) {
            throw new IllegalStateException("the memory provider is closed");
        }
        if (length < 1) {
            throw new IllegalArgumentException("length " + length + " < minimum 1");
        }
        if (length > Integer.MAX_VALUE - ALIGNMENT) {
            throw new IllegalArgumentException("length " + length + " > maximum " + (Integer.MAX_VALUE - ALIGNMENT));
        }
        if (length > limit - allocated) {
            throw new MemoryExhaustedException("wanted " + length + " bytes, " + (limit - allocated)
                    + " available of the limit of " + limit + "; raise the provider's limit");
        }
        ByteBuffer memory;
        try {
            memory = ByteBuffer.allocateDirect(length + ALIGNMENT); // whole: what was sliced cannot be freed
        } catch (OutOfMemoryError e) {
            MemoryExhaustedException exhausted = new MemoryExhaustedException("wanted " + length + " bytes, "
                    + allocated + " allocated, and the JVM has no more direct memory (" + e.getMessage()
                    + "); raise -XX:MaxDirectMemorySize");
            exhausted.initCause(e);
            throw exhausted;
        }
        allocated += length;
        int misaligned = (int) (BufferUtil.address(memory) & (ALIGNMENT - 1));
        return new UnsafeBuffer(memory, misaligned == 0 ? 0 : ALIGNMENT - misaligned, length);
    }
}
