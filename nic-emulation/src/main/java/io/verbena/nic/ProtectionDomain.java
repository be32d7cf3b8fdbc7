package io.verbena.nic;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DeregisterResult;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.QpQueues;
import io.verbena.nic.verbs.AddressHeader;
import io.verbena.nic.verbs.QpType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A protection domain ({@code ibv_alloc_pd(3)}): regions, queue pairs and append queues work together only within one.
 * Thread-safe; not for the data path.
 */
public final class ProtectionDomain implements AutoCloseable {
    private final Nic nic;
    private final int number;
    private final PerformanceGroup group;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<SharedReceiveQueue> sharedReceiveQueues = new ArrayList<>();
    private final List<AppendQueue> appendQueues = new ArrayList<>();
    private final List<AddressHandle> addressHandles = new ArrayList<>();
    private final DomainMemory memory;
    private boolean closed;

    ProtectionDomain(Nic nic, int number, PerformanceGroup group) {
        this.nic = nic;
        this.number = number;
        this.group = group;
        this.memory = new DomainMemory(nic, number, group);
    }

    /** Its number. */
    public int number() {
        return number;
    }

    /** The settings of its group, as a copy. */
    public GroupAttributes limits() {
        return group.query();
    }

    /** Counts of what its group has sent, and how long it waited. */
    public GroupStatistics statistics() {
        return group.statistics();
    }

    Nic nic() {
        return nic;
    }

    /** The group whose share its queue pairs take. */
    public PerformanceGroup group() {
        return group;
    }

    /** Under the NIC's lock. */
    int regions() {
        return memory.regions() + memory.windows();
    }

    int urgentQueuePairs() {
        int count = 0;
        for (QueuePair qp : queuePairs) {
            count += qp.trafficClass() == TrafficClass.URGENT ? 1 : 0;
        }
        return count;
    }

    /** Makes all queue pairs bulk, each from its engine's next turn on. Under the NIC's lock. */
    void makeBulk() {
        for (QueuePair qp : queuePairs) {
            qp.makeBulk();
        }
    }

    /**
     * Allocates memory and registers it: peers with a direct path can reach it without packets.
     *
     * @param length bytes, 1 to 2^31 - 1
     * @param access {@link Access} flags
     * @throws MemoryExhaustedException if there is not enough memory, or the group's limit does not allow it
     * @throws IllegalStateException if the NIC or the group has the maximum number of regions
     */
    public MemoryRegion allocate(int length, int access) {
        synchronized (nic) {
            MemoryRegion region = tryAllocate(length, access);
            if (region == null) {
                group.checkRegions();
                throw group.memory().exhausted(length);
            }
            return region;
        }
    }

    /**
     * As {@link #allocate}, for callers that can try again.
     *
     * @return null if the group's {@link GroupAttributes#maxMemory(long)} or {@link GroupAttributes#maxRegions(int)}
     *     does not allow it now
     * @throws MemoryExhaustedException if there is not enough memory, or the group's limit never allows as much
     */
    public @Nullable MemoryRegion tryAllocate(int length, int access) {
        if (length < 1) {
            throw new IllegalArgumentException("region length " + length + " < minimum 1");
        }
        Access.checked(access);
        synchronized (nic) {
            checkOpen();
            return memory.tryAllocate(length, access);
        }
    }

    /**
     * Registers memory of the caller ({@code ibv_reg_mr(3)}). Peers reach it through packets.
     *
     * @param bytes a direct buffer; its remaining bytes become the region
     * @param access {@link Access} flags
     * @throws IllegalStateException if the NIC or the group has the maximum number of regions
     */
    public MemoryRegion register(ByteBuffer bytes, int access) {
        UnsafeBuffer buffer = registrable(bytes, access);
        synchronized (nic) {
            checkOpen();
            return memory.register(buffer, access);
        }
    }

    /**
     * As {@link #register(ByteBuffer, int)}, for callers that can proceed without it.
     *
     * @return null if the NIC or the group has the maximum number of regions, or the domain is closed
     */
    public @Nullable MemoryRegion tryRegister(ByteBuffer bytes, int access) {
        UnsafeBuffer buffer = registrable(bytes, access);
        synchronized (nic) {
            return closed || !memory.mayRegister() ? null : memory.register(buffer, access);
        }
    }

    private static UnsafeBuffer registrable(ByteBuffer bytes, int access) {
        if (!bytes.isDirect()) {
            throw new IllegalArgumentException("only direct buffers can be registered, this one is on the heap");
        }
        Access.checked(access);
        return new UnsafeBuffer(bytes, bytes.position(), bytes.remaining());
    }

    /**
     * Registers a region's memory once more: another key to the same bytes, with access of its own. What one key
     * permits does not affect the other. Memory that was {@linkplain #allocate allocated} is given back with the last
     * of its regions.
     *
     * @param region of this protection domain
     * @param access {@link Access} flags
     * @throws IllegalStateException if the NIC or the group has the maximum number of regions
     */
    public MemoryRegion register(MemoryRegion region, int access) {
        Access.checked(access);
        synchronized (nic) {
            checkOpen();
            return memory.register(region, access);
        }
    }

    /**
     * Deregisters a region ({@code ibv_dereg_mr(3)}): its key is invalid at once. Waits a bounded time for operations
     * that are under way. Of a domain that is closed, which has no regions any more, this does nothing.
     *
     * @return BUSY if one of them has not ended; the memory is then set aside and not reused
     */
    public DeregisterResult deregister(MemoryRegion region) {
        synchronized (nic) {
            return closed ? DeregisterResult.DONE : memory.deregister(region);
        }
    }

    /** Changes a region's access, as {@link #reregister(MemoryRegion, int, ProtectionDomain, long, long)}. */
    public MemoryRegion reregister(MemoryRegion region, int access) {
        return reregister(region, access, this, memory.offset(region), region.length());
    }

    /**
     * Registers a region's memory anew ({@code ibv_rereg_mr(3)}): with other access, in another protection domain, or
     * another range of it. The returned region has a new key; the old key and the old region are invalid at once, also
     * for requests under way. Waits a bounded time for operations that are in the middle of a copy; requests of peers
     * that arrive in that time are refused.
     *
     * @param region of this protection domain
     * @param access {@link Access} flags
     * @param to protection domain of the same NIC, perhaps this one
     * @param offset where the region begins, in bytes from the beginning of the memory that it was first made of
     * @param length bytes, at least 1
     * @throws IllegalArgumentException if an argument is out of range; nothing has changed then
     * @throws MemoryExhaustedException if the limits of the group that it is to go to do not allow it; nothing has
     *     changed then
     * @throws IllegalStateException (EBUSY) if windows are bound to it, its memory is to go to another protection
     *     domain and is registered more than once, or a peer's operation does not end in time: the region stays as it
     *     was, under its old key
     */
    public MemoryRegion reregister(MemoryRegion region, int access, ProtectionDomain to, long offset, long length) {
        if (to.nic != nic) {
            throw new IllegalArgumentException("protection domain " + to.number + " is of " + to.nic + ", not " + nic);
        }
        synchronized (nic) {
            checkOpen();
            to.checkOpen();
            return memory.reregister(region, access, to.memory, offset, length);
        }
    }

    /**
     * Allocates a memory window ({@code ibv_alloc_mw(3)}).
     *
     * @param type how it will be bound
     * @throws IllegalStateException if the NIC or the group has the maximum number of regions and windows
     */
    public MemoryWindow allocateWindow(MemoryWindow.Type type) {
        synchronized (nic) {
            checkOpen();
            return memory.allocateWindow(type);
        }
    }

    /** Frees a memory window ({@code ibv_dealloc_mw(3)}); if it is bound, its key is invalid at once. */
    public void deallocate(MemoryWindow window) {
        synchronized (nic) {
            memory.deallocate(window);
        }
    }

    /**
     * Makes an address handle ({@code ibv_create_ah(3)}).
     *
     * @param peerNic identity of the NIC that datagrams are to go to
     */
    public AddressHandle createAddressHandle(long peerNic) {
        synchronized (nic) {
            checkOpen();
            AddressHandle handle = new AddressHandle(this, nic.addresses(), peerNic);
            addressHandles.add(handle);
            return handle;
        }
    }

    /**
     * Makes an address handle that leads back to the sender of a datagram ({@code ibv_create_ah_from_wc(3)}).
     *
     * @param receive holds what was received
     * @param offset of the {@link AddressHeader}
     */
    public AddressHandle createAddressHandle(DirectBuffer receive, int offset) {
        return createAddressHandle(AddressHeader.sourceNic(receive, offset));
    }

    /**
     * Makes a shared receive queue.
     *
     * @param depth receives, 1 to 32768
     * @param maxSge entries of a receive, 1 to 32
     */
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int maxSge) {
        synchronized (nic) {
            checkOpen();
            SharedReceiveQueue queue = new SharedReceiveQueue(this, nic.takeSharedReceiveNumber(), depth, maxSge);
            sharedReceiveQueues.add(queue);
            return queue;
        }
    }

    /** Makes an append queue on engine 0. */
    public AppendQueue createAppendQueue(AppendQueueAttributes attributes) {
        return createAppendQueue(attributes, 0);
    }

    /** Makes an append queue whose owner sleeps with the given engine. */
    public AppendQueue createAppendQueue(AppendQueueAttributes attributes, int engine) {
        synchronized (nic) {
            checkOpen();
            nic.engine(engine);
            appendQueues.removeIf(AppendQueue::isDestroyed);
            AppendQueue queue = nic.appendQueues().create(attributes, number, engine, group.memory());
            appendQueues.add(queue);
            return queue;
        }
    }

    /**
     * Makes a queue pair in RESET ({@code ibv_create_qp(3)}).
     *
     * @throws IllegalArgumentException if a completion queue is missing or belongs to another engine
     * @throws IllegalStateException if the group has the maximum number of queue pairs
     */
    public QueuePair createQueuePair(QueuePairAttributes a) {
        CompletionQueue sendQueue = a.sendQueue;
        CompletionQueue receiveQueue = a.receiveQueue;
        if (sendQueue == null || receiveQueue == null) {
            throw new IllegalArgumentException("a queue pair needs a send and a receive completion queue");
        }
        synchronized (nic) {
            checkOpen();
            Engine engine = nic.engine(a.engine);
            if (sendQueue.engine() != engine || receiveQueue.engine() != engine) {
                throw new IllegalArgumentException("queue pair on engine " + engine.index() + ", completion queues on "
                        + sendQueue.engine().index() + " and "
                        + receiveQueue.engine().index());
            }
            SharedReceiveQueue shared = a.sharedReceiveQueue;
            sendQueue.checkUsable();
            receiveQueue.checkUsable();
            if (shared != null) {
                shared.checkEngine(engine);
            }
            if (shared != null && a.type == QpType.UC) {
                throw new IllegalArgumentException("a queue pair of type UC cannot take from a shared receive queue");
            }
            group.checkQueuePairs();
            int qpNumber = nic.queuePairNumbers().take();
            QpQueues queues = new QpQueues(
                    new SendRing(a.maxSend, a.maxSge, a.maxInline),
                    shared == null ? new ReceiveRing(a.maxReceive, a.maxSge, number) : shared.ring(),
                    shared != null,
                    sendQueue.ring(),
                    receiveQueue.ring(),
                    a.type == QpType.RC && nic.cutsMessages() ? new SendRing(a.maxSend, a.maxSge, a.maxInline) : null);
            QpContext context = new QpContext(a.type, qpNumber, number, group.flows(), queues, engine.services());
            context.senderQuota(a.senderQuota);
            sendQueue.use(qpNumber);
            receiveQueue.use(qpNumber);
            if (shared != null) {
                shared.use(qpNumber, engine);
            }
            QueuePair qp = new QueuePair(this, engine, context, sendQueue, receiveQueue, shared);
            queuePairs.add(qp);
            group.addQueuePair();
            engine.call(() -> engine.add(context));
            return qp;
        }
    }

    void forget(QueuePair qp) {
        if (queuePairs.remove(qp)) {
            group.removeQueuePair();
        }
        nic.queuePairNumbers().give(qp.number());
    }

    boolean forget(AddressHandle handle) {
        return addressHandles.remove(handle);
    }

    void forget(SharedReceiveQueue queue) {
        sharedReceiveQueues.remove(queue);
    }

    private void checkOpen() {
        nic.checkOpen();
        if (closed) {
            throw new IllegalStateException("protection domain " + number + " is closed");
        }
    }

    /** Closes the queue pairs, which may use objects of other domains. */
    void closeQueuePairs() {
        for (QueuePair qp : List.copyOf(queuePairs)) {
            qp.close();
        }
    }

    /** Closes what is left, children first, then the domain. */
    void closeAll() {
        for (SharedReceiveQueue queue : List.copyOf(sharedReceiveQueues)) {
            queue.close();
        }
        for (AppendQueue queue : List.copyOf(appendQueues)) {
            queue.destroy(true);
        }
        appendQueues.clear();
        memory.deallocateWindows();
        for (AddressHandle handle : List.copyOf(addressHandles)) {
            handle.close();
        }
        memory.deregisterAll();
        close();
    }

    /**
     * Destroys it. Idempotent.
     *
     * @throws IllegalStateException (EBUSY) if it still has children
     */
    @Override
    public void close() {
        synchronized (nic) {
            if (closed) {
                return;
            }
            appendQueues.removeIf(AppendQueue::isDestroyed);
            StringJoiner users = new StringJoiner(", ");
            name(users, queuePairs.size(), "queue pairs");
            name(users, sharedReceiveQueues.size(), "shared receive queues");
            name(users, appendQueues.size(), "append queues");
            name(users, memory.windows(), "memory windows");
            name(users, addressHandles.size(), "address handles");
            name(users, memory.regions(), "memory regions");
            if (users.length() > 0) {
                throw new IllegalStateException("protection domain " + number + " is busy (EBUSY): it has " + users);
            }
            closed = true;
            nic.forget(this);
        }
    }

    private static void name(StringJoiner users, int count, String what) {
        if (count > 0) {
            users.add(count + " " + what);
        }
    }

    @Override
    public String toString() {
        return "protection domain " + number + " of " + group;
    }
}
