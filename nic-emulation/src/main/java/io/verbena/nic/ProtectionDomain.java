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
import io.verbena.nic.port.Segment;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.AddressHeader;
import io.verbena.nic.verbs.QpType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What may touch what ({@code ibv_alloc_pd(3)}): regions, queue pairs and append queues work together only within one
 * protection domain. Thread-safe; not for the data path.
 */
public final class ProtectionDomain implements AutoCloseable {
    private final Nic nic;
    private final int number;
    private final PerformanceGroup group;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<SharedReceiveQueue> sharedReceiveQueues = new ArrayList<>();
    private final List<AppendQueue> appendQueues = new ArrayList<>();
    private final List<MemoryWindow> windows = new ArrayList<>();
    private final List<AddressHandle> addressHandles = new ArrayList<>();
    // In the order of registration: regions are hashed by identity.
    private final Map<MemoryRegion, Segment> segments = new LinkedHashMap<>();
    private final Map<MemoryRegion, AtomicBuffer> registered = new LinkedHashMap<>(); // with all of the caller's memory
    private final Set<Integer> setAside =
            new HashSet<>(); // segments where an initiator may be at it, under a key that is gone
    private boolean closed;

    ProtectionDomain(Nic nic, int number, PerformanceGroup group) {
        this.nic = nic;
        this.number = number;
        this.group = group;
    }

    /** Its number. */
    public int number() {
        return number;
    }

    /** What is set for its group: a copy, to read. */
    public GroupAttributes limits() {
        return group.query();
    }

    /** What its group has sent and waited for. */
    public GroupStatistics statistics() {
        return group.statistics();
    }

    Nic nic() {
        return nic;
    }

    PerformanceGroup group() {
        return group;
    }

    /** Under the NIC's lock. */
    int regions() {
        return segments.size() + registered.size() + windows.size();
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
     * @throws MemoryExhaustedException if the memory cannot be had, or the group may not have it
     * @throws IllegalStateException if there are as many regions as there may be, of the NIC's or of the group's
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
     * As {@link #allocate}, for callers that may come back.
     *
     * @return null if the group has taken too much of its {@link GroupAttributes#maxMemory(long)} for now, or has as many regions
     *     as it {@linkplain GroupAttributes#maxRegions(int) may have}
     * @throws MemoryExhaustedException if the memory cannot be had, or the group may never have as much
     */
    public @Nullable MemoryRegion tryAllocate(int length, int access) {
        if (length < 1) {
            throw new IllegalArgumentException("region length " + length + " < minimum 1");
        }
        Access.checked(access);
        synchronized (nic) {
            checkOpen();
            if (!group.mayHaveRegion()) {
                group.memory().refused();
                return null;
            }
            if (!group.memory().tryReserve(length)) {
                if (length > group.memory().limit()) {
                    throw group.memory().exhausted(length);
                }
                return null;
            }
            Segment segment = null;
            MemoryRegion region = null;
            try {
                segment = nic.memory().allocate(length);
                region = nic.regions().register(segment.buffer(), segment.id(), 0, length, access, number);
            } finally {
                if (region == null) {
                    group.memory().adjust(-length);
                    if (segment != null) {
                        nic.memory().release(segment);
                    }
                }
            }
            group.memory().adjust(segment.buffer().capacity() - length);
            segments.put(region, segment);
            return region;
        }
    }

    /**
     * Registers memory of the caller's ({@code ibv_reg_mr(3)}). Peers reach it through packets.
     *
     * @param memory a direct buffer; its remaining bytes become the region
     * @param access {@link Access} flags
     * @throws IllegalStateException if there are as many regions as there may be, of the NIC's or of the group's
     */
    public MemoryRegion register(ByteBuffer memory, int access) {
        if (!memory.isDirect()) {
            throw new IllegalArgumentException("only direct buffers can be registered, this one is on the heap");
        }
        Access.checked(access);
        synchronized (nic) {
            checkOpen();
            group.checkRegions();
            AtomicBuffer buffer = new UnsafeBuffer(memory, memory.position(), memory.remaining());
            MemoryRegion region = nic.regions().register(buffer, -1, 0, buffer.capacity(), access, number);
            registered.put(region, buffer);
            return region;
        }
    }

    /**
     * Registers a region's memory once more: a key of its own, with its own access, to the same bytes. What one key permits
     * does not matter to the other. Memory that was {@linkplain #allocate allocated} is given back with the last of its regions.
     *
     * @param region of this protection domain
     * @param access {@link Access} flags
     * @throws IllegalStateException if there are as many regions as there may be, of the NIC's or of the group's
     */
    public MemoryRegion register(MemoryRegion region, int access) {
        Access.checked(access);
        synchronized (nic) {
            checkOpen();
            Segment segment = segments.get(region);
            AtomicBuffer own = registered.get(region);
            if (segment == null && own == null) {
                throw new IllegalArgumentException(region + " is not of protection domain " + number);
            }
            group.checkRegions();
            MemoryRegion again = nic.regions()
                    .register(
                            region.buffer(),
                            region.segmentId(),
                            region.segmentOffset(),
                            region.length(),
                            access,
                            number);
            if (segment != null) {
                segments.put(again, segment);
            } else if (own != null) {
                registered.put(again, own);
            }
            return again;
        }
    }

    /**
     * Deregisters a region ({@code ibv_dereg_mr(3)}): its key is invalid at once; operations that were under way are waited
     * for, a bounded time.
     *
     * @return BUSY if one of them has not ended: the memory is then set aside and not reused
     */
    public DeregisterResult deregister(MemoryRegion region) {
        synchronized (nic) {
            Segment segment = segments.get(region);
            if (segment == null && !registered.containsKey(region)) {
                throw new IllegalArgumentException(region + " is not of protection domain " + number);
            }
            DeregisterResult result = nic.regions().deregister(region);
            segments.remove(region);
            registered.remove(region);
            if (result == DeregisterResult.DONE && !nic.quiesce()) {
                result = DeregisterResult.BUSY; // an engine here may still copy
            }
            if (segment != null) {
                giveBack(segment, result);
            }
            return result;
        }
    }

    /** One of a segment's regions is gone: it goes with the last one, unless somebody may be in the midst of an operation. */
    private void giveBack(Segment segment, DeregisterResult result) {
        if (result == DeregisterResult.BUSY) {
            setAside.add(segment.id());
        }
        if (regions(segment) == 0 && !setAside.remove(segment.id())) {
            group.memory().adjust(-segment.buffer().capacity());
            nic.memory().release(segment);
        }
    }

    private long regions(Segment segment) {
        return segments.values().stream()
                .filter(each -> each.id() == segment.id())
                .count();
    }

    /** Changes a region's access, as {@link #reregister(MemoryRegion, int, ProtectionDomain, long, long)}. */
    public MemoryRegion reregister(MemoryRegion region, int access) {
        return reregister(region, access, this, region.segmentOffset() + sliceOffset(region), region.length());
    }

    /**
     * Registers a region's memory anew ({@code ibv_rereg_mr(3)}): with other access, in another protection domain, another
     * range of it. The region that comes back has a new key; the old one is invalid at once, for requests under way too,
     * and so is the old region. Operations that were in the middle of a copy are waited for, a bounded time; requests of
     * peers that come in that time are refused.
     *
     * @param region of this protection domain
     * @param access {@link Access} flags
     * @param to protection domain of the same NIC, perhaps this one
     * @param offset where the region begins, in bytes from the beginning of the memory that it was first made of
     * @param length bytes, at least 1
     * @throws IllegalArgumentException if an argument is out of range; nothing has changed then
     * @throws MemoryExhaustedException if it is to go to a group that may not have its memory; nothing has changed
     *     then
     * @throws IllegalStateException (EBUSY) if windows are bound to it, its memory is to go to another protection domain and is
     *     registered more than once, or a peer's operation does not end in time: the region stays as it was, under its old key
     */
    public MemoryRegion reregister(MemoryRegion region, int access, ProtectionDomain to, long offset, long length) {
        if (to.nic != nic) {
            throw new IllegalArgumentException("protection domain " + to.number + " is of " + to.nic + ", not " + nic);
        }
        synchronized (nic) {
            checkOpen();
            to.checkOpen();
            Segment segment = segments.get(region);
            AtomicBuffer own = registered.get(region);
            AtomicBuffer whole = segment == null ? own : segment.buffer();
            if (whole == null) {
                throw new IllegalArgumentException(region + " is not of protection domain " + number);
            }
            if (length < 1 || !MemoryRegion.contains(offset, length, whole.capacity())) {
                throw new IllegalArgumentException("range of " + length + " bytes at " + offset
                        + " outside the memory of " + whole.capacity() + " bytes");
            }
            if (segment != null && to != this && regions(segment) > 1) {
                throw new IllegalStateException(region + " is busy (EBUSY): its memory is registered more than once");
            }
            if (to.group != group) {
                to.group.checkRegions();
            }
            int moved =
                    segment == null || to.group == group ? 0 : segment.buffer().capacity();
            to.group.memory().reserve(moved);
            MemoryRegion anew = null;
            try {
                anew = nic.regions()
                        .reregister(
                                region,
                                new UnsafeBuffer(whole, (int) offset, (int) length),
                                segment == null ? -1 : segment.id(),
                                segment == null ? 0 : offset,
                                length,
                                access,
                                to.number);
            } finally {
                (anew == null ? to : this).group.memory().adjust(-moved);
            }
            if (anew == null) {
                throw new IllegalStateException(region + " is busy (EBUSY): a peer is in the middle of an operation");
            }
            segments.remove(region);
            registered.remove(region);
            if (segment != null) {
                to.segments.put(anew, segment);
            } else if (own != null) {
                to.registered.put(anew, own);
            }
            nic.quiesce();
            return anew;
        }
    }

    /** Where a region of the caller's memory begins in it; one of a segment says so itself. */
    private long sliceOffset(MemoryRegion region) {
        AtomicBuffer whole = registered.get(region);
        return whole == null ? 0 : region.buffer().addressOffset() - whole.addressOffset();
    }

    /**
     * Allocates a memory window ({@code ibv_alloc_mw(3)}).
     *
     * @param type how it will be bound
     * @throws IllegalStateException if there are as many regions and windows as there may be, of the NIC's or of the group's
     */
    public MemoryWindow allocateWindow(MemoryWindow.Type type) {
        synchronized (nic) {
            checkOpen();
            group.checkRegions();
            MemoryWindow window = nic.regions().allocateWindow(type, number);
            windows.add(window);
            return window;
        }
    }

    /** Frees a memory window ({@code ibv_dealloc_mw(3)}); if it is bound, its key is invalid at once. */
    public void deallocate(MemoryWindow window) {
        synchronized (nic) {
            if (!windows.remove(window)) {
                throw new IllegalArgumentException(window + " is not of protection domain " + number);
            }
            nic.regions().deallocate(window);
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
     * Makes an address handle that answers whoever sent a datagram ({@code ibv_create_ah_from_wc(3)}).
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
     * @throws IllegalStateException if the group has as many queue pairs as it may have
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
            int qpNumber = nic.takeQueuePairNumber();
            QpContext context = new QpContext(
                    a.type,
                    qpNumber,
                    number,
                    group.flows(),
                    new SendRing(a.maxSend, a.maxSge, a.maxInline),
                    shared == null ? new ReceiveRing(a.maxReceive, a.maxSge, number) : shared.ring(),
                    shared != null,
                    sendQueue.ring(),
                    receiveQueue.ring(),
                    engine.services());
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
        nic.returnQueuePairNumber(qp.number());
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

    /** Closes the queue pairs; they may use what is of other domains. */
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
        for (MemoryWindow window : List.copyOf(windows)) {
            deallocate(window);
        }
        for (AddressHandle handle : List.copyOf(addressHandles)) {
            handle.close();
        }
        for (MemoryRegion region : List.copyOf(segments.keySet())) {
            deregister(region);
        }
        for (MemoryRegion region : List.copyOf(registered.keySet())) {
            deregister(region);
        }
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
            name(users, windows.size(), "memory windows");
            name(users, addressHandles.size(), "address handles");
            name(users, segments.size() + registered.size(), "memory regions");
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
