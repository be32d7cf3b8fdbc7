package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_ROLL;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.MemoryQuota;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.NicId;
import io.verbena.nic.verbs.AsyncEventType;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A NIC's append queues (RIMA 3.2: the tail-pointer table).
 *
 * <p>Concurrency: {@link #create} is serialised by the caller (control path); {@link #find} is for any thread and
 * allocates nothing.
 */
public final class TailPointerTable {
    private static final Logger LOG = LoggerFactory.getLogger(TailPointerTable.class);

    private final String nic;
    private final ControlBlock control;
    private final MemoryProvider memory;
    private final OwnMemory ownMemory;
    private final NanoClock clock;
    private final LogRateLimiter reports = new LogRateLimiter();
    private final LogRateLimiter corruptions = new LogRateLimiter();
    private volatile Runnable onExhausted = () -> {};
    private volatile IntConsumer onCorrupted = id -> {};
    private final AtomicReferenceArray<@Nullable AppendQueue> queues;
    private final AtomicReferenceArray<@Nullable AppendQueue> dismantled;
    private final Initiators initiators;
    private final SharedReserve sharedReserve;
    private final LongSupplier random;
    private final SenderQuotas quotas = new SenderQuotas();
    private volatile Runnable wakeAllocator = () -> {};
    private volatile IntConsumer wakeEngine = engine -> {};
    private volatile ObjIntConsumer<AsyncEventType> onEvent = (event, id) -> {};
    private volatile IntConsumer onDestroy = id -> {};
    private volatile BiConsumer<Integer, Boolean> onDestroyed = (id, done) -> {};

    /**
     * Creates an empty table whose keys nobody can guess.
     *
     * @param control the NIC's control block
     * @param memory the NIC's memory
     * @param clock for timeouts
     */
    public TailPointerTable(ControlBlock control, MemoryProvider memory, NanoClock clock) {
        this(NicId.text(control.nicId()), control, memory, 0, clock, new SecureRandom()::nextLong);
    }

    /**
     * Creates an empty table.
     *
     * @param nic the NIC's name, for the log
     * @param control the NIC's control block
     * @param memory the NIC's memory
     * @param sharedReserve bytes that all queues together have ready, for those that ask for no reserve of their own:
     *     what can arrive while a chunk is allocated, at most 1 GiB; 0 if each is to have one
     * @param clock for timeouts
     * @param random what keys are drawn from
     */
    public TailPointerTable(
            String nic,
            ControlBlock control,
            MemoryProvider memory,
            long sharedReserve,
            NanoClock clock,
            LongSupplier random) {
        this.nic = nic;
        this.random = random;
        this.control = control;
        this.memory = memory;
        this.sharedReserve = new SharedReserve(memory, sharedReserve);
        this.ownMemory = new OwnMemory(memory);
        this.clock = clock;
        int size = control.limits().maxAppendQueues();
        this.queues = new AtomicReferenceArray<>(size);
        this.dismantled = new AtomicReferenceArray<>(size);
        this.initiators = new Initiators(this, control);
    }

    /**
     * Sets who is to be woken.
     *
     * @param allocator run when {@link ChunkAllocator#doWork} should be called soon; any thread, must not block
     * @param engine told the index of an engine whose consumer has something to read that no append told it of
     */
    public void onWork(Runnable allocator, IntConsumer engine) {
        wakeAllocator = allocator;
        wakeEngine = engine;
    }

    /**
     * Sets the listeners for events.
     *
     * @param event told the id of a queue that has fallen below its watermark, or has turned a sender away while it was
     *     refused memory; any thread, must not block
     * @param destroy told the id of a queue that is about to be destroyed; may wait, and refuse by an
     *     IllegalStateException
     * @param destroyed told the same id afterwards, and whether the queue was destroyed
     */
    public void onEvents(
            ObjIntConsumer<AsyncEventType> event, IntConsumer destroy, BiConsumer<Integer, Boolean> destroyed) {
        onEvent = event;
        onDestroy = destroy;
        onDestroyed = destroyed;
    }

    /**
     * Sets who counts.
     *
     * @param refused run when memory is exhausted; any thread, must not block
     */
    public void onExhausted(Runnable refused) {
        onExhausted = refused;
    }

    /**
     * Sets the listener for queues whose memory is corrupted.
     *
     * @param corrupted told the id of each once; any thread, must not block
     */
    public void onCorrupted(IntConsumer corrupted) {
        onCorrupted = corrupted;
    }

    /** Somebody who has a queue mapped has written what no appender writes. */
    void corrupted(AppendQueue queue, String what) {
        onCorrupted.accept(queue.id());
        long leftOut = corruptions.ask(clock.nanoTime());
        if (leftOut >= 0) {
            LOG.error(
                    "{} of NIC {} is corrupted by somebody who has it mapped, and takes "
                            + "nothing more: {} ({} such lines left out)",
                    queue,
                    nic,
                    what,
                    leftOut);
        }
    }

    /** Memory is exhausted: senders to the queue wait. */
    void exhausted(AppendQueue queue, MemoryExhaustedException e) {
        onExhausted.run();
        long leftOut = reports.ask(clock.nanoTime());
        if (leftOut >= 0) {
            LOG.warn(
                    "{} of NIC {} gets no memory, and what is sent there may have to wait, "
                            + "for {} s at most: {} ({} such lines"
                            + " left out)",
                    queue,
                    nic,
                    Appender.SHORT_SECONDS,
                    e.getMessage(),
                    leftOut);
        }
    }

    /** The NIC's name. */
    String nic() {
        return nic;
    }

    void belowWatermark(AppendQueue queue) {
        onEvent.accept(AsyncEventType.AQ_WATERMARK, queue.id());
    }

    void turnedAway(AppendQueue queue) {
        onEvent.accept(AsyncEventType.AQ_EXHAUSTED, queue.id());
    }

    void beginDestroy(AppendQueue queue) {
        onDestroy.accept(queue.id());
    }

    void endDestroy(AppendQueue queue, boolean destroyed) {
        onDestroyed.accept(queue.id(), destroyed);
    }

    /**
     * Creates a queue ({@code ibv_create_aq}), with its first chunk and its reserve; of one that shares the NIC's, with
     * nothing, but there is a chunk in that when this returns.
     *
     * @param attributes what it is made of
     * @param pd protection domain
     * @param engine index of the engine whose work wakes the consumer
     * @return the queue
     * @throws IllegalArgumentException if an attribute is out of range; names both values
     * @throws IllegalStateException if there are as many queues as the limits allow
     * @throws io.verbena.nic.port.MemoryExhaustedException if there is no memory for it
     */
    public AppendQueue create(AppendQueueAttributes attributes, int pd, int engine) {
        return create(attributes, pd, engine, new MemoryQuota("of none", Long.MAX_VALUE));
    }

    /**
     * As {@link #create(AppendQueueAttributes, int, int)}, with a bound on its memory beside its own.
     *
     * @param quota that its memory counts against
     */
    public AppendQueue create(AppendQueueAttributes attributes, int pd, int engine, MemoryQuota quota) {
        AppendQueueAttributes concluded = attributes.concluded(control.limits(), sharedReserve.isOn());
        if (pd < 0 || pd > QueuePairWord.MAX_PD) {
            throw new IllegalArgumentException("protection domain " + pd + " outside 0 to " + QueuePairWord.MAX_PD);
        }
        if (engine < 0 || engine >= control.limits().maxEngines()) {
            throw new IllegalArgumentException(
                    "engine " + engine + ", limit " + control.limits().maxEngines());
        }
        for (int id = 0; id < queues.length(); id++) {
            // An id whose last queue still waits for initiators is not used: its counters and head are in use.
            if (queues.get(id) == null && dismantled.get(id) == null) {
                if (concluded.sharesReserve()) {
                    sharedReserve.prepare(concluded.chunkLength());
                }
                AppendQueue.Identity identity = new AppendQueue.Identity(id, newKey(), pd, engine);
                AppendQueue queue =
                        new AppendQueue(this, control, memory, quota, identity, concluded, clock.nanoTime());
                queues.set(id, queue);
                wakeAllocator(); // from now on it looks now and then: peers that append directly tell nobody here
                return queue;
            }
        }
        throw new IllegalStateException("append queues " + queues.length() + " = maximum " + queues.length() + ", "
                + countDismantled() + " of them destroyed and not free yet; raise ControlLimits.maxAppendQueues");
    }

    private int countDismantled() {
        int count = 0;
        for (int id = 0; id < dismantled.length(); id++) {
            count += dismantled.get(id) == null ? 0 : 1;
        }
        return count;
    }

    private int newKey() {
        int key;
        do {
            key = (int) random.getAsLong();
        } while (key == 0);
        return key;
    }

    /**
     * Finds a queue.
     *
     * @param id any value
     * @return the queue, or null if there is none of that number
     */
    public @Nullable AppendQueue find(int id) {
        return id < 0 || id >= queues.length() ? null : queues.get(id);
    }

    /**
     * Makes a quota for a sender's messages.
     *
     * @param bytes most of them that lie untaken, headers of records included; at least 1
     * @throws IllegalStateException if there are as many quotas as there may be
     */
    public SenderQuota openQuota(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("quota of a sender " + bytes + " < minimum 1");
        }
        return quotas.open(bytes);
    }

    SenderQuotas quotas() {
        return quotas;
    }

    /**
     * Makes an appender for an engine of the owner, which also takes large messages. One each engine.
     *
     * @param engine index of the engine
     */
    public Appender appender(int engine) {
        return new Appender(control, ownMemory, engine, this);
    }

    /** The chunks that queues share which ask for no reserve of their own. */
    SharedReserve sharedReserve() {
        return sharedReserve;
    }

    /** What lies in the reserve that the queues share. Any thread. */
    public SharedReserveStatistics querySharedReserve() {
        return sharedReserve.query();
    }

    /** Who may append here directly, and which of them are gone. */
    public Initiators initiators() {
        return initiators;
    }

    /** Whether a claim under a slot is behind the head of its queue, or never came about. */
    boolean isSettled(long word, long subject) {
        int id = slotQueue(word);
        AppendQueue queue = id >= queues.length() ? null : queues.get(id);
        if (queue == null && id < queues.length()) {
            queue = dismantled.get(id);
        }
        return queue == null || queue.isSettled(subject, slotKind(word) == SLOT_ROLL);
    }

    int size() {
        return queues.length();
    }

    @Nullable
    AppendQueue dismantled(int id) {
        return dismantled.get(id);
    }

    void destroyed(AppendQueue queue) {
        dismantled.set(queue.id(), queue);
        queues.set(queue.id(), null);
    }

    void freed(AppendQueue queue) {
        dismantled.set(queue.id(), null);
    }

    void wakeAllocator() {
        wakeAllocator.run();
    }

    void wakeEngine(int engine) {
        wakeEngine.accept(engine);
    }

    NanoClock clock() {
        return clock;
    }
}
