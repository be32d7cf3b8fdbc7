package io.verbena.verification.conformance;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.FaultyClock;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A NIC with one of everything: domain, region, completion queues, a queue pair. Steps its engine when the test runs,
 * and keeps what it polls.
 */
final class TestNic implements Actor, AutoCloseable {
    static final int REGION = 256 * 1024;

    final String name;
    final FaultyClock clock;
    final Nic nic;
    final ProtectionDomain pd;
    final CompletionQueue sendQueue;
    final CompletionQueue receiveQueue;
    final MemoryRegion region;
    final List<Wc> sends = new ArrayList<>();
    final List<Wc> receives = new ArrayList<>();
    final List<AsyncEvent> events = new ArrayList<>();
    final List<Message> messages = new ArrayList<>();
    final SendRequest request = new SendRequest();
    QueuePair qp;
    private final Simulation simulation;
    private final TapGate gate;
    private @Nullable AppendQueue appendQueue;
    private boolean paused;
    boolean polls = true;
    boolean acknowledges = true;

    /** A record that was polled from the append queue. */
    @SuppressWarnings("ArrayRecordComponent")
    record Message(byte[] bytes, int qp, int immediate, int flags) {}

    TestNic(Simulation simulation, String name, NicContext context, Way out, Way in, boolean hidesMemory) {
        this.simulation = simulation;
        this.name = name;
        clock = new FaultyClock(simulation.clock());
        nic = Nic.open(context.mode(EngineMode.INVOKER)
                .clock(clock)
                .maxQueuePairs(64)
                .maxMemoryRegions(64)
                .maxAppendQueues(8)
                .backgroundThread(false));
        gate = new TapGate(nic.engine(0).endpoint(), out, in, hidesMemory);
        pd = nic.allocateProtectionDomain();
        sendQueue = nic.createCompletionQueue(1024);
        receiveQueue = nic.createCompletionQueue(1024);
        region = pd.allocate(REGION, Access.ALL);
        qp = newQueuePair();
        simulation.add(name, this);
    }

    QueuePairAttributes attributes() {
        return new QueuePairAttributes().sendQueue(sendQueue).receiveQueue(receiveQueue);
    }

    QueuePair newQueuePair() {
        return pd.createQueuePair(attributes());
    }

    AppendQueue newAppendQueue() {
        return newAppendQueue(new AppendQueueAttributes().chunkLength(64 * 1024));
    }

    AppendQueue newAppendQueue(AppendQueueAttributes attributes) {
        AppendQueue queue = pd.createAppendQueue(attributes);
        appendQueue = queue;
        return queue;
    }

    int key() {
        return region.key();
    }

    // ---- memory ------------------------------------------------------------------------------------------------

    /** Writes a pattern that depends on the seed and the position. */
    void fill(int offset, int length, int seed) {
        for (int i = 0; i < length; i++) {
            region.buffer().putByte(offset + i, pattern(seed, i));
        }
    }

    static byte pattern(int seed, int index) {
        return (byte) (seed * 31 + index * 7 + (index >>> 8));
    }

    /** Whether the pattern is there. */
    boolean holds(int offset, int length, int seed) {
        for (int i = 0; i < length; i++) {
            if (region.buffer().getByte(offset + i) != pattern(seed, i)) {
                return false;
            }
        }
        return true;
    }

    boolean isZero(int offset, int length) {
        for (int i = 0; i < length; i++) {
            if (region.buffer().getByte(offset + i) != 0) {
                return false;
            }
        }
        return true;
    }

    byte[] bytes(int offset, int length) {
        byte[] bytes = new byte[length];
        region.buffer().getBytes(offset, bytes);
        return bytes;
    }

    long word(int offset) {
        return region.buffer().getLong(offset);
    }

    // ---- what came ---------------------------------------------------------------------------------------------

    List<WcStatus> sendStatuses() {
        return sends.stream().map(Wc::status).toList();
    }

    List<Long> sendIds() {
        return sends.stream().map(Wc::wrId).toList();
    }

    List<WcStatus> receiveStatuses() {
        return receives.stream().map(Wc::status).toList();
    }

    List<Long> receiveIds() {
        return receives.stream().map(Wc::wrId).toList();
    }

    List<AsyncEventType> eventTypes() {
        return events.stream().map(AsyncEvent::type).toList();
    }

    int count(AsyncEventType type) {
        return (int) events.stream().filter(e -> e.type() == type).count();
    }

    // ---- links -------------------------------------------------------------------------------------------------

    /** Where its links come in. */
    TapGate gate() {
        return gate;
    }

    LinkEndpoint endpoint() {
        return gate.endpoint();
    }

    /** The link as the engine has it, or null. */
    @Nullable
    Tap tap() {
        return gate.tap();
    }

    boolean isLinked() {
        return gate.isLinked();
    }

    // ---- time --------------------------------------------------------------------------------------------------

    boolean isPaused() {
        return paused;
    }

    /** Stops it, as a long collection or a debugger would. */
    void pause() {
        paused = true;
    }

    /** Lets it go on. */
    void resume() {
        paused = false;
    }

    /** Stops it for so long. */
    void pauseFor(long nanos) {
        pause();
        simulation.after(nanos, this::resume);
    }

    @Override
    public int step() {
        if (paused) {
            return 0;
        }
        int work = nic.engine(0).doWork() + nic.backgroundWork();
        if (polls) {
            work += sendQueue.poll(c -> sends.add(Wc.of(c)), 64);
            work += receiveQueue.poll(c -> receives.add(Wc.of(c)), 64);
            AppendQueue queue = appendQueue;
            if (queue != null) {
                work += queue.poll(
                        (buffer, offset, length, qpNumber, immediate, flags) -> {
                            byte[] bytes = new byte[length];
                            buffer.getBytes(offset, bytes);
                            messages.add(new Message(bytes, qpNumber, immediate, flags));
                        },
                        64);
            }
        }
        for (AsyncEvent e = nic.pollAsyncEvent(); e != null; e = nic.pollAsyncEvent()) {
            events.add(e);
            if (acknowledges) {
                e.acknowledge();
            }
            work++;
        }
        return work;
    }

    @Override
    public long nextDeadlineNanos() {
        return paused ? NO_DEADLINE : nic.engine(0).nextDeadlineNanos();
    }

    @Override
    public void close() {
        nic.close();
    }
}
