package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.port.Segment;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimWaiter;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An exception in any stage of a turn ends what caused it, and nothing else: a NIC has two queue pairs to one peer,
 * whose link and memory fail where a stage meets them, and one to another peer.
 */
@Timeout(180)
class ContainmentTest {
    private static final long MILLI = 1_000_000L;
    private static final int LENGTH = 3000;

    /** What throws, once. */
    private final Fault fault = new Fault();

    private final Simulation simulation = new Simulation(7, 256);
    private final SimFabric fabric = new SimFabric(simulation);
    private End hub;
    private End peer;
    private End other;
    private QueuePair victim;
    private QueuePair victimsPeer;
    private QueuePair neighbour;
    private QueuePair stranger;

    private static final class Fault {
        private String at = "";
        private boolean error;
        private int thrown;

        void arm(String method, boolean asError) {
            at = method;
            error = asError;
        }

        void meet(String method) {
            if (method.equals(at)) {
                at = "";
                thrown++;
                if (error) {
                    throw new OutOfMemoryError("in " + method);
                }
                throw new ArithmeticException("in " + method);
            }
        }
    }

    /** Memory of regions that may fail where it is read or written. */
    private final class Memory extends UnsafeBuffer {
        Memory(AtomicBuffer of) {
            super(of);
        }

        @Override
        public void putBytes(int index, DirectBuffer source, int sourceIndex, int length) {
            fault.meet("write");
            super.putBytes(index, source, sourceIndex, length);
        }
    }

    private final class FaultyMemory implements MemoryProvider {
        private final MemoryProvider memory = new DirectMemoryProvider();

        @Override
        public AtomicBuffer allocateControl(int length) {
            return memory.allocateControl(length);
        }

        @Override
        public AtomicBuffer control() {
            return memory.control();
        }

        @Override
        public Segment allocate(int length) {
            Segment segment = memory.allocate(length);
            return new Segment(segment.id(), new Memory(segment.buffer()));
        }

        @Override
        public void release(Segment segment) {
            memory.release(segment);
        }

        @Override
        public AtomicBuffer segment(int id) {
            return memory.segment(id);
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private final class End implements Actor {
        final Nic nic;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final MemoryRegion region;
        final SendRequest request = new SendRequest();
        final List<WcStatus> statuses = new ArrayList<>();
        final List<AsyncEventType> events = new ArrayList<>();
        boolean paused;

        End(long id, MemoryProvider memory) {
            nic = Nic.open(new NicContext()
                    .id(id)
                    .mode(EngineMode.INVOKER)
                    .clock(simulation.clock())
                    .memory(memory)
                    .maxQueuePairs(64)
                    .backgroundThread(false)
                    .waiters(new SimWaiter()));
            pd = nic.allocateProtectionDomain();
            cq = nic.createCompletionQueue(256);
            region = pd.allocate(64 * 1024, Access.ALL);
            simulation.add("nic " + id, this);
        }

        QueuePair newQueuePair() {
            return pd.createQueuePair(new QueuePairAttributes().completionQueue(cq));
        }

        /** Its end of a link, whose methods may fail. */
        LinkEndpoint endpoint(boolean faulty) {
            LinkEndpoint own = nic.engine(0).endpoint();
            return new LinkEndpoint(own.nicId(), own.engine(), own.waiter(), own.memory(), new LinkListener() {
                @Override
                public void onLink(Link link) {
                    own.listener().onLink(faulty ? faulty(Link.class, link) : link);
                }

                @Override
                public void onRejected(String remote, String reason) {
                    throw new AssertionError(remote + ": " + reason);
                }
            });
        }

        @Override
        public int step() {
            if (paused) {
                return 0;
            }
            int work = nic.engine(0).doWork() + nic.backgroundWork();
            for (AsyncEvent e = nic.pollAsyncEvent(); e != null; e = nic.pollAsyncEvent()) {
                events.add(e.type());
                e.acknowledge();
            }
            return work + cq.poll(c -> statuses.add(c.status()), 64);
        }

        @Override
        public long nextDeadlineNanos() {
            return paused ? Long.MAX_VALUE : nic.engine(0).nextDeadlineNanos();
        }
    }

    private <T> T faulty(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            if (method.getName().equals("equals")) {
                return proxy == args[0];
            }
            fault.meet(method.getName());
            Object result;
            try {
                result = method.invoke(real, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            return result instanceof PeerMemory memory ? faulty(PeerMemory.class, memory) : result;
        }));
    }

    private void connect(End a, QueuePair qpA, End b, QueuePair qpB) {
        ConnectAttributes attributes =
                new ConnectAttributes().pathMtu(1024).timeout(5).retryCount(3).minRnrTimer(1);
        qpA.connect(b.nic.id(), qpB.number(), attributes);
        qpB.connect(a.nic.id(), qpA.number(), attributes);
    }

    private void begin(boolean direct) {
        hub = new End(1, new FaultyMemory());
        peer = new End(2, new DirectMemoryProvider());
        other = new End(3, new DirectMemoryProvider());
        fabric.connect(hub.endpoint(true), peer.endpoint(false), new LinkProfile().direct(direct));
        fabric.connect(hub.endpoint(false), other.endpoint(false), new LinkProfile());
        victim = hub.newQueuePair();
        victimsPeer = peer.newQueuePair();
        neighbour = hub.newQueuePair();
        stranger = hub.newQueuePair();
        connect(hub, victim, peer, victimsPeer);
        connect(hub, neighbour, peer, peer.newQueuePair());
        connect(hub, stranger, other, other.newQueuePair());
        settle();
        hub.events.clear();
    }

    private void settle() {
        simulation.runFor(50 * MILLI);
    }

    @AfterEach
    void close() {
        if (hub != null) {
            hub.nic.close();
            peer.nic.close();
            other.nic.close();
        }
    }

    /** Stages in which one queue pair's work is done: where they meet the fault, and what leads there. */
    enum OfOneQueuePair {
        REQUEST("claim", t -> t.write(t.hub, t.victim)),
        REQUEST_HALF_WRITTEN("buffer", t -> t.write(t.hub, t.victim)),
        REQUEST_NOT_COMMITTED("commit", t -> t.write(t.hub, t.victim)),
        TIMER("unsent", t -> {
            t.peer.paused = true; // no answer comes
            t.write(t.hub, t.victim);
        }),
        RECEIVE("write", t -> t.write(t.peer, t.victimsPeer)),
        ACKNOWLEDGEMENT("claim", t -> t.write(t.peer, t.victimsPeer)),
        ANSWER("claim", t -> t.read(t.peer, t.victimsPeer)),
        ANSWER_NOT_COMMITTED("commit", t -> t.read(t.peer, t.victimsPeer)),
        RESPONSE("write", t -> t.read(t.hub, t.victim));

        final String at;
        final Consumer<ContainmentTest> trigger;

        OfOneQueuePair(String at, Consumer<ContainmentTest> trigger) {
            this.at = at;
            this.trigger = trigger;
        }
    }

    private void write(End from, QueuePair qp) {
        MemoryRegion to = from == hub ? peer.region : hub.region;
        qp.postSend(from.request.write(to.key(), 0).local(from.region.key(), 0, LENGTH));
    }

    private void read(End from, QueuePair qp) {
        MemoryRegion to = from == hub ? peer.region : hub.region;
        qp.postSend(from.request.read(to.key(), 0).local(from.region.key(), 0, LENGTH));
    }

    @ParameterizedTest
    @EnumSource
    void anExceptionIsItsQueuePairsAlone(OfOneQueuePair stage) {
        begin(false);
        fault.arm(stage.at, false);
        stage.trigger.accept(this);
        settle();
        expectVictimBroken("ArithmeticException: in " + stage.at);
    }

    @ParameterizedTest
    @EnumSource
    void anErrorIsItsQueuePairsAlone(OfOneQueuePair stage) {
        begin(false);
        fault.arm(stage.at, true);
        stage.trigger.accept(this);
        settle();
        expectVictimBroken("OutOfMemoryError: in " + stage.at);
    }

    /** Requests that are executed on mapped memory. */
    @Test
    void anExceptionOnThePeersMemoryIsItsQueuePairsAlone() {
        begin(true);
        fault.arm("segment", false);
        write(hub, victim);
        settle();
        expectVictimBroken("ArithmeticException: in segment");
    }

    private void expectVictimBroken(String why) {
        peer.paused = false;
        assertThat(fault.thrown).as("the stage was met").isEqualTo(1);
        assertThat(victim.state()).isEqualTo(QpState.ERR);
        assertThat(victim.failure()).contains(why);
        assertThat(hub.events).contains(AsyncEventType.QP_FATAL).doesNotContain(AsyncEventType.DEVICE_FATAL);
        assertThat(hub.nic.counter(NicCounter.QUEUE_PAIRS_BROKEN)).isEqualTo(1);
        assertThat(hub.nic.counter(NicCounter.LINKS_BROKEN)).isZero();
        assertThat(hub.statuses)
                .as("of its requests, if it was not the peer's")
                .isSubsetOf(WcStatus.FATAL_ERR, WcStatus.WR_FLUSH_ERR);
        assertThat(neighbour.failure()).isNull();
        goesOn(neighbour, peer);
        goesOn(stranger, other);
        victim.modify(new QpAttributes().state(QpState.RESET));
        assertThat(victim.failure()).as("it begins anew").isNull();
    }

    private void goesOn(QueuePair qp, End at) {
        for (int i = 0; i < 3; i++) {
            hub.statuses.clear();
            qp.postSend(hub.request.write(at.region.key(), 0).local(hub.region.key(), 0, LENGTH));
            qp.postSend(hub.request.read(at.region.key(), 0).local(hub.region.key(), 0, LENGTH));
            settle();
            assertThat(hub.statuses).containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS);
        }
    }

    /** Stages in which a link does something of its own. */
    enum OfOneLink {
        POLL("poll"),
        FLUSH("flush");

        final String at;

        OfOneLink(String at) {
            this.at = at;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anExceptionOfALinkIsItsOwn(OfOneLink stage) {
        begin(false);
        fault.arm(stage.at, false);
        write(hub, victim);
        settle();
        assertThat(fault.thrown).isEqualTo(1);
        assertThat(hub.nic.counter(NicCounter.LINKS_BROKEN)).isEqualTo(1);
        assertThat(hub.nic.counter(NicCounter.QUEUE_PAIRS_BROKEN)).isZero();
        assertThat(hub.events).contains(AsyncEventType.PORT_ERR).doesNotContain(AsyncEventType.DEVICE_FATAL);
        simulation.runFor(10_000 * MILLI);
        assertThat(hub.statuses).as("its link is gone").containsExactly(WcStatus.RETRY_EXC_ERR);
        assertThat(victim.failure()).isNull();
        goesOn(stranger, other);
    }

    @Test
    void aLinkThatCannotBeAttachedIsClosed() {
        begin(false);
        fault.arm("peerMemory", false);
        fabric.connect(hub.endpoint(true), new End(4, new DirectMemoryProvider()).endpoint(false), new LinkProfile());
        settle();
        assertThat(hub.nic.counter(NicCounter.LINKS_BROKEN) + hub.nic.counter(NicCounter.LINKS_REJECTED))
                .isEqualTo(1);
        assertThat(hub.events).doesNotContain(AsyncEventType.DEVICE_FATAL);
        goesOn(victim, peer);
        goesOn(stranger, other);
    }

    @Test
    void aCommandsExceptionIsNotTheNextOnes() {
        begin(false);
        List<String> done = new ArrayList<>();
        hub.nic
                .engine(0)
                .call(
                        () -> { // has the baton: what is given now waits
                            hub.nic.engine(0).callSoon(() -> {
                                throw new ArithmeticException("of a command");
                            });
                            hub.nic.engine(0).callSoon(() -> done.add("next"));
                        });
        settle();
        assertThat(done).containsExactly("next");
        assertThat(hub.events).doesNotContain(AsyncEventType.DEVICE_FATAL);
        goesOn(victim, peer);
    }
}
