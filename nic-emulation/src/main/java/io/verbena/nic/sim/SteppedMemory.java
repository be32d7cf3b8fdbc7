package io.verbena.nic.sim;

import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.port.Segment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory that calls a hook before each access, so that a simulation can stop whoever accesses it, kill it, or let
 * others in between any two steps of what it does. The hook kills by an exception, which ends the accessor's turn as
 * its death would.
 */
public final class SteppedMemory {
    private SteppedMemory() {}

    /**
     * A view of a buffer whose every load, store and atomic runs the hook first. A copy of many bytes is one step.
     *
     * @param buffer what is seen
     * @param hook run before each access
     */
    public static AtomicBuffer of(AtomicBuffer buffer, Runnable hook) {
        return (AtomicBuffer) Proxy.newProxyInstance(
                SteppedMemory.class.getClassLoader(), new Class<?>[] {AtomicBuffer.class}, (proxy, method, args) -> {
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

    /**
     * A peer's stepped view of a provider's memory.
     *
     * @param memory the owner's
     * @param hook run before each access of the peer
     */
    public static PeerMemory peer(MemoryProvider memory, Runnable hook) {
        return peer(memory, hook, () -> false);
    }

    static PeerMemory peer(MemoryProvider memory, Runnable hook, BooleanSupplier gone) {
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

            @Override
            public BooleanSupplier gone() {
                return gone;
            }
        };
    }

    /**
     * A provider whose owner sees stepped memory too; peers are to use the provider underneath.
     *
     * @param memory the provider underneath
     * @param hook run before each access of the owner
     */
    public static MemoryProvider owner(MemoryProvider memory, Runnable hook) {
        return new Owner(memory, hook);
    }

    private static final class Owner implements MemoryProvider {
        private final MemoryProvider memory;
        private final Runnable hook;
        private final Map<Integer, Segment> real = new HashMap<>();
        private @Nullable AtomicBuffer control;

        Owner(MemoryProvider memory, Runnable hook) {
            this.memory = memory;
            this.hook = hook;
        }

        @Override
        public AtomicBuffer allocateControl(int length) {
            AtomicBuffer made = of(memory.allocateControl(length), hook);
            control = made;
            return made;
        }

        @Override
        public AtomicBuffer control() {
            AtomicBuffer made = control;
            return made == null ? of(memory.control(), hook) : made;
        }

        @Override
        public Segment allocate(int length) {
            Segment segment = memory.allocate(length);
            real.put(segment.id(), segment);
            return new Segment(segment.id(), of(segment.buffer(), hook));
        }

        @Override
        public void release(Segment segment) {
            Segment underneath = real.remove(segment.id());
            if (underneath != null) {
                memory.release(underneath);
            }
        }

        @Override
        public void unmap(Segment segment) {
            Segment underneath = real.remove(segment.id());
            if (underneath != null) {
                memory.unmap(underneath);
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
    }
}
