package io.verbena.nic.append;

import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.port.Segment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/** Memory that calls a hook before each access, so that a test can stop, kill or switch between any two steps. */
final class SteppedBuffer {
    private SteppedBuffer() {}

    /** A view of a buffer whose every load, store and atomic runs the hook first. */
    static AtomicBuffer of(AtomicBuffer buffer, Runnable hook) {
        return (AtomicBuffer) Proxy.newProxyInstance(
                SteppedBuffer.class.getClassLoader(), new Class<?>[] {AtomicBuffer.class}, (proxy, method, args) -> {
                    String name = method.getName();
                    if (name.startsWith("put")
                            || name.startsWith("get")
                            || name.startsWith("compareAnd")
                            || name.equals("setMemory")) {
                        hook.run();
                    }
                    if (name.equals("equals")) {
                        return proxy == args[0];
                    }
                    try {
                        return method.invoke(buffer, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A peer's stepped view of a provider's memory. */
    static PeerMemory peer(MemoryProvider memory, Runnable hook) {
        AtomicBuffer control = of(memory.control(), hook);
        Map<Integer, AtomicBuffer> segments = new HashMap<>();
        return new PeerMemory() {
            @Override
            public AtomicBuffer control() {
                return control;
            }

            @Override
            public @Nullable AtomicBuffer segment(int segmentId) {
                AtomicBuffer segment = memory.segment(segmentId);
                return segment == null ? null : segments.computeIfAbsent(segmentId, id -> of(segment, hook));
            }
        };
    }

    /** A provider whose owner sees stepped memory too; peers are to use the provider underneath. */
    static MemoryProvider owner(MemoryProvider memory, Runnable hook) {
        return new MemoryProvider() {
            private @Nullable AtomicBuffer control;
            private final Map<Integer, Segment> real = new HashMap<>();

            @Override
            public AtomicBuffer allocateControl(int length) {
                return control = of(memory.allocateControl(length), hook);
            }

            @Override
            public AtomicBuffer control() {
                return control;
            }

            @Override
            public Segment allocate(int length) {
                Segment segment = memory.allocate(length);
                synchronized (real) {
                    real.put(segment.id(), segment);
                }
                return new Segment(segment.id(), of(segment.buffer(), hook));
            }

            @Override
            public void release(Segment segment) {
                synchronized (real) {
                    memory.release(real.remove(segment.id()));
                }
            }

            @Override
            public @Nullable AtomicBuffer segment(int id) {
                AtomicBuffer segment = memory.segment(id);
                return segment == null ? null : of(segment, hook);
            }

            @Override
            public void close() {
                memory.close();
            }
        };
    }
}
