package io.verbena.bench.polling;

import io.verbena.bench.polling.PollingCell.Figures;
import io.verbena.nic.Completion;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.HostPoller;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.SimThread;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.verification.RunException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * {@link EchoClient} and {@link EchoProcess} on a simulated machine of two cores: a thread each, which polls by the
 * scheme, and threads beside that never let go of a core before their slice is over. Each end has a NIC of its own, and
 * the link between them takes a microsecond. A run is a function of the seed.
 *
 * <pre>
 *            due ──▶ [window] ── SEND ──▶ NIC ═══▶ NIC ── completion ──▶ echo
 *                                                                          │ on two cores: client, echo, and others
 *   round trip ◀── client ◀── completion ── NIC ◀═══ NIC ◀── SEND ─────────┘
 * </pre>
 *
 * <p>Messages leave the client by themselves, at a random instant of the interval that they are due in, so that nothing
 * keeps step with slices. What the client's thread costs is what taking an answer costs.
 */
final class SimulatedEcho {
    static final int CORES = 2;

    private static final int WINDOW = 128;
    private static final int LENGTH = 32;
    private static final int DEPTH = 2 * WINDOW;
    private static final int MTU = 1024;
    private static final int TRACE_LINES = 16;
    private static final long REST_NANOS = 220; // of who never sleeps: it looks every quarter of a microsecond
    private static final long SECOND = 1_000_000_000L;
    private static final long LONGEST_NANOS = 60 * SECOND;

    private final Simulation simulation;
    private final HostModel host = HostModel.virtualMachine();
    private final SimCores cores;
    private final SimRandom random;
    private final End client;
    private final End echo;
    private final List<HostPoller> pollers = new ArrayList<>(); // the client's and the echo's
    private final List<SimThread> waiting = new ArrayList<>(); // theirs
    private final List<SimThread> burning = new ArrayList<>();
    private final ArrayDeque<Long> overdue = new ArrayDeque<>(); // since when each, for want of room in the window
    private final ArrayDeque<Long> underWay = new ArrayDeque<>();
    private final Histogram histogram = new Histogram(LONGEST_NANOS, 3);
    private boolean isSaturated;

    /** One side of the connection. */
    private record End(HostQueuePair qp, HostCompletionQueue completions, MemoryRegion memory) {
        QueuePair queuePair() {
            return qp.queuePair();
        }

        SendRequest message() {
            return new SendRequest().send().local(memory.key(), 0, LENGTH).signaled(false);
        }

        void receive() {
            queuePair().postReceive(0, memory.key(), LENGTH, LENGTH);
        }
    }

    /**
     * Brings it up.
     *
     * @param seed of when messages are due
     * @param polling of both threads
     * @param busy threads that burn a core
     */
    SimulatedEcho(long seed, Polling polling, int busy) {
        simulation = new Simulation(seed, TRACE_LINES);
        random = simulation.newRandom();
        SimFabric fabric = new SimFabric(simulation);
        SimNode here = new SimNode(simulation, fabric, "client", 1);
        SimNode there = new SimNode(simulation, fabric, "echo", 2);
        cores = new SimCores(simulation, CORES, host);
        client = end(fabric, here);
        echo = end(fabric, there);
        fabric.connect(here.nic().engine(0).endpoint(), there.nic().engine(0).endpoint(), LinkProfile.roce100());
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(MTU);
        client.queuePair().connect(there.nicId(), echo.queuePair().number(), attributes);
        echo.queuePair().connect(here.nicId(), client.queuePair().number(), attributes);
        start("client", polling, client, this::onAnswer);
        start("echo", polling, echo, this::onMessage);
        for (int i = 0; i < busy; i++) {
            burning.add(cores.start("busy " + i, self -> self.run(LONGEST_NANOS)));
        }
    }

    private End end(SimFabric fabric, SimNode node) {
        NicModel card = NicModel.roce100();
        fabric.model(node.nicId(), card);
        ProtectionDomain domain = node.nic().allocateProtectionDomain();
        HostCompletionQueue completions = new HostCompletionQueue(node.nic().createCompletionQueue(DEPTH), cores);
        QueuePair qp = domain.createQueuePair(new QueuePairAttributes()
                .completionQueue(completions.queue())
                .maxSend(DEPTH)
                .maxReceive(DEPTH));
        return new End(new HostQueuePair(qp, card, cores), completions, domain.allocate(2 * LENGTH, Access.ALL));
    }

    /** What an end's thread does with a message. */
    @FunctionalInterface
    private interface Handler {
        void onReceived(SimThread by);
    }

    private void start(String name, Polling scheme, End end, Handler handler) {
        for (int i = 0; i < WINDOW; i++) {
            end.receive();
        }
        HostPoller poller = new HostPoller(
                cores,
                end.completions,
                scheme,
                REST_NANOS,
                (by, limit) -> end.completions.poll(by, completion -> take(completion, end, by, handler), limit));
        pollers.add(poller);
        waiting.add(cores.start(name, poller));
    }

    /** A message has come, in whose place another may. */
    private void take(Completion completion, End end, SimThread by, Handler handler) {
        if (!completion.isSuccess() || completion.opcode() != WcOpcode.RECEIVE) {
            throw new RunException(completion.opcode() + " has ended as " + completion.status());
        }
        by.run(host.postNanos()).then(end::receive);
        handler.onReceived(by);
    }

    private void onMessage(SimThread by) {
        echo.qp.post(by, echo.message());
        echo.qp.doorbell(by);
    }

    private void onAnswer(SimThread by) {
        by.then(() -> {
            histogram.recordValue(simulation.nowNanos() - underWay.remove());
            if (isSaturated) {
                due();
            } else {
                send();
            }
        });
    }

    private void due() {
        overdue.add(simulation.nowNanos());
        send();
    }

    /** Sends what is due, as far as the window has room. */
    private void send() {
        while (!overdue.isEmpty() && underWay.size() < WINDOW) {
            underWay.add(overdue.remove());
            if (client.queuePair().post(client.message()) != PostResult.POSTED) {
                throw new RunException("no room with " + underWay.size() + " under way");
            }
            client.queuePair().doorbell();
        }
    }

    /** The message of each interval is due somewhere within it. */
    private void interval(long nanos) {
        simulation.after(random.nextLong(nanos), this::due);
        simulation.after(nanos, () -> interval(nanos));
    }

    /**
     * Runs.
     *
     * @param rate messages a second, or {@link EchoClient#SATURATION}
     * @param warmUp nanoseconds before what is counted
     * @param nanos for which it is counted
     */
    Figures run(long rate, long warmUp, long nanos) {
        isSaturated = rate == EchoClient.SATURATION;
        if (isSaturated) {
            for (int i = 0; i < WINDOW; i++) {
                due();
            }
        } else {
            interval(SECOND / rate);
        }
        simulation.runFor(warmUp);
        histogram.reset();
        long cpu = cpuNanos();
        long wakes = wakes();
        simulation.runFor(nanos);
        long messages = histogram.getTotalCount();
        return messages == 0
                ? Figures.NONE
                : new Figures(
                        messages,
                        messages * (double) SECOND / nanos,
                        histogram.getValueAtPercentile(50),
                        histogram.getValueAtPercentile(99),
                        (double) (cpuNanos() - cpu) / messages,
                        (double) (wakes() - wakes) / messages);
    }

    /** What is not the busy threads': both threads, and what switches and interrupts take. */
    private long cpuNanos() {
        return cores.busyNanos()
                - burning.stream().mapToLong(SimThread::runNanos).sum();
    }

    private long wakes() {
        return waiting.stream().mapToLong(SimThread::wakes).sum();
    }

    /** The longest round trip of what was counted. */
    long longestNanos() {
        return histogram.getMaxValue();
    }

    /** The client's thread and the echo's. */
    List<HostPoller> pollers() {
        return List.copyOf(pollers);
    }
}
