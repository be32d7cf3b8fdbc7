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
            SendResult copied = operations.read(offset, target, targetOffset, length, correlationId, handler);
            return mayTryAgain(copied)
                    ? operations.read(offset, target, targetOffset, length, correlationId, handler)
                    : copied;
        }
        SendResult result = null;
        try {
            result = operations.read(
                    offset, use.key(), target.wrapAdjustment() + (long) targetOffset, length, correlationId, use);
            return result;
        } finally {
            posted(use, result);
        }
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
            SendResult copied = operations.write(offset, source, sourceOffset, length, correlationId, handler);
            return mayTryAgain(copied)
                    ? operations.write(offset, source, sourceOffset, length, correlationId, handler)
                    : copied;
        }
        SendResult result = null;
        try {
            result = operations.write(
                    offset, use.key(), source.wrapAdjustment() + (long) sourceOffset, length, correlationId, use);
            return result;
        } finally {
            posted(use, result);
        }
    }

    /** What is refused while nothing is under way lacks memory: buffers that only stay registered may be in its way. */
    private boolean mayTryAgain(SendResult copied) {
        return copied == SendResult.BACK_PRESSURED && operations.outstanding() == 0 && registrations.giveBackUnused();
    }

    private BufferRegistrations.@Nullable Use use(DirectBuffer buffer, int length, OperationHandler handler) {
        ByteBuffer bytes = length >= registerFrom ? buffer.byteBuffer() : null;
        return bytes == null || !bytes.isDirect() || handler instanceof BlockingOperation
                ? null
                : registrations.acquire(bytes, handler);
    }

    private void posted(BufferRegistrations.Use use, @Nullable SendResult result) {
        if (result == SendResult.SENT) {
            registered.incrementAndGet();
        } else {
            use.end();
        }
    }

    @Override
    public SendResult read(
            long offset, int localKey, long localOffset, int length, long correlationId, OperationHandler handler) {
        return operations.read(offset, localKey, localOffset, length, correlationId, handler);
    }

    @Override
    public SendResult write(
            long offset, int localKey, long localOffset, int length, long correlationId, OperationHandler handler) {
        return operations.write(offset, localKey, localOffset, length, correlationId, handler);
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
        operations.release();
        registrations.close();
    }
}
