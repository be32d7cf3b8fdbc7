package io.verbena.remote;

import io.verbena.OperationHandler;
import io.verbena.RegionStatistics;
import io.verbena.SendResult;
import io.verbena.nic.ProtectionDomain;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Operations whose long reads and writes use the application's direct buffers, registered, in place of a copy
 * ({@link io.verbena.BufferPolicy}). All others, and those that a thread waits for, which may give its buffer up before
 * they end, go the way of the operations behind.
 *
 * <p>For as many threads as those behind.
 */
public final class RegisteringOperations implements RegionOperations {
    private final RegionOperations operations;
    private final BufferRegistrations registrations;
    private final int registerFrom;
    private final AtomicLong registered = new AtomicLong();

    /**
     * Creates them.
     *
     * @param operations what carries them out
     * @param pd in which buffers are registered
     * @param registerFrom bytes of an operation from which its buffer is, at least 1
     */
    public RegisteringOperations(RegionOperations operations, ProtectionDomain pd, int registerFrom) {
        this.operations = operations;
        this.registrations = new BufferRegistrations(pd);
        this.registerFrom = registerFrom;
    }

    @Override
    public SendResult read(
            long offset,
            MutableDirectBuffer target,
            int targetOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        BufferRegistrations.Use use = use(target, length, handler);
        if (use == null) {
            return operations.read(offset, target, targetOffset, length, correlationId, handler);
        }
        return posted(
                use,
                operations.read(
                        offset,
                        use.key(),
                        target.wrapAdjustment() + (long) targetOffset,
                        true,
                        length,
                        correlationId,
                        use));
    }

    @Override
    public SendResult write(
            long offset,
            DirectBuffer source,
            int sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        BufferRegistrations.Use use = use(source, length, handler);
        if (use == null) {
            return operations.write(offset, source, sourceOffset, length, correlationId, handler);
        }
        return posted(
                use,
                operations.write(
                        offset,
                        use.key(),
                        source.wrapAdjustment() + (long) sourceOffset,
                        true,
                        length,
                        correlationId,
                        use));
    }

    private BufferRegistrations.@Nullable Use use(DirectBuffer buffer, int length, OperationHandler handler) {
        ByteBuffer bytes = length >= registerFrom ? buffer.byteBuffer() : null;
        return bytes == null || !bytes.isDirect() || handler instanceof BlockingOperation
                ? null
                : registrations.acquire(bytes, handler);
    }

    /**
     * What was not taken uses its buffer no more. An exception does not come here: whether the operation was taken
     * before it, nobody knows, so its buffer stays registered until the region closes.
     */
    private SendResult posted(BufferRegistrations.Use use, SendResult result) {
        if (result == SendResult.SENT) {
            registered.incrementAndGet();
        } else {
            use.end();
        }
        return result;
    }

    @Override
    public SendResult read(
            long offset,
            int localKey,
            long localOffset,
            boolean lasts,
            int length,
            long correlationId,
            OperationHandler handler) {
        return operations.read(offset, localKey, localOffset, lasts, length, correlationId, handler);
    }

    @Override
    public SendResult write(
            long offset,
            int localKey,
            long localOffset,
            boolean lasts,
            int length,
            long correlationId,
            OperationHandler handler) {
        return operations.write(offset, localKey, localOffset, lasts, length, correlationId, handler);
    }

    @Override
    public SendResult compareAndSwap(
            long offset, long expected, long desired, long correlationId, OperationHandler handler) {
        return operations.compareAndSwap(offset, expected, desired, correlationId, handler);
    }

    @Override
    public SendResult fetchAndAdd(long offset, long addend, long correlationId, OperationHandler handler) {
        return operations.fetchAndAdd(offset, addend, correlationId, handler);
    }

    @Override
    public void together(Runnable posts) {
        operations.together(posts);
    }

    @Override
    public int poll(int limit) {
        return operations.poll(limit);
    }

    @Override
    public boolean hasWork() {
        return operations.hasWork();
    }

    @Override
    public long outstanding() {
        return operations.outstanding();
    }

    @Override
    public RegionStatistics statistics() {
        return operations.statistics().withRegistered(registered.get());
    }

    @Override
    public boolean holdsUnposted() {
        return operations.holdsUnposted();
    }

    @Override
    public void progress() {
        operations.progress();
    }

    @Override
    public void closed() {
        operations.closed();
    }

    @Override
    public void release() {
        try {
            operations.release();
        } finally {
            registrations.close();
        }
    }
}
