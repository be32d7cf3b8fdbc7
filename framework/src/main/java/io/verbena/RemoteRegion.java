package io.verbena;

import io.verbena.connection.Connection;
import io.verbena.connection.ConnectionEnd;
import io.verbena.dispatch.NodeDriver;
import io.verbena.dispatch.TenantCallbacks;
import io.verbena.dispatch.TurnTask;
import io.verbena.dispatch.Turns;
import io.verbena.merge.ConnectedPeer;
import io.verbena.merge.MergeSettings;
import io.verbena.merge.MergingOperations;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.memory.Access;
import io.verbena.path.StagingRing;
import io.verbena.remote.DirectOperations;
import io.verbena.remote.RegionBounds;
import io.verbena.remote.RegionOperations;
import io.verbena.remote.RegisteringOperations;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a peer ({@link SharedRegion}), which this side reads, writes and changes atomically by the NIC's one-sided
 * operations: they run no code of the peer's application.
 *
 * <pre>{@code
 *   RemoteRegion table = node.attach("shm:orders/table", Duration.ofSeconds(5));
 *   table.write(64, source, 0, 512, 7, handler);                     // returns at once; poll calls the handler
 *   long before = table.fetchAndAdd(0, 1, Duration.ofSeconds(1));    // waits
 * }</pre>
 *
 * <p>Operations end and take effect in the order in which they were posted, except that what follows a read may take
 * effect while the read is still under way. The first that fails closes the region, and all that follow end in
 * {@link Outcome#CLOSED}. Offsets and lengths are bytes; atomics are on 8 bytes in the byte order of the machine, at
 * offsets that are multiples of 8, and are atomic with respect to those of every other node, not to plain stores of the
 * owner.
 *
 * <p>A region that was attached with {@link RegionOptions#merge} is for any number of threads, and promises another
 * order: what is adjacent in memory becomes one request, whichever thread it comes from. Operations on the same bytes
 * take effect in the order in which they were posted, also a write after a read, and nothing passes an atomic
 * operation; operations on different bytes take effect in any order until they have ended. Handlers are called in the
 * order of posting all the same, each with the outcome of its own operation. What is posted may wait in the region
 * until {@link #poll} finds that earlier operations have ended.
 *
 * <p>Otherwise posting is for one thread at a time (a second one gets an {@link IllegalStateException} and nothing is
 * posted). Polling is always for one thread at a time, which may be another one. The blocking forms post and poll, so
 * handlers of earlier operations may run in them. {@link #isConnected}, {@link #closeReason} and {@link #close} are for
 * any thread. Nothing is allocated per operation, except for those above a quarter of
 * {@link NodeContext#stagingLength}, or with merging of {@link RegionOptions#buffer}: they get memory of their own.
 * Those that name a {@link SharedRegion} need none, nor do long ones on direct buffers where
 * {@link RegionOptions#buffers} says so.
 */
public final class RemoteRegion implements AutoCloseable {
    private static final int POLL_LIMIT = 64;

    private final Node node;
    private final Connection connection;
    private final NodeDriver driver;
    private final Turns turns;
    private final Tenant tenant;
    private final RegionBounds bounds;
    private final RegionOperations operations;
    private final BlockingOperations blocking;
    private final BooleanSupplier hasCompletion;
    private final BooleanSupplier awaitsNode;
    private final TurnTask turn = new Turn();
    private final End end = new End();

    private final AtomicBoolean polling = new AtomicBoolean();
    private @Nullable Thread poller; // whoever looks for itself sees what it wrote itself
    private volatile boolean nodePolls;
    private volatile boolean retired;
    private volatile boolean listed = true; // with the node
    private boolean released; // under polling

    RemoteRegion(
            Node node,
            Connection connection,
            CompletionQueue completions,
            StagingRing staging,
            Tenant tenant,
            RegionSettings settings) {
        this.tenant = tenant;
        this.node = node;
        this.connection = connection;
        this.driver = node.driver();
        this.turns = node.turns();
        this.bounds = new RegionBounds(this, connection);
        MergeSettings merges = settings.merges();
        RegionOperations posting = merges == null
                ? new DirectOperations(
                        this, node.connections(), connection, completions, staging, tenant.group(), driver)
                : new MergingOperations(
                        new ConnectedPeer(node.connections(), connection),
                        completions,
                        tenant.pd(),
                        tenant.admissions(),
                        merges,
                        node.engine(),
                        node.clock());
        this.operations = settings.registerFrom() == Integer.MAX_VALUE
                ? posting
                : new RegisteringOperations(posting, tenant.pd(), settings.registerFrom());
        this.hasCompletion = operations::hasWork;
        this.awaitsNode = () -> !tenant.callbacks().isAway() && operations.hasWork();
        this.blocking = new BlockingOperations(this, driver, hasCompletion);
    }

    /** Name of the peer's region. */
    public String name() {
        return connection.name;
    }

    /** Bytes. */
    public long length() {
        return connection.peer.regionLength();
    }

    // ---- posting ----------------------------------------------------------------------------------------------------

    /**
     * Reads. The target belongs to the operation until the handler is called.
     *
     * @param offset in the region
     * @param target takes the bytes
     * @param targetOffset of the first
     * @param length in bytes, at least 0
     * @param correlationId goes to the handler
     * @param handler called by {@link #poll} at the end
     * @return BACK_PRESSURED if too much is under way: poll, and try again
     * @throws IndexOutOfBoundsException if the range leaves the region or the target
     */
    public SendResult read(
            long offset,
            MutableDirectBuffer target,
            int targetOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        bounds.check(Access.REMOTE_READ, offset, length);
        target.boundsCheck(targetOffset, length);
        return operations.read(offset, target, targetOffset, length, correlationId, handler);
    }

    /**
     * As {@link #read(long, MutableDirectBuffer, int, int, long, OperationHandler)}, into memory that this node shares,
     * without a copy.
     */
    public SendResult read(
            long offset,
            SharedRegion target,
            long targetOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        bounds.check(Access.REMOTE_READ, offset, length);
        target.checkOwned(tenant, targetOffset, length);
        return operations.read(offset, target.localKey(), targetOffset, false, length, correlationId, handler);
    }

    /**
     * Writes. The source has been copied when this returns, unless {@link RegionOptions#buffers} lets it be registered:
     * then it must not change before the handler is called.
     *
     * @param offset in the region
     * @param source holds the bytes
     * @param sourceOffset of the first
     * @param length in bytes, at least 0
     * @param correlationId goes to the handler
     * @param handler called by {@link #poll} at the end: the bytes are at the peer then
     * @return BACK_PRESSURED if too much is under way: poll, and try again
     * @throws IndexOutOfBoundsException if the range leaves the region or the source
     */
    public SendResult write(
            long offset,
            DirectBuffer source,
            int sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        bounds.check(Access.REMOTE_WRITE, offset, length);
        source.boundsCheck(sourceOffset, length);
        return operations.write(offset, source, sourceOffset, length, correlationId, handler);
    }

    /**
     * As {@link #write(long, DirectBuffer, int, int, long, OperationHandler)}, from memory that this node shares,
     * without a copy: it must not change until the end.
     */
    public SendResult write(
            long offset,
            SharedRegion source,
            long sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        bounds.check(Access.REMOTE_WRITE, offset, length);
        source.checkOwned(tenant, sourceOffset, length);
        return operations.write(offset, source.localKey(), sourceOffset, false, length, correlationId, handler);
    }

    /**
     * Replaces 8 bytes if they are as expected; the handler gets what they were.
     *
     * @param offset in the region, a multiple of 8
     */
    public SendResult compareAndSwap(
            long offset, long expected, long desired, long correlationId, OperationHandler handler) {
        bounds.checkAtomic(offset);
        return operations.compareAndSwap(offset, expected, desired, correlationId, handler);
    }

    /**
     * Adds to 8 bytes; the handler gets what they were.
     *
     * @param offset in the region, a multiple of 8
     */
    public SendResult fetchAndAdd(long offset, long addend, long correlationId, OperationHandler handler) {
        bounds.checkAtomic(offset);
        return operations.fetchAndAdd(offset, addend, correlationId, handler);
    }

    /**
     * Runs what posts several operations on this region. With {@link RegionOptions#merge} none of them leaves before
     * all are in the queue, so that those which are adjacent merge though one thread posts them, unless another thread
     * is just emptying the queue. Those of other threads wait as long, so {@code posts} must not wait for anything.
     * Otherwise they leave one by one.
     */
    public void together(Runnable posts) {
        operations.together(posts);
    }

    // ---- polling ----------------------------------------------------------------------------------------------------

    /**
     * Calls the handlers of operations that have ended, oldest first. If there are none, it does a share of the node's
     * sending and receiving in the modes INVOKER and ASSISTED.
     *
     * @param limit most operations, at least 1; a call takes at most as many as may be under way
     * @return operations; also 0 while another thread polls
     */
    public int poll(int limit) {
        if (!polling.compareAndSet(false, true)) {
            return 0;
        }
        poller = Thread.currentThread();
        int ended;
        try {
            ended = operations.poll(limit);
        } finally {
            poller = null;
            polling.set(false);
        }
        if (retired) {
            releaseUnlessPolled();
        }
        return ended;
    }

    /**
     * Lets the node poll, on its own thread (or in {@link Node#doWork}), from now on. A handler that throws has
     * consumed its operation; the error is logged.
     */
    public RemoteRegion pollOnNode() {
        if (!nodePolls) {
            nodePolls = true;
            turns.add(turn, awaitsNode);
        }
        return this;
    }

    private final class Turn implements TurnTask {
        @Override
        public boolean hasWork() {
            return operations.hasWork();
        }

        @Override
        public TenantCallbacks callbacks() {
            return tenant.callbacks();
        }

        @Override
        public int doWork(long now) {
            return poll(POLL_LIMIT);
        }

        @Override
        public String toString() {
            return RemoteRegion.this.toString();
        }

        @Override
        public long nextDeadline() {
            return Long.MAX_VALUE;
        }
    }

    // ---- blocking forms ---------------------------------------------------------------------------------------------

    /**
     * Reads, and waits for the end.
     *
     * @throws RemoteMemoryException if it is not done in time, or the region closes
     * @throws IndexOutOfBoundsException if the range leaves the region or the target
     */
    public void read(long offset, MutableDirectBuffer target, int targetOffset, int length, Duration timeout) {
        blocking.read(offset, target, targetOffset, length, timeout);
    }

    /**
     * Writes, and waits until the bytes are at the peer.
     *
     * @throws RemoteMemoryException if it is not done in time, or the region closes
     * @throws IndexOutOfBoundsException if the range leaves the region or the source
     */
    public void write(long offset, DirectBuffer source, int sourceOffset, int length, Duration timeout) {
        blocking.write(offset, source, sourceOffset, length, timeout);
    }

    /**
     * Replaces 8 bytes if they are as expected, and waits for the end.
     *
     * @param offset in the region, a multiple of 8
     * @return what they were: the expected value if they were replaced
     * @throws RemoteMemoryException if it is not done in time, or the region closes
     */
    public long compareAndSwap(long offset, long expected, long desired, Duration timeout) {
        return blocking.compareAndSwap(offset, expected, desired, timeout);
    }

    /**
     * Adds to 8 bytes, and waits for the end.
     *
     * @param offset in the region, a multiple of 8
     * @return what they were
     * @throws RemoteMemoryException if it is not done in time, or the region closes
     */
    public long fetchAndAdd(long offset, long addend, Duration timeout) {
        return blocking.fetchAndAdd(offset, addend, timeout);
    }

    /** Whether the calling thread is in {@link #poll}. */
    boolean isPolledByThisThread() {
        return Thread.currentThread() == poller;
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    /** Operations that were posted and are not over. The handler of one that is over may be about to be called. */
    public int outstanding() {
        return (int) operations.outstanding();
    }

    /** What its operations were and cost, and how much is under way. Any thread. */
    public RegionStatistics statistics() {
        return operations.statistics();
    }

    /** Whether it accepts operations. */
    public boolean isConnected() {
        return connection.state == Connection.OPEN;
    }

    /** Why it is closed; null while it is not. */
    public @Nullable CloseReason closeReason() {
        return connection.reason;
    }

    /** Identity of the peer's NIC. */
    public long peerNic() {
        return connection.peerNic;
    }

    /** The end that its connection knows. */
    End end() {
        return end;
    }

    /** This region, as its connection sees it. */
    final class End implements ConnectionEnd {
        RemoteRegion region() {
            return RemoteRegion.this;
        }

        @Override
        public boolean finishSending() {
            if (operations.holdsUnposted() && polling.compareAndSet(false, true)) {
                try {
                    operations.progress();
                } finally {
                    polling.set(false);
                }
            }
            return !operations.holdsUnposted();
        }

        @Override
        public void closed(boolean wasOpen) {
            node.notices().note(RemoteRegion.this::onClosed);
        }

        @Override
        public void retired() {
            retired = true;
            releaseUnlessPolled();
        }
    }

    /** Called when the connection is over: polls once more, if nothing else drives the node any more. */
    private void onClosed() {
        operations.closed();
        if (nodePolls && !turns.tryNow(turn)) {
            driver.wake();
        }
    }

    NodeDriver driver() {
        return driver;
    }

    /** Whether a completion waits to be polled. */
    BooleanSupplier parkCheck() {
        return hasCompletion;
    }

    /** Called when the queue pair is gone: the thread that polls gives the memory back. */
    private void releaseUnlessPolled() {
        if (polling.compareAndSet(false, true)) {
            try {
                if (!released) {
                    released = true;
                    operations.release();
                    turns.forget(hasCompletion);
                    turns.forget(awaitsNode);
                }
            } finally {
                polling.set(false);
            }
        }
        if (listed && (!nodePolls || operations.outstanding() == 0)) {
            listed = false;
            turns.remove(turn, awaitsNode);
        }
    }

    /**
     * Detaches. What was posted is still done, within the node's linger time; the rest ends in {@link Outcome#CLOSED}.
     * Does not wait for that. Idempotent.
     */
    @Override
    public void close() {
        node.connections().close(connection);
    }

    @Override
    public String toString() {
        return "remote region '" + connection.name + "' of node '" + connection.peer.name() + "'";
    }
}
