package io.verbena.nic;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.FaultyClock;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimWaiter;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Two NICs on a simulated link, each with a domain, a region, a deep completion queue and a queue pair; the queue pairs
 * are connected. A test polls completion queues and events itself, but for {@link End#wcs}, which {@link End#polls}
 * fills.
 */
final class VerbsPair implements AutoCloseable {
    static final long ACKNOWLEDGE_TIMEOUT = 50_000_000L;
    private static final long MILLI = 1_000_000L;

    final Simulation simulation = new Simulation(7, 256);
    final SimFabric fabric = new SimFabric(simulation);
    final SimConnection connection;
    final End a = new End("a", 0xA0, new DirectMemoryProvider());
    final End b;

    VerbsPair() {
        this(Long.MAX_VALUE);
    }

    /** The second NIC's memory is limited. */
    VerbsPair(long limit) {
        b = new End("b", 0xB0, new DirectMemoryProvider(limit));
        connection = fabric.connect(a.nic.engine(0).endpoint(), b.nic.engine(0).endpoint(), new LinkProfile());
        connect(a.qp, b.qp);
    }

    void connect(QueuePair qpA, QueuePair qpB) {
        ConnectAttributes attributes =
                new ConnectAttributes().pathMtu(1024).timeout(5).minRnrTimer(1);
        qpA.connect(b.nic.id(), qpB.number(), attributes);
        qpB.connect(a.nic.id(), qpA.number(), attributes);
    }

    /** Runs until nothing more is under way. */
    void settle() {
        simulation.runFor(20 * MILLI);
    }

    void until(BooleanSupplier condition) {
        simulation.runUntil(condition, 10_000 * MILLI);
    }

    @Override
    public void close() {
        a.nic.close();
        b.nic.close();
    }

    /** A completion, kept. */
    record Wc(long wrId, WcStatus status, int qp, int byteLength) {}

    /** One NIC and what belongs to it. */
    final class End implements Actor {
        final FaultyClock clock = new FaultyClock(simulation.clock());
        final DirectMemoryProvider memory;
        final Nic nic;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final MemoryRegion region;
        final QueuePair qp;
        final SendRequest request = new SendRequest();
        final List<Wc> wcs = new ArrayList<>();
        boolean polls = true;

        End(String name, long id, DirectMemoryProvider memory) {
            this.memory = memory;
            nic = Nic.open(new NicContext()
                    .id(id)
                    .mode(EngineMode.INVOKER)
                    .clock(clock)
                    .memory(memory)
                    .maxQueuePairs(64)
                    .maxMemoryRegions(64)
                    .maxAppendQueues(8)
                    .backgroundThread(false)
                    .acknowledgeTimeoutNanos(ACKNOWLEDGE_TIMEOUT)
                    .waiters(new SimWaiter()));
            pd = nic.allocateProtectionDomain();
            cq = nic.createCompletionQueue(1024);
            region = pd.allocate(64 * 1024, Access.ALL);
            qp = newQueuePair();
            simulation.add(name, this);
        }

        QueuePair newQueuePair() {
            return pd.createQueuePair(new QueuePairAttributes().completionQueue(cq));
        }

        /** Events that are there, acknowledged. */
        List<AsyncEventType> events() {
            List<AsyncEventType> types = new ArrayList<>();
            for (AsyncEvent e = nic.pollAsyncEvent(); e != null; e = nic.pollAsyncEvent()) {
                types.add(e.type());
                e.acknowledge();
            }
            return types;
        }

        /** The next event that is not about a port, to be acknowledged. */
        AsyncEvent event() {
            AsyncEvent e = nic.pollAsyncEvent();
            while (e != null && e.type().element() == AsyncEventType.Element.PORT) {
                e.acknowledge();
                e = nic.pollAsyncEvent();
            }
            return e;
        }

        List<Long> ids() {
            return wcs.stream().map(Wc::wrId).toList();
        }

        List<WcStatus> statuses() {
            return wcs.stream().map(Wc::status).toList();
        }

        void keep(Completion c) {
            wcs.add(new Wc(c.wrId(), c.status(), c.qpNumber(), c.isSuccess() ? c.byteLength() : 0));
        }

        @Override
        public int step() {
            int work = nic.engine(0).doWork() + nic.backgroundWork();
            return work + (polls ? cq.poll(this::keep, 64) : 0);
        }

        @Override
        public long nextDeadlineNanos() {
            return nic.engine(0).nextDeadlineNanos();
        }
    }
}
