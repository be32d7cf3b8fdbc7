package io.verbena.connection;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.AccessRequest;
import io.verbena.CloseReason;
import io.verbena.MuxScheduler;
import io.verbena.NodeRuntime;
import io.verbena.Right;
import io.verbena.mux.MuxSettings;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.path.StagingRing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The agents of connections in virtual time: as actors of a simulation, and under a clock that the test moves. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class VirtualTimeTest {
    private static final long LINGER = TimeUnit.SECONDS.toNanos(3);
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The connections of a node that has no more than those. */
    private static final class End implements Actor, Targets, Target, ConnectionOwner, ConnectionEnd {
        final NanoClock clock;
        final ProtectionDomain pd;
        final Connections connections;
        final List<Connection> made = new ArrayList<>();
        int looks; // at connections that close

        End(String name, Nic nic, NanoClock clock) {
            this.clock = clock;
            this.pd = nic.allocateProtectionDomain();
            this.connections = new Connections(
                    nic,
                    NodeRuntime.system().withClock(clock, () -> {}),
                    new ConnectionSettings(
                            name,
                            16,
                            64,
                            16 << 10,
                            4096,
                            18,
                            7,
                            LINGER,
                            10_000 * MS,
                            10_000 * MS,
                            64,
                            new MuxSettings(Integer.MAX_VALUE, 1, 16, 16 << 10, MuxScheduler.DEFICIT_ROUND_ROBIN)),
                    this,
                    new AccessRules(request -> EnumSet.allOf(Right.class), 16, Integer.MAX_VALUE, Integer.MAX_VALUE),
                    new byte[0],
                    new Notices(name, nic.engine(0)));
        }

        Connection prepare(long peerNic) {
            return connections
                    .handshake()
                    .prepare(peerNic, ConnectionFlyweight.INBOX, "in", this, null, ChannelSettings.DEFAULT, false);
        }

        @Override
        public int step() {
            return connections.doWork(clock.nanoTime());
        }

        @Override
        public long nextDeadlineNanos() {
            return connections.nextDeadline();
        }

        @Override
        public Target inbox(String name) {
            return this;
        }

        @Override
        public Target region(String name) {
            return this;
        }

        @Override
        public AccessRequest.Kind kind() {
            return AccessRequest.Kind.INBOX;
        }

        @Override
        public ConnectionOwner owner() {
            return this;
        }

        @Override
        public ChannelSettings settings() {
            return ChannelSettings.DEFAULT;
        }

        @Override
        public MessageQueue queue() {
            return null;
        }

        @Override
        public long regionLength() {
            return 0;
        }

        @Override
        public int grantable() {
            return Access.REMOTE;
        }

        @Override
        public int regionKey(int rights) {
            return 0;
        }

        @Override
        public String name() {
            return "default";
        }

        @Override
        public ProtectionDomain pd() {
            return pd;
        }

        @Override
        public ConnectionEnd channel(Connection connection, boolean concurrent) {
            made.add(connection);
            return this;
        }

        @Override
        public ConnectionEnd region(Connection connection, StagingRing staging, CompletionQueue completions) {
            throw new AssertionError();
        }

        @Override
        public boolean finishSending() {
            looks++;
            return true;
        }

        @Override
        public void closed(boolean wasOpen) {}

        @Override
        public void retired() {}
    }

    // ---- in a simulation --------------------------------------------------------------------------------------------

    private final Simulation simulation = new Simulation(1);
    private final SimFabric fabric = new SimFabric(simulation);
    private final SimNode client = new SimNode(simulation, fabric, "client", 1);
    private final SimNode server = new SimNode(simulation, fabric, "server", 2);
    private final End asks = new End("client", client.nic(), simulation.clock());
    private final End answers = new End("server", server.nic(), simulation.clock());

    private void link() {
        fabric.connect(
                client.nic().engine(0).endpoint(),
                server.nic().engine(0).endpoint(),
                new LinkProfile().faultless().delay(MS));
        simulation.add("client's connections", asks);
        simulation.add("server's connections", answers);
        simulation.runFor(10 * MS);
    }

    @Test
    void aRequestThatIsLostIsSentAgain() {
        link();
        fabric.partition("cut", 1);
        Connection c = asks.prepare(2);
        asks.connections.handshake().ask(c, null, 8192);
        simulation.runFor(3 * Connections.RETRY_NANOS - MS);
        assertThat(c.opened()).isNotDone();
        fabric.heal("cut");
        simulation.runFor(10 * MS);
        assertThat(c.opened()).isCompletedWithValue(c);
        assertThat(answers.made)
                .singleElement()
                .satisfies(there -> assertThat(there.state).isEqualTo(Connection.OPEN));
    }

    @Test
    void aRequestWhoseLinkIsGoneFailsWhenItWouldBeSentAgain() {
        link();
        boolean[] up = {true};
        asks.connections.handshake().linked(nic -> nic != 2 || up[0]);
        fabric.partition("cut", 1);
        Connection c = asks.prepare(2);
        asks.connections.handshake().ask(c, null, 8192);
        simulation.runFor(2 * Connections.RETRY_NANOS + MS);
        assertThat(c.opened()).isNotDone();
        up[0] = false;
        simulation.runFor(Connections.RETRY_NANOS);
        assertThat(c.opened())
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("the link was lost before an answer came");
    }

    @Test
    void anAnswerThatIsNotConfirmedIsGivenUp() {
        link();
        Connection c = asks.prepare(2);
        asks.connections.handshake().ask(c, null, 8192);
        simulation.runUntil(() -> !answers.made.isEmpty(), 10 * MS);
        long answered = simulation.nowNanos();
        fabric.partition("cut", 1);
        Connection there = answers.made.get(0);
        simulation.runUntil(() -> there.state == Connection.CLOSED, TimeUnit.MINUTES.toNanos(1));
        assertThat(there.reason).isEqualTo(CloseReason.TIMED_OUT);
        assertThat(simulation.nowNanos() - answered)
                .isBetween(
                        Connections.ATTEMPTS * Connections.RETRY_NANOS,
                        Connections.ATTEMPTS * Connections.RETRY_NANOS + MS);
    }

    // ---- under a clock of the test ----------------------------------------------------------------------------------

    private long now = -5 * MS; // as a nanoTime may be

    private Nic nic() {
        return Nic.open(new NicContext()
                .mode(EngineMode.INVOKER)
                .backgroundThread(false)
                .clock(() -> now));
    }

    private static void answer(End end, Connection c) {
        end.connections
                .handshake()
                .answered(
                        c.peerNic,
                        ConnectionFlyweight.of(ConnectionFlyweight.REPLY, c.transaction)
                                .kind(c.kind)
                                .queuePairs(3, c.number())
                                .streams(1, c.stream())
                                .psn(1)
                                .pathMtu(4096)
                                .node("gone"));
    }

    @Test
    void aCloseLingersAndThenSaysGoodbyeForAWhile() {
        try (Nic nic = nic()) {
            End end = new End("alone", nic, () -> now);
            Connection c = end.prepare(7);
            answer(end, c);
            assertThat(c.state).isEqualTo(Connection.OPEN);
            c.path.post(new SendRequest().send().inline(new UnsafeBuffer(new byte[8]), 0, 8));
            end.connections.close(c);
            now += LINGER - 1;
            end.connections.doWork(now);
            assertThat(end.connections.isDrained()).isFalse();
            assertThat(end.connections.nextDeadline() - now).isBetween(0L, MS);
            now += MS;
            end.connections.doWork(now);
            assertThat(end.connections.isDrained()).isTrue();
            assertThat(c.state).isEqualTo(Connection.CLOSING);
            for (int i = 0; i < Connections.ATTEMPTS; i++) {
                assertThat(c.state).isEqualTo(Connection.CLOSING);
                now = end.connections.nextDeadline();
                end.connections.doWork(now);
            }
            assertThat(c.state).isEqualTo(Connection.CLOSED);
            assertThat(end.connections.numbered(c.number())).isSameAs(c); // for stragglers
            now = end.connections.nextDeadline();
            end.connections.doWork(now);
            assertThat(end.connections.numbered(c.number())).isNull();
            assertThat(end.connections.nextDeadline()).isEqualTo(Long.MAX_VALUE);
        }
    }

    /** The others that close are looked at when it is time. */
    @Test
    void aCloseLooksAtItsConnectionAlone() {
        int channels = 60;
        try (Nic nic = nic()) {
            End end = new End("alone", nic, () -> now);
            for (int i = 0; i < channels; i++) {
                answer(end, end.prepare(7));
            }
            end.connections.closeAll();
            assertThat(end.looks).isBetween(channels, 2 * channels); // and once more before goodbye is said
            assertThat(end.connections.isDrained()).isTrue();
            assertThat(end.connections.isQuiet()).isFalse();
            for (int i = 0; i < Connections.ATTEMPTS; i++) {
                now = end.connections.nextDeadline();
                end.looks = 0;
                end.connections.doWork(now);
                assertThat(end.looks).isEqualTo(channels);
            }
            assertThat(end.connections.isQuiet()).isTrue();
        }
    }

    @Test
    void whatIsClosedBeforeItIsOpenHasLostNothing() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(Closings.class);
        lines.start();
        logger.addAppender(lines);
        try (Nic nic = nic()) {
            End end = new End("alone", nic, () -> now);
            Connection c = end.prepare(7);
            end.connections.closeAll();
            assertThat(end.connections.isDrained()).isTrue();
            answer(end, c); // too late
            assertThat(c.state).isEqualTo(Connection.CLOSING);
            assertThat(end.connections.isDrained()).isTrue();
            int goodbyes = c.exchange().attempts;
            end.connections.doWork(now); // the peer can tell now whose goodbye it is
            assertThat(c.exchange().attempts).isEqualTo(goodbyes + 1);
            end.connections.shutDown();
            assertThat(lines.list).isEmpty();
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void aRedialIsMadeWhenItsPauseIsOver() {
        List<String> made = new ArrayList<>();
        Redials redials = new Redials(Runnable::run);
        assertThat(redials.nextDeadline()).isEqualTo(Redials.NEVER);
        redials.add(now + 20 * MS, () -> made.add("second"));
        redials.add(now + 10 * MS, () -> made.add("first"));
        assertThat(redials.nextDeadline() - now).isEqualTo(10 * MS);
        assertThat(redials.doWork(now)).isZero();
        now += 10 * MS;
        assertThat(redials.doWork(now)).isEqualTo(1);
        assertThat(made).containsExactly("first");
        assertThat(redials.nextDeadline() - now).isEqualTo(10 * MS);
        now += 15 * MS;
        assertThat(redials.doWork(now)).isEqualTo(1);
        assertThat(made).containsExactly("first", "second");
        assertThat(redials.nextDeadline()).isEqualTo(Redials.NEVER);
    }
}
