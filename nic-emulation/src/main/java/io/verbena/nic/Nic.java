package io.verbena.nic;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.ChunkAllocator;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.append.SharedReserveStatistics;
import io.verbena.nic.append.TailPointerTable;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.baseline.Arbiters;
import io.verbena.nic.engine.Background;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.engine.EngineContext;
import io.verbena.nic.engine.NicEvents;
import io.verbena.nic.engine.ParkWaiter;
import io.verbena.nic.jfr.WaitRecorder;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.MemoryTable;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.NicId;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.port.Waiter;
import io.verbena.nic.transport.AddressTable;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.AsyncEventType.Element;
import io.verbena.nic.verbs.NicCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A NIC in software ({@code ibv_open_device(3)}): engines, a key table, append queues, and the objects that the verbs
 * make.
 *
 * <pre>{@code
 *   try (Nic nic = Nic.open(new NicContext())) {
 *     ProtectionDomain pd = nic.allocateProtectionDomain();
 *     CompletionQueue cq = nic.createCompletionQueue(256);
 *     QueuePair qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(cq));
 *   }
 * }</pre>
 *
 * <p>Creating and destroying is thread-safe and not for the data path. Objects are destroyed children first; closing
 * the NIC closes what is left.
 */
public final class Nic implements AutoCloseable {
    private final long id;
    private final String name;
    private final EngineContext.Tables tables;
    private final Background background;
    private final Engine[] engines;
    private final Waiter[] waiters;
    /** Counts by any thread; engines count what they do separately. */
    private final AtomicLongArray counters = new AtomicLongArray(NicCounter.values().length);

    private final NicEvents events;
    private final long acknowledgeTimeoutNanos;
    private final PerformanceGroups groups;
    private final boolean cutsMessages;
    private final WaitRecorder waits;

    private final List<ProtectionDomain> protectionDomains = new ArrayList<>();
    private final List<CompletionQueue> completionQueues = new ArrayList<>();
    private final NumberPool protectionDomainNumbers = new NumberPool(1, QueuePairWord.MAX_PD);
    private final QueuePairNumbers queuePairNumbers;
    private int nextCq = 1;
    private int nextSharedReceive = 1;
    private boolean closed;
    private volatile boolean closing;

    /** Whether reliable connections cut and combine messages to what a visit grants. */
    boolean cutsMessages() {
        return cutsMessages;
    }

    private void raise(AsyncEventType type, int appendQueue) {
        events.raise(type, appendQueue);
        AppendQueue queue = appendQueues().find(appendQueue);
        if (queue != null) {
            engines[queue.engine()].wake(); // who looks for events may sleep there
        }
    }

    private Nic(NicContext context) {
        this.acknowledgeTimeoutNanos = context.acknowledgeTimeoutNanos;
        this.events = new NicEvents(counters, acknowledgeTimeoutNanos);
        LongSupplier random = context.random();
        this.id = context.id != 0 ? context.id : random.getAsLong() | 1;
        this.name = context.name.isEmpty() ? NicId.text(id) : context.name;
        MemoryProvider memory = context.provider();
        ControlBlock control = ControlBlock.create(memory, id, context.limits());
        TailPointerTable appendQueues =
                new TailPointerTable(name, control, memory, context.sharedReserve, context.clock, random);
        this.tables = new EngineContext.Tables(
                control,
                memory,
                new MemoryTable(control, context.clock, context.deregisterTimeoutNanos, random),
                new AddressTable(),
                appendQueues);
        ChunkAllocator allocator = new ChunkAllocator(appendQueues);
        this.background = new Background(name, allocator::doWork, allocator::isActive, context.backgroundThread);
        this.queuePairNumbers = new QueuePairNumbers(context.maxQueuePairs, control);
        ArbiterSettings settings = context.arbiter;
        this.cutsMessages = settings.discipline() == Discipline.PALOS_AS_PRINTED;
        this.engines = new Engine[context.engines];
        this.groups = new PerformanceGroups(this, context.engines, settings, context.capacity);
        this.waiters = new Waiter[context.engines];
        EngineContext shared = new EngineContext(
                new EngineContext.Identity(id, name),
                new EngineContext.Run(
                        context.mode, context.engines, context.clock, context.polling, settings.isTimed()),
                tables,
                counters,
                events);
        for (int i = 0; i < engines.length; i++) {
            Waiter given = context.waiter(i);
            waiters[i] = given == null ? new ParkWaiter() : given;
            int index = i;
            engines[i] = new Engine(
                    i,
                    shared,
                    waiters[i],
                    turn -> Arbiters.create(settings, index, context.engines, context.clock, turn));
        }
        this.waits = new WaitRecorder(name, this::waitStatistics);
        appendQueues.onExhausted(() -> count(NicCounter.MEMORY_EXHAUSTED));
        appendQueues.onCorrupted(id -> events.raise(AsyncEventType.AQ_ERR, id));
        appendQueues.onWork(background::wake, engine -> engines[engine].wake());
        appendQueues.onEvents(
                this::raise,
                id -> events.beginDestroy(Element.APPEND_QUEUE, id),
                (id, destroyed) -> events.endDestroy(Element.APPEND_QUEUE, id, destroyed));
    }

    /**
     * Opens a NIC.
     *
     * @throws IllegalStateException if the JVM lacks a flag that is needed; the message says which
     */
    public static Nic open(NicContext context) {
        JvmFlags.check();
        Nic nic = new Nic(context);
        for (Engine engine : nic.engines) {
            engine.start("verbena-" + nic.name + "-" + engine.index());
        }
        nic.groups.start();
        nic.waits.start();
        return nic;
    }

    /** Its name in texts: the one that it was given, or the text of its identity. */
    String name() {
        return name;
    }

    /** The identity by which peers name this NIC; random unless one was given. */
    public long id() {
        return id;
    }

    /** One of the engines, from 0. */
    public Engine engine(int index) {
        if (index < 0 || index >= engines.length) {
            throw new IllegalArgumentException("engine " + index + " outside 0.." + (engines.length - 1));
        }
        return engines[index];
    }

    /**
     * Allocates and clears memory of append queues, if {@link NicContext#backgroundThread} leaves that to the
     * application. Call it often, from one thread.
     *
     * @return the amount of work done
     */
    public int backgroundWork() {
        return background.doWork();
    }

    /**
     * Whether background work was requested since the last {@link #backgroundWork}, so that a caller with a clock of
     * its own can call when the work is due. Any thread.
     */
    public boolean isBackgroundWanted() {
        return background.isWanted();
    }

    /** A count, since the NIC was opened. Any thread. */
    public long counter(NicCounter counter) {
        long sum = counters.get(counter.ordinal());
        for (Engine engine : engines) {
            sum += engine.counter(counter);
        }
        return sum;
    }

    /** Counts what no engine does. */
    void count(NicCounter counter) {
        counters.incrementAndGet(counter.ordinal());
    }

    /**
     * What waiting has cost on all engines: the threads that drive them, or the application threads that wait beside
     * them and made no choice of their own. Any thread.
     */
    public WaitStatistics waitStatistics(PollStrategy.Waiting who) {
        WaitStatistics sum = new WaitStatistics(0, 0, 0);
        for (Engine engine : engines) {
            sum = sum.plus(engine.waitStatistics(who));
        }
        return sum;
    }

    /**
     * The next asynchronous event ({@code ibv_get_async_event(3)}), or null. Acknowledge it
     * ({@link AsyncEvent#acknowledge}) after handling it; destroying the object that it concerns waits for that. Any
     * thread.
     */
    public @Nullable AsyncEvent pollAsyncEvent() {
        return events.pollEvent();
    }

    /** Asynchronous events and management datagrams. */
    public NicEvents events() {
        return events;
    }

    /** Makes a protection domain ({@code ibv_alloc_pd(3)}) in the default group. */
    public ProtectionDomain allocateProtectionDomain() {
        return allocateProtectionDomain(groups.defaultGroup());
    }

    /**
     * Makes a protection domain for a tenant: what its queue pairs send is charged to the group.
     *
     * @throws IllegalStateException if the group is closed, or there are 65535 protection domains already
     */
    public synchronized ProtectionDomain allocateProtectionDomain(PerformanceGroup group) {
        checkOpen();
        group.checkMember(groups);
        int number = protectionDomainNumbers.take();
        if (number == NumberPool.NONE) {
            throw new IllegalStateException("protection domains " + (protectionDomains.size() + 1) + " > maximum "
                    + QueuePairWord.MAX_PD + "; close one");
        }
        group.enter();
        ProtectionDomain pd = new ProtectionDomain(this, number, group);
        protectionDomains.add(pd);
        return pd;
    }

    /**
     * Makes a group: a tenant's share of this NIC.
     *
     * @throws IllegalArgumentException if the name is taken, attributes contradict each other, or the floors of all
     *     groups exceed {@link NicContext#capacity}
     * @throws IllegalStateException if there are {@link NicContext#maxGroups} already
     */
    public synchronized PerformanceGroup createGroup(GroupAttributes attributes) {
        checkOpen();
        return groups.create(attributes);
    }

    /** The existing groups, the default one first. */
    public synchronized List<PerformanceGroup> groups() {
        return groups.list();
    }

    /** The group of protection domains that were made without one, named "default". */
    public PerformanceGroup defaultGroup() {
        return groups.defaultGroup();
    }

    /**
     * Makes a quota for the messages of a sender in append queues, to give to its queue pairs
     * ({@link QueuePairAttributes#senderQuota}). The caller closes it.
     *
     * @param bytes most that may lie unread, including headers of records; at least 1
     * @throws IllegalStateException if there are as many quotas as there may be
     */
    public SenderQuota createSenderQuota(long bytes) {
        return appendQueues().openQuota(bytes);
    }

    /**
     * Makes a completion queue on engine 0.
     *
     * @param depth entries, 1 to 1048576; rounded up to a power of two
     */
    public CompletionQueue createCompletionQueue(int depth) {
        return createCompletionQueue(depth, 0);
    }

    /** Makes a completion queue for queue pairs of one engine. */
    public synchronized CompletionQueue createCompletionQueue(int depth, int engine) {
        checkOpen();
        CompletionQueue queue = new CompletionQueue(this, engine(engine), nextCq, depth);
        nextCq++;
        completionQueues.add(queue);
        return queue;
    }

    ControlBlock control() {
        return tables.control();
    }

    MemoryProvider memory() {
        return tables.memory();
    }

    MemoryTable regions() {
        return tables.regions();
    }

    AddressTable addresses() {
        return tables.addresses();
    }

    /** What lies in the reserve that the append queues share: see {@link NicContext#sharedReserve}. Any thread. */
    public SharedReserveStatistics sharedReserve() {
        return appendQueues().querySharedReserve();
    }

    TailPointerTable appendQueues() {
        return tables.appendQueues();
    }

    /**
     * Called when a group's settings have changed. Each engine schedules by them from its next turn on, however busy
     * another is. Under the lock.
     *
     * @param bulkOnly whether its queue pairs become bulk
     */
    void changed(PerformanceGroup group, boolean bulkOnly) {
        if (closed) {
            return; // no engine schedules any more
        }
        for (ProtectionDomain pd : protectionDomains) {
            if (bulkOnly && pd.group() == group) {
                pd.makeBulk();
            }
        }
        for (Engine engine : engines) {
            engine.callSoon(() -> engine.changed(group.flows()));
        }
    }

    /** Under the lock. */
    int urgentQueuePairs(PerformanceGroup group) {
        int count = 0;
        for (ProtectionDomain pd : protectionDomains) {
            if (pd.group() == group) {
                count += pd.urgentQueuePairs();
            }
        }
        return count;
    }

    /** Memory regions and windows of a group, under the lock. */
    int regions(PerformanceGroup group) {
        int count = 0;
        for (ProtectionDomain pd : protectionDomains) {
            if (pd.group() == group) {
                count += pd.regions();
            }
        }
        return count;
    }

    int engineCount() {
        return engines.length;
    }

    /** Numbers of queue pairs; under the lock. */
    QueuePairNumbers queuePairNumbers() {
        return queuePairNumbers;
    }

    /**
     * Waits until every engine has finished what it began before this call. Afterwards nothing touches memory whose key
     * was invalidated before.
     *
     * @return false if one is not done within 10 s
     */
    boolean quiesce() {
        try {
            for (Engine engine : engines) {
                engine.call(() -> {});
            }
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    int takeSharedReceiveNumber() {
        return nextSharedReceive++;
    }

    long acknowledgeTimeoutNanos() {
        return acknowledgeTimeoutNanos;
    }

    /** Whether {@link #close} has begun, so that nothing waits for acknowledgements any more. */
    boolean isClosing() {
        return closing;
    }

    void forget(CompletionQueue queue) {
        completionQueues.remove(queue);
    }

    void forget(ProtectionDomain pd) {
        if (protectionDomains.remove(pd)) {
            protectionDomainNumbers.give(pd.number());
            pd.group().leave();
        }
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /**
     * Closes everything that was made here, stops the engines and gives the memory back, without waiting for
     * acknowledgements of events. Idempotent.
     */
    @Override
    public void close() {
        closing = true;
        events.close();
        synchronized (this) {
            if (closed) {
                return;
            }
            for (ProtectionDomain pd : List.copyOf(protectionDomains)) {
                pd.closeQueuePairs();
            }
            for (ProtectionDomain pd : List.copyOf(protectionDomains)) {
                pd.closeAll();
            }
            for (CompletionQueue queue : List.copyOf(completionQueues)) {
                queue.close();
            }
            closed = true;
        }
        groups.close();
        waits.close();
        tables.control().close();
        for (Engine engine : engines) {
            engine.close();
        }
        background.close();
        for (Waiter waiter : waiters) {
            waiter.close();
        }
        tables.memory().close();
    }

    @Override
    public String toString() {
        return "NIC " + name;
    }
}
