package io.verbena.nic.conformance;

import io.verbena.nic.AsyncEvent;
import io.verbena.nic.AsyncEventType;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.EngineMode;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.WcStatus;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.SimWaiter;
import io.verbena.nic.sim.Simulation;
import java.util.ArrayList;
import java.util.List;

/**
 * A NIC in a simulation with one of everything: domain, region, completion queues, a queue pair. Steps its engine, and
 * keeps what it polls.
 */
final class Player implements Actor, AutoCloseable {
    static final int REGION = 256 * 1024;

    final String name;
    final Simulation simulation;
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
    AppendQueue appendQueue;
    boolean polls = true;

    /** A record that was polled from the append queue. */
    @SuppressWarnings("ArrayRecordComponent")
    record Message(byte[] bytes, int qp, int immediate, int flags) {}

    Player(Simulation simulation, String name, long id) {
        this(simulation, name, new NicContext().id(id));
    }

    Player(Simulation simulation, String name, NicContext context) {
        this.simulation = simulation;
        this.name = name;
        nic = Nic.open(context.mode(EngineMode.INVOKER)
                .clock(simulation.clock())
                .maxQueuePairs(64)
                .maxMemoryRegions(64)
                .maxAppendQueues(8)
                .backgroundThread(false)
                .waiters(new SimWaiter()));
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
        appendQueue = pd.createAppendQueue(attributes);
        return appendQueue;
    }

    int key() {
        return region.key();
    }

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

    List<WcStatus> sendStatuses() {
        return sends.stream().map(Wc::status).toList();
    }

    List<Long> sendIds() {
        return sends.stream().map(Wc::wrId).toList();
    }

    List<AsyncEventType> eventTypes() {
        return events.stream().map(AsyncEvent::type).toList();
    }

    @Override
    public int step() {
        int work = nic.engine(0).doWork() + nic.backgroundWork();
        if (polls) {
            work += sendQueue.poll(c -> sends.add(Wc.of(c)), 64);
            work += receiveQueue.poll(c -> receives.add(Wc.of(c)), 64);
            if (appendQueue != null) {
                work += appendQueue.poll(
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
            work++;
        }
        return work;
    }

    @Override
    public long nextDeadlineNanos() {
        return nic.engine(0).nextDeadlineNanos();
    }

    @Override
    public void close() {
        nic.close();
    }
}
