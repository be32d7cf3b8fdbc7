package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.port.PeerMemory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A queue goes and another comes under its number while an appender looks at it, on a machine that may satisfy a plain
 * load as early as the last acquiring one before it.
 */
@Timeout(180)
class WeakOrderTest {
    private final AppendFixture nic = new AppendFixture();
    private final int[] keys = {11, 22};
    private int nextKey;
    private final TailPointerTable queues =
            new TailPointerTable("weak", nic.control, nic.memory, 0, nic.clock::get, () -> keys[nextKey++]);
    private final ChunkAllocator allocator = new ChunkAllocator(queues);
    private AppendQueue queue = queues.create(attributes(), 1, 1);
    private final int entry = nic.control.queueOffset(queue.id());
    private final UnsafeBuffer seen =
            new UnsafeBuffer(new byte[nic.control.buffer().capacity()]);
    private boolean replaced;

    /**
     * Plain loads but that of the key find what the last acquiring load could have found; it is replaced after the
     * first.
     */
    private Object access(AtomicBuffer memory, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        int at = arguments == null || !(arguments[0] instanceof Integer) ? -1 : (int) arguments[0];
        boolean inEntry = at >= entry && at < entry + AppendQueueDescriptor.TAIL_OFFSET + Long.BYTES;
        boolean plain = name.equals("getInt") || name.equals("getLong");
        try {
            if (plain && inEntry && at != entry + AppendQueueDescriptor.KEY_OFFSET) {
                return method.invoke(seen, arguments);
            }
            Object result = method.invoke(memory, arguments);
            if (!plain && name.startsWith("get")) {
                seen.putBytes(0, memory, 0, memory.capacity());
            }
            if (at == entry + AppendQueueDescriptor.TAIL_OFFSET && !replaced) {
                replaced = true;
                replace();
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void replace() {
        assertThat(queue.destroy(true)).isTrue();
        while (!queue.isFreed()) {
            nic.clock.addAndGet(2_000_000_000L);
            allocator.doWork();
        }
        queue = queues.create(attributes().chunkLength(2 * CHUNK), 1, 1);
    }

    @Test
    void theMeasuresOfAQueueAreThoseOfItsKey() {
        AtomicBuffer weak = (AtomicBuffer) Proxy.newProxyInstance(
                WeakOrderTest.class.getClassLoader(),
                new Class<?>[] {AtomicBuffer.class},
                (proxy, method, arguments) -> access(nic.control.buffer(), method, arguments));
        PeerMemory own = new OwnMemory(nic.memory);
        Appender appender = new Appender(ControlBlock.map(weak), new PeerMemory() {
            @Override
            public AtomicBuffer control() {
                return weak;
            }

            @Override
            public @Nullable AtomicBuffer segment(int segmentId) {
                return own.segment(segmentId);
            }
        });
        // Who was told of the queue that comes appends what is too long for a chunk of the one before.
        int length = CHUNK / 4 + 1000;
        assertThat(appender.claimRun(
                        queue.id(), keys[1], queue.pd(), length, RecordDescriptor.alignedLength(length), 3))
                .isEqualTo(Appender.OK);
        assertThat(replaced).isTrue();
        assertThat(queue.key()).isEqualTo(keys[1]);
    }
}
