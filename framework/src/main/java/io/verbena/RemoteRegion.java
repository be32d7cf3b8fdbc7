package io.verbena;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a peer ({@link SharedRegion}) that is read, written and changed atomically from here, by the NIC's one-sided
 * operations: no code of the peer's application runs for them.
 *
 * <pre>{@code
 *   RemoteRegion table = node.attach("shm:orders/table", Duration.ofSeconds(5));
 *   table.write(64, source, 0, 512, 7, handler);                     // returns at once; poll calls the handler
 *   long before = table.fetchAndAdd(0, 1, Duration.ofSeconds(1));    // waits
 * }</pre>
 *
 * <p>Operations end in the order in which they were posted, and take effect in that order; only what follows a read may
 * take effect while the read is still under way. The first that fails closes the region, and all that follow end in {@link
 * Outcome#CLOSED}. Offsets and lengths are bytes; atomics are on 8 bytes in the byte order of the machine, at offsets that
 * are multiples of 8, and hold together with those of every other node, not with plain stores of the owner.
 *
 * <p>Posting is for one thread at a time (a second one gets an {@link IllegalStateException} and nothing is posted), polling
 * for one thread at a time, and these may be two threads; the blocking
 * forms post and poll, so that handlers of earlier operations may run in them. {@link #isConnected}, {@link #closeReason}
 * and {@link #close} are for any thread. Nothing is allocated per operation, but for those above half of {@link
 * NodeContext#stagingLength}, which get memory of their own; those that name a {@link SharedRegion} need none at all.
 */
public final class RemoteRegion implements AutoCloseable {
    /** Stands for the length of what is copied where an operation returns a value. */
    static final int ATOMIC = -1;

    private static final int POLL_LIMIT = 64;

    private final Node node;
    private final Connections connections;
    private final Connection connection;
    private final QueuePair queuePair;
    private final CompletionQueue completions;
    private final Tenant tenant;
    private final RemoteOperations operations;
    private final BlockingOperations blocking;
    private final SendRequest request = new SendRequest();
    private final OneThread posting = new OneThread();
    private final CompletionHandler onCompletion = this::onCompletion;
    private final BooleanSupplier hasCompletion;
    private final BooleanSupplier awaitsNode;
    private final TurnTask turn = new Turn();

    private final AtomicBoolean polling = new AtomicBoolean();
    private @Nullable Thread poller; // whoever looks for itself sees what it wrote itself
    private volatile boolean nodePolls;
    private volatile boolean retired;
    private volatile boolean listed = true; // with the node
    private volatile boolean released; // by whoever polls

    RemoteRegion(
            Node node,
            Connections connections,
            Connection connection,
            CompletionQueue completions,
            StagingRing s,
            Tenant tenant) {
        this.node = node;
        this.tenant = tenant;
        this.connections = connections;
        this.connection = connection;
        this.queuePair = connection.queuePair;
        this.completions = completions;
        this.operations = new RemoteOperations(s, queuePair.maxSend());
        this.hasCompletion = () -> !completions.isEmpty();
        this.awaitsNode = () -> !tenant.callbacks().isAway() && !completions.isEmpty();
        this.blocking = new BlockingOperations(this, node, hasCompletion);
    }

    /** Name of the peer's region. */
    public String name() {
        return connection.name;
    }

    /** Bytes. */
    public long length() {
        return connection.regionLength;
    }

    // ---- posting ----------------------------------------------------------------------------------------------------

    /**
     * Reads. The target belongs to the operation until the handler is told of the end.
     *
     * @param offset in the region
     * @param target takes the bytes
     * @param targetOffset of the first
     * @param length in bytes, at least 0
     * @param correlationId goes to the handler
     * @param handler told of the end, by {@link #poll}
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
        check(Access.REMOTE_READ, offset, length);
        target.boundsCheck(targetOffset, length);
        enter();
        try {
            if (!isOpen()) {
                return SendResult.CLOSED;
            }
            if (!operations.claim(length)) {
                return refused();
            }
            return postStaged(
                    request.read(connection.regionKey, offset),
                    length,
                    correlationId,
                    handler,
                    target,
                    targetOffset,
                    length);
        } finally {
            posting.leave();
        }
    }

    /**
     * As {@link #read(long, MutableDirectBuffer, int, int, long, OperationHandler)}, into memory that this node shares:
     * without a copy.
     */
    public SendResult read(
            long offset,
            SharedRegion target,
            long targetOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        check(Access.REMOTE_READ, offset, length);
        target.checkOwned(tenant, targetOffset, length);
        enter();
        try {
            return postUnstaged(
                    request.read(connection.regionKey, offset).local(target.localKey(), targetOffset, length),
                    correlationId,
                    handler);
        } finally {
            posting.leave();
        }
    }

    /**
     * Writes. The source has been copied when this returns.
     *
     * @param offset in the region
     * @param source holds the bytes
     * @param sourceOffset of the first
     * @param length in bytes, at least 0
     * @param correlationId goes to the handler
     * @param handler told of the end, by {@link #poll}: the bytes are at the peer then
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
        check(Access.REMOTE_WRITE, offset, length);
        source.boundsCheck(sourceOffset, length);
        enter();
        try {
            return length <= queuePair.maxInline()
                    ? postUnstaged(
                            request.write(connection.regionKey, offset).inline(source, sourceOffset, length),
                            correlationId,
                            handler)
                    : writeStaged(offset, source, sourceOffset, length, correlationId, handler);
        } finally {
            posting.leave();
        }
    }

    private SendResult writeStaged(
            long offset,
            DirectBuffer source,
            int sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        if (!isOpen()) {
            return SendResult.CLOSED;
        }
        if (!operations.claim(length)) {
            return refused();
        }
        StagingRing staging = operations.staging();
        staging.buffer().putBytes(staging.offset(), source, sourceOffset, length);
        return postStaged(request.write(connection.regionKey, offset), length, correlationId, handler, null, 0, length);
    }

    /**
     * As {@link #write(long, DirectBuffer, int, int, long, OperationHandler)}, from memory that this node shares: without a
     * copy, so that it must not change until the end.
     */
    public SendResult write(
            long offset,
            SharedRegion source,
            long sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        check(Access.REMOTE_WRITE, offset, length);
        source.checkOwned(tenant, sourceOffset, length);
        enter();
        try {
            return postUnstaged(
                    request.write(connection.regionKey, offset).local(source.localKey(), sourceOffset, length),
                    correlationId,
                    handler);
        } finally {
            posting.leave();
        }
    }

    /**
     * Replaces 8 bytes if they are as expected; the handler gets what they were.
     *
     * @param offset in the region, a multiple of 8
     */
    public SendResult compareAndSwap(
            long offset, long expected, long desired, long correlationId, OperationHandler handler) {
        checkAtomic(offset);
        enter();
        try {
            return postAtomic(
                    request.compareSwap(connection.regionKey, offset, expected, desired), correlationId, handler);
        } finally {
            posting.leave();
        }
    }

    /**
     * Adds to 8 bytes; the handler gets what they were.
     *
     * @param offset in the region, a multiple of 8
     */
    public SendResult fetchAndAdd(long offset, long addend, long correlationId, OperationHandler handler) {
        checkAtomic(offset);
        enter();
        try {
            return postAtomic(request.fetchAdd(connection.regionKey, offset, addend), correlationId, handler);
        } finally {
            posting.leave();
        }
    }

    private void enter() {
        if (!posting.tryEnter()) {
            throw posting.refusal(this, "give each thread that posts a region of its own, see Node.attach");
        }
    }

    private void check(int access, long offset, int length) {
        if ((connection.rights & access) == 0) {
            throw new IllegalStateException("the AccessPolicy of its node does not permit " + Access.describe(access)
                    + " to " + this + ", only " + Access.describe(connection.rights));
        }
        if (!MemoryRegion.contains(offset, length, connection.regionLength)) {
            throw new IndexOutOfBoundsException("offset " + offset + " + length " + length + " leaves " + this
                    + " of length " + connection.regionLength);
        }
    }

    private void checkAtomic(long offset) {
        check(Access.REMOTE_ATOMIC, offset, Long.BYTES);
        if ((offset & Long.BYTES - 1) != 0) {
            throw new IllegalArgumentException("offset " + offset + " of an atomic is not a multiple of " + Long.BYTES);
        }
    }

    private SendResult refused() {
        tenant.statistics().refuse(queuePair.limit());
        return SendResult.BACK_PRESSURED;
    }

    private boolean isOpen() {
        return connection.state == Connection.OPEN && queuePair.state() == QpState.RTS;
    }

    private SendResult postAtomic(SendRequest atomic, long correlationId, OperationHandler handler) {
        if (!isOpen()) {
            return SendResult.CLOSED;
        }
        if (!operations.claim(Long.BYTES)) {
            return refused();
        }
        return postStaged(atomic, Long.BYTES, correlationId, handler, null, 0, ATOMIC);
    }

    private SendResult postStaged(
            SendRequest prepared,
            int length,
            long correlationId,
            OperationHandler handler,
            @Nullable MutableDirectBuffer target,
            int targetOffset,
            int resultLength) {
        StagingRing staging = operations.staging();
        prepared.local(staging.key(), staging.offset(), length).wrId(operations.next());
        if (queuePair.post(prepared) != PostResult.POSTED) {
            staging.abort();
            return refused();
        }
        operations.postedStaged(correlationId, handler, target, targetOffset, resultLength);
        queuePair.doorbell();
        return SendResult.SENT;
    }

    private SendResult postUnstaged(SendRequest prepared, long correlationId, OperationHandler handler) {
        if (!isOpen()) {
            return SendResult.CLOSED;
        }
        if (!operations.hasSlot() || queuePair.post(prepared.wrId(operations.next())) != PostResult.POSTED) {
            return refused();
        }
        operations.posted(correlationId, handler);
        queuePair.doorbell();
        return SendResult.SENT;
    }

    // ---- polling ----------------------------------------------------------------------------------------------------

    /**
     * Tells handlers of operations that have ended, oldest first. In the mode INVOKER and ASSISTED it does a share of the
     * node's sending and receiving, if there is nothing to tell.
     *
     * @param limit most operations, at least 1; never more than may be under way are told at a time
     * @return operations; also 0 while another thread polls
     */
    public int poll(int limit) {
        if (!polling.compareAndSet(false, true)) {
            return 0;
        }
        poller = Thread.currentThread();
        int ended;
        try {
            ended = released
                    ? endReleased(limit)
                    : completions.poll(onCompletion, Math.min(limit, queuePair.maxSend()));
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
     * Lets the node poll, on its own thread (or in {@link Node#doWork}), from now on. A handler that throws has consumed
     * its operation; the error is logged.
     */
    public RemoteRegion pollOnNode() {
        if (!nodePolls) {
            nodePolls = true;
            node.turns().add(turn, awaitsNode);
        }
        return this;
    }

    private void onCompletion(Completion completion) {
        if (completion.isSuccess()) {
            end(Outcome.DONE);
        } else {
            connections.failed(connection, completion.status());
            end(Outcome.CLOSED);
        }
    }

    /** Tells the handler of the oldest operation. */
    private void end(Outcome outcome) {
        boolean entered = node.enterCallback();
        try {
            operations.end(outcome);
        } finally {
            if (entered) {
                node.leaveCallback();
            }
        }
    }

    private int endReleased(int limit) {
        int ended = 0;
        while (ended < limit && operations.outstanding() > 0) {
            end(Outcome.CLOSED);
            ended++;
        }
        return ended;
    }

    private final class Turn implements TurnTask {
        @Override
        public boolean hasWork() {
            return released ? operations.outstanding() > 0 : !completions.isEmpty();
        }

        @Override
        public Tenant tenant() {
            return tenant;
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
     * Reads, and waits for it.
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
     * Replaces 8 bytes if they are as expected, and waits for it.
     *
     * @param offset in the region, a multiple of 8
     * @return what they were: the expected value if they were replaced
     * @throws RemoteMemoryException if it is not done in time, or the region closes
     */
    public long compareAndSwap(long offset, long expected, long desired, Duration timeout) {
        return blocking.compareAndSwap(offset, expected, desired, timeout);
    }

    /**
     * Adds to 8 bytes, and waits for it.
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

    /** Operations that were posted and whose handlers were not told of the end. */
    public int outstanding() {
        return (int) operations.outstanding();
    }

    /** Whether operations are taken. */
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

    /** The connection is over: the node's last poll, if nothing else drives it any more. */
    void onClosed() {
        if (nodePolls && !node.turns().tryNow(turn)) {
            node.wake();
        }
    }

    /** Whether a completion waits to be polled. */
    BooleanSupplier parkCheck() {
        return hasCompletion;
    }

    /** The queue pair is gone: memory is given back, by whoever polls. Under the lock of {@link Connections}. */
    void retire() {
        retired = true;
        releaseUnlessPolled();
    }

    private void releaseUnlessPolled() {
        if (polling.compareAndSet(false, true)) {
            try {
                if (!released) {
                    released = true;
                    completions.close();
                    operations.release();
                    node.turns().forget(hasCompletion);
                    node.turns().forget(awaitsNode);
                }
            } finally {
                polling.set(false);
            }
        }
        if (listed && (!nodePolls || operations.outstanding() == 0)) {
            listed = false;
            node.turns().remove(turn, awaitsNode);
        }
    }

    /**
     * Detaches: what was posted is still done, within the node's linger time; what is not ends in {@link Outcome#CLOSED}.
     * Does not wait for that. Idempotent.
     */
    @Override
    public void close() {
        connections.close(connection);
    }

    @Override
    public String toString() {
        return "remote region '" + connection.name + "' of node '" + connection.peerName + "'";
    }
}
