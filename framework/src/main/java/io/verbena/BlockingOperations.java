package io.verbena;

import io.verbena.dispatch.NodeDriver;
import io.verbena.fabric.Nanos;
import io.verbena.remote.BlockingOperation;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The blocking forms of a {@link RemoteRegion}'s operations: each posts, and polls the region until the operation has
 * ended.
 *
 * <p>For the threads that may post. Where there are several, one of them polls for all.
 */
final class BlockingOperations {
    private static final int POLL_LIMIT = 64;
    private static final int SPINS = 1_000;
    private static final long MAX_WAIT = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long ROOM_LOOK = TimeUnit.MICROSECONDS.toNanos(50);

    private final RemoteRegion region;
    private final NodeDriver driver;
    private final BooleanSupplier hasCompletion;

    BlockingOperations(RemoteRegion region, NodeDriver driver, BooleanSupplier hasCompletion) {
        this.region = region;
        this.driver = driver;
        this.hasCompletion = hasCompletion;
    }

    void read(long offset, MutableDirectBuffer target, int targetOffset, int length, Duration timeout) {
        run("read", timeout, operation -> region.read(offset, target, targetOffset, length, 0, operation));
    }

    void write(long offset, DirectBuffer source, int sourceOffset, int length, Duration timeout) {
        run("write", timeout, operation -> region.write(offset, source, sourceOffset, length, 0, operation));
    }

    long compareAndSwap(long offset, long expected, long desired, Duration timeout) {
        return run("compare-and-swap", timeout, o -> region.compareAndSwap(offset, expected, desired, 0, o));
    }

    long fetchAndAdd(long offset, long addend, Duration timeout) {
        return run("fetch-and-add", timeout, operation -> region.fetchAndAdd(offset, addend, 0, operation));
    }

    /** Posts an operation as soon as there is room, and waits for its end. @return what an atomic operation found */
    private long run(String what, Duration timeout, Function<OperationHandler, SendResult> post) {
        BlockingOperation operation = new BlockingOperation();
        long deadline = deadline(timeout);
        SendResult result;
        do {
            result = post.apply(operation);
        } while (result == SendResult.BACK_PRESSURED && waitForRoom(deadline));
        await(what, operation, result, deadline, timeout);
        return operation.value();
    }

    private long deadline(Duration timeout) {
        if (region.isPolledByThisThread() || driver.isInCallback()) {
            throw new IllegalStateException(region
                    + ": a blocking operation waits for the node's work and cannot be called from its callbacks");
        }
        return Nanos.fromNow(timeout);
    }

    /** Lets outstanding operations make progress. @return whether there is time left */
    private boolean waitForRoom(long deadline) {
        if (region.poll(POLL_LIMIT) == 0) {
            driver.workOrWait(ROOM_LOOK, hasCompletion);
        }
        return deadline - System.nanoTime() > 0;
    }

    private void await(String what, BlockingOperation operation, SendResult posted, long deadline, Duration timeout) {
        boolean taken = posted == SendResult.SENT;
        int spins = 0;
        BooleanSupplier mayGoOn = () -> operation.hasEnded() || hasCompletion.getAsBoolean();
        while (taken && !operation.hasEnded()) {
            if (region.poll(POLL_LIMIT) > 0) {
                continue;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0 && operation.take()) {
                taken = false; // its end will be told to nobody
            } else if (++spins < SPINS) {
                Thread.onSpinWait();
            } else {
                spins = 0;
                driver.workOrWait(Math.min(Math.max(left, 0), MAX_WAIT), mayGoOn);
            }
        }
        if (!taken && posted != SendResult.CLOSED) {
            throw new RemoteMemoryException(
                    what + " of " + region + " was not done within " + timeout.toMillis() + " ms", null);
        }
        if (!taken || operation.outcome() != Outcome.DONE) {
            CloseReason reason = region.closeReason();
            throw new RemoteMemoryException(
                    what + " of " + region + " failed: " + (reason == null ? "it is closed" : reason), reason);
        }
    }
}
