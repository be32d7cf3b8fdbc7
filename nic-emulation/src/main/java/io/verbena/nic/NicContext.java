package io.verbena.nic;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.port.Waiter;
import io.verbena.nic.verbs.EngineMode;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Settings with which a {@link Nic} is opened: fluent setters over defaults, concluded once. Mutable; not thread-safe.
 */
public final class NicContext {
    /** Most engines a NIC may have. */
    public static final int MAX_ENGINES = 8;

    EngineMode mode = EngineMode.ASSISTED;
    int engines = 1;
    long id;
    String name = "";
    int maxQueuePairs = 16384;
    int maxMemoryRegions = 4096;
    int maxAppendQueues = 256;
    long sharedReserve;
    int chunksPerAppendQueue = ControlLimits.DEFAULT.maxChunksPerQueue();
    PollStrategy.Factory polling = Polling.kvm();
    ArbiterSettings arbiter = ArbiterSettings.defaults().withQuantum(16 * 1024);
    long capacity;
    NanoClock clock = SystemNanoClock.INSTANCE;
    boolean backgroundThread = true;
    long acknowledgeTimeoutNanos = TimeUnit.SECONDS.toNanos(3);
    long deregisterTimeoutNanos = TimeUnit.SECONDS.toNanos(1);

    @Nullable
    MemoryProvider memory;

    private @Nullable LongSupplier random;
    private Waiter @Nullable [] waiters;

    /** Creates the defaults: one engine, ASSISTED, direct memory, a random identity. */
    public NicContext() {}

    /** Who runs the engines. */
    public NicContext mode(EngineMode engineMode) {
        mode = engineMode;
        return this;
    }

    /** Number of engines, 1 to {@value #MAX_ENGINES}. */
    public NicContext engines(int count) {
        engines = range("engines", count, 1, MAX_ENGINES);
        return this;
    }

    /** Its name in texts and in the names of its threads; by default its identity in hexadecimal. */
    public NicContext name(String what) {
        name = what;
        return this;
    }

    /** The NIC's identity, by which peers name it; 0 (the default) draws a random one. */
    public NicContext id(long identity) {
        id = identity;
        return this;
    }

    /** Queue pairs that may exist at a time, 16 to 1048576, a power of two. */
    public NicContext maxQueuePairs(int count) {
        maxQueuePairs = powerOfTwo("maxQueuePairs", range("maxQueuePairs", count, 16, 1 << 20));
        return this;
    }

    /** Memory regions that may exist at a time, 16 to 65536, a power of two. */
    public NicContext maxMemoryRegions(int count) {
        maxMemoryRegions = powerOfTwo("maxMemoryRegions", range("maxMemoryRegions", count, 16, 1 << 16));
        return this;
    }

    /** Append queues that may exist at a time, 1 to 4096. */
    public NicContext maxAppendQueues(int count) {
        maxAppendQueues = range("maxAppendQueues", count, 1, 4096);
        return this;
    }

    /**
     * Chunks of one append queue that may be announced or unread at a time, a power of two, 4 to 4096; default 64.
     * Multiplied by the length of a chunk, this bounds what lies unread in a queue, whatever its memory limit is. Each
     * costs 16 bytes per queue.
     */
    public NicContext chunksPerAppendQueue(int count) {
        chunksPerAppendQueue = powerOfTwo("chunksPerAppendQueue", range("chunksPerAppendQueue", count, 4, 4096));
        return this;
    }

    /**
     * Bytes that all append queues together have ready for what arrives while memory is being allocated: line rate
     * times allocation time, 0 to 1 GiB, of each length of chunk in use. It is for the queues that ask for no reserve
     * of their own, which then map nothing while they are idle. Default 0: each queue has its own. See
     * {@link Nic#sharedReserve}.
     */
    public NicContext sharedReserve(long bytes) {
        if (bytes < 0 || bytes > 1 << 30) {
            throw new IllegalArgumentException("sharedReserve " + bytes + " outside 0.." + (1 << 30));
        }
        sharedReserve = bytes;
        return this;
    }

    /**
     * How long a waiting thread may spin before it sleeps, in nanoseconds; 0 sleeps at once. Default 200 us. Selects
     * the default strategy, and replaces one that {@link #polling} has set.
     */
    public NicContext longestSpinNanos(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("longestSpinNanos " + nanos + " < minimum 0");
        }
        polling = Polling.kvm().longestSpin(Duration.ofNanos(nanos));
        return this;
    }

    /**
     * How the engines' threads wait, and application threads that wait beside them: a {@link Polling}, or a strategy of
     * one's own. By default {@link Polling#kvm}, which stays awake for up to {@link #longestSpinNanos}.
     */
    public NicContext polling(PollStrategy.Factory strategies) {
        polling = strategies;
        return this;
    }

    /** All settings of the scheduler. */
    public NicContext arbiter(ArbiterSettings settings) {
        arbiter = settings;
        return this;
    }

    /** Whether its discipline keeps rates of groups and queue pairs: CHUNKS alone does. */
    public boolean knowsRates() {
        return arbiter.discipline() == Discipline.CHUNKS;
    }

    /** The scheduling discipline, CHUNKS by default; the other settings of the scheduler are unchanged. */
    public NicContext arbiter(Discipline discipline) {
        arbiter = arbiter.withDiscipline(discipline);
        return this;
    }

    /** The unit in which shares are charged, bytes by default. */
    public NicContext chargedUnit(ChargedUnit unit) {
        arbiter = arbiter.withUnit(unit);
        return this;
    }

    /**
     * Bytes that bulk may have unsent on a link while urgent queue pairs use it, and half of what it may have on the
     * way to the peer; 1 to 1 GiB, 16 KiB by default. Over a network it should be at least half of what a round trip
     * carries, or bulk is slower than the network.
     */
    public NicContext urgentWindow(int bytes) {
        arbiter = arbiter.withUrgentWindow(range("urgentWindow", bytes, 1, 1 << 30));
        return this;
    }

    /** Bytes of one chunk of every active queue pair together; 0, the default, for their number times the MTU. */
    public NicContext chunkTotal(int bytes) {
        arbiter = arbiter.withChunkTotal(range("chunkTotal", bytes, 0, 1 << 30));
        return this;
    }

    /**
     * Bytes that a queue pair may send in one visit when others have work too, 256 to 16 MiB. For the discipline
     * DEFICIT_ROUND_ROBIN only.
     */
    public NicContext quantum(int bytes) {
        arbiter = arbiter.withQuantum(range("quantum", bytes, 256, 16 << 20));
        return this;
    }

    /** Groups that may exist at a time, including the default one, 1 to 4096; 256 by default. */
    public NicContext maxGroups(int count) {
        arbiter = arbiter.withMaxGroups(range("maxGroups", count, 1, 4096));
        return this;
    }

    /**
     * Bytes a second that the NIC can send: the most that the floors of groups may add up to. 0, the default, for
     * unknown: then floors are not allowed.
     */
    public NicContext capacity(long bytesPerSecond) {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("capacity " + bytesPerSecond + " < minimum 0");
        }
        capacity = bytesPerSecond;
        return this;
    }

    /**
     * How long destroying an object waits for its events to be acknowledged before it is refused, in nanoseconds; 3 s
     * by default, 0 does not wait. In real time, whatever the {@link #clock}.
     */
    public NicContext acknowledgeTimeoutNanos(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("acknowledgeTimeoutNanos " + nanos + " < minimum 0");
        }
        acknowledgeTimeoutNanos = nanos;
        return this;
    }

    /** The clock of all timers. */
    public NicContext clock(NanoClock nanoClock) {
        clock = nanoClock;
        return this;
    }

    /**
     * Whether append queues are supplied with memory by a thread of the NIC's own (the default), or by the application
     * that calls {@link Nic#backgroundWork}.
     */
    public NicContext backgroundThread(boolean own) {
        backgroundThread = own;
        return this;
    }

    /**
     * The source of keys and of the identity: a {@link SecureRandom} by default, so that known keys tell nothing about
     * the others. A simulation gives its own, so that a run replays; anywhere else, keys that can be guessed protect
     * nothing.
     */
    public NicContext random(LongSupplier source) {
        random = source;
        return this;
    }

    /**
     * How long a deregistration waits for operations that direct initiators have in flight, in nanoseconds; 1 s by
     * default. 0 in a simulation, where nothing else moves during the wait.
     */
    public NicContext deregisterTimeoutNanos(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("deregisterTimeoutNanos " + nanos + " < minimum 0");
        }
        deregisterTimeoutNanos = nanos;
        return this;
    }

    /** Where memory comes from; the NIC closes it. Direct memory by default. */
    public NicContext memory(MemoryProvider provider) {
        memory = provider;
        return this;
    }

    /** How the engines' owners do I/O and sleep, one per engine; the NIC closes them. Parking by default. */
    public NicContext waiters(Waiter... engineWaiters) {
        waiters = engineWaiters.clone();
        return this;
    }

    @Nullable
    Waiter waiter(int engine) {
        Waiter[] given = waiters;
        return given == null || engine >= given.length ? null : given[engine];
    }

    LongSupplier random() {
        LongSupplier given = random;
        return given == null ? new SecureRandom()::nextLong : given;
    }

    MemoryProvider provider() {
        MemoryProvider given = memory;
        return given == null ? new DirectMemoryProvider() : given;
    }

    ControlLimits limits() {
        // Two park words an engine: its owner's, and one for application threads that wait beside it.
        return new ControlLimits(2 * engines, maxMemoryRegions, maxQueuePairs, maxAppendQueues, chunksPerAppendQueue);
    }

    private static int powerOfTwo(String name, int value) {
        if (Integer.bitCount(value) != 1) {
            throw new IllegalArgumentException(name + " " + value + " is not a power of two");
        }
        return value;
    }

    private static int range(String name, int value, int minimum, int maximum) {
        if (value < minimum || value > maximum) {
            throw new IllegalArgumentException(name + " " + value + " outside " + minimum + ".." + maximum);
        }
        return value;
    }
}
