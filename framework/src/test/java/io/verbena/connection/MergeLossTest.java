package io.verbena.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.AccessRequest;
import io.verbena.CloseReason;
import io.verbena.MergingStatistics;
import io.verbena.MuxScheduler;
import io.verbena.NodeRuntime;
import io.verbena.Outcome;
import io.verbena.Right;
import io.verbena.SendResult;
import io.verbena.merge.Admissions;
import io.verbena.merge.BacklogWindow;
import io.verbena.merge.ConnectedPeer;
import io.verbena.merge.MergeSettings;
import io.verbena.merge.MergingOperations;
import io.verbena.merge.TimelyWindow;
import io.verbena.merge.Window;
import io.verbena.mux.MuxSettings;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.QpState;
import io.verbena.path.StagingRing;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Merging operations over simulated links that lose, repeat and reorder packets, against a model that does each
 * operation when it is posted; and over links that are cut.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MergeLossTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int LENGTH = 4096;
    private static final int OPERATIONS = 400;

    /** A node's connections, and one region: the server shares it, the client has it attached. */
    private static final class End implements Actor, Targets, Target, ConnectionOwner, ConnectionEnd {
        final NanoClock clock;
        final Nic nic;
        final ProtectionDomain pd;
        final MemoryRegion shared;
        final Connections connections;
        final Admissions admissions = new Admissions();
        final MergeSettings settings;
        MergingOperations operations;
        boolean retired;

        End(String name, Nic nic, NanoClock clock, MergeSettings settings) {
            this.clock = clock;
            this.nic = nic;
            this.settings = settings;
            this.pd = nic.allocateProtectionDomain();
            this.shared = pd.allocate(LENGTH, Access.LOCAL_WRITE | Access.REMOTE);
            this.connections = new Connections(
                    nic,
                    NodeRuntime.system().withClock(clock, () -> {}),
                    new ConnectionSettings(
                            name,
                            16,
                            64,
                            16 << 10,
                            256,
                            12,
                            7,
                            100 * MS,
                            10_000 * MS,
                            10_000 * MS,
                            64,
                            new MuxSettings(Integer.MAX_VALUE, 1, 16, 16 << 10, MuxScheduler.DEFICIT_ROUND_ROBIN)),
                    this,
                    new AccessRules(request -> EnumSet.allOf(Right.class), 16, Integer.MAX_VALUE, Integer.MAX_VALUE),
                    new byte[0],
                    new Notices(name, nic.engine(0)));
        }

        @Override
        public ConnectionEnd region(Connection connection, StagingRing staging, CompletionQueue completions) {
            operations = new MergingOperations(
                    new ConnectedPeer(connections, connection),
                    completions,
                    pd,
                    admissions,
                    settings,
                    nic.engine(0),
                    clock);
            return this;
        }

        @Override
        public int maxRegionEntries() {
            return MergeSettings.MAX_ENTRIES;
        }

        @Override
        public void closed(boolean wasOpen) {
            operations.closed();
        }

        @Override
        public void retired() {
            operations.release();
            retired = true;
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
            return null;
        }

        @Override
        public Target region(String name) {
            return this;
        }

        @Override
        public AccessRequest.Kind kind() {
            return AccessRequest.Kind.REGION;
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
            return LENGTH;
        }

        @Override
        public int grantable() {
            return Access.REMOTE;
        }

        @Override
        public int regionKey(int rights) {
            return shared.key();
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
            throw new AssertionError();
        }
    }

    private final byte[] model = new byte[LENGTH];
    private Simulation simulation;
    private SimFabric fabric;
    private SimNode client;
    private SimNode server;
    private Simulation.Participant serversConnections;
    private End asks;
    private End answers;
    private Connection connection;
    private int posted;
    private int told;
    private int lost;

    private void connect(long seed, MergeSettings settings, LinkProfile profile) {
        simulation = new Simulation(seed);
        fabric = new SimFabric(simulation);
        client = new SimNode(simulation, fabric, "client", 1);
        server = new SimNode(simulation, fabric, "server", 2);
        asks = new End("client", client.nic(), simulation.clock(), settings);
        answers = new End("server", server.nic(), simulation.clock(), settings);
        fabric.connect(client.nic().engine(0).endpoint(), server.nic().engine(0).endpoint(), profile);
        simulation.add("client's connections", asks);
        serversConnections = simulation.add("server's connections", answers);
        simulation.runFor(10 * MS);
        connection = asks.connections
                .handshake()
                .prepare(2, ConnectionFlyweight.REGION, "table", asks, null, ChannelSettings.DEFAULT, false);
        asks.connections.handshake().ask(connection, null, 8192);
        simulation.runUntil(connection.opened()::isDone, TimeUnit.SECONDS.toNanos(10));
        assertThat(connection.state).isEqualTo(Connection.OPEN);
    }

    private static Supplier<Window> window(int seed, long bytes) {
        return switch (seed % 5) {
            case 0 -> () -> new BacklogWindow(MS / 100);
            case 1 -> () -> new TimelyWindow(MS / 50, MS / 10);
            default -> () -> Window.fixed(bytes);
        };
    }

    private static LinkProfile lossy() {
        return new LinkProfile()
                .direct(false)
                .delay(MS / 100)
                .loss(0.05)
                .duplication(0.02)
                .reordering(0.05, MS / 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void isAsIfNothingWereMergedOrLost(int seed) {
        Random random = new Random(seed);
        connect(
                seed,
                new MergeSettings(seed % 4 > 0, seed % 3 > 0, 1 << 14, window(seed, 64L << random.nextInt(10))),
                lossy());
        MergingOperations region = asks.operations;
        while (posted < OPERATIONS) {
            switch (random.nextInt(8)) {
                case 0 -> simulation.runFor(random.nextInt((int) MS / 10));
                case 1 -> client.act(() -> region.poll(1 + random.nextInt(20)));
                default -> client.act(() -> post(region, random));
            }
        }
        simulation.runUntil(
                () -> {
                    client.act(() -> region.poll(20));
                    return told == posted;
                },
                TimeUnit.SECONDS.toNanos(60));
        byte[] there = new byte[LENGTH];
        answers.shared.buffer().getBytes(0, there);
        assertThat(there).isEqualTo(model);
        assertThat(lost).isZero();
        assertThat(fabric.counters().lost()).as("packets that were lost").isPositive();
        assertThat(region.outstanding()).isZero();
        assertThat(region.statistics().bytesInFlight()).isZero();
    }

    /** The link is cut for good: what is under way ends with its retries, what waits with it, and the account is 0. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void endsAllOnceWhenTheLinkIsCut(int seed) {
        Random random = new Random(seed);
        connect(seed, new MergeSettings(true, true, 1 << 14, () -> Window.fixed(512)), lossy());
        MergingOperations region = asks.operations;
        while (posted < 20 + seed * 10) {
            client.act(() -> post(region, random));
            simulation.runFor(random.nextInt((int) MS / 20));
            client.act(() -> region.poll(1));
        }
        fabric.partition("cut", 1);
        while (region.statistics().bytesInFlight() == 0) {
            client.act(() -> post(region, random));
        }
        if (seed % 2 == 0) { // nobody polls before all is over
            simulation.runUntil(() -> connection.path.state() == QpState.ERR, TimeUnit.SECONDS.toNanos(60));
        }
        simulation.runUntil(
                () -> {
                    client.act(() -> region.poll(20));
                    return asks.retired && told == posted;
                },
                TimeUnit.SECONDS.toNanos(60));
        assertThat(lost).isPositive();
        assertThat(region.outstanding()).isZero();
        assertThat(region.statistics().bytesInFlight()).isZero();
        assertThat(region.holdsUnposted()).isFalse();
        assertThat(region.fetchAndAdd(0, 1, 0, (id, outcome, value) -> {})).isEqualTo(SendResult.CLOSED);
        assertThat(asks.pd.group().memory().used())
                .as("as much as an end that never attached")
                .isEqualTo(answers.pd.group().memory().used());
    }

    /** It is closed here while the link is cut, and nobody polls: what is under way is over all the same. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void endsAllOnceWhenItIsClosed(int seed) {
        Random random = new Random(seed);
        connect(seed, new MergeSettings(true, true, 1 << 14, () -> Window.fixed(512)), lossy());
        MergingOperations region = asks.operations;
        fabric.partition("cut", 1);
        while (region.statistics().bytesInFlight() == 0 || posted < 10) {
            client.act(() -> post(region, random));
        }
        client.act(() -> asks.connections.close(connection));
        simulation.runUntil(() -> asks.retired, TimeUnit.SECONDS.toNanos(60));
        assertThat(region.statistics().bytesInFlight()).isZero();
        client.act(() -> region.poll(posted));
        assertThat(told).isEqualTo(posted);
        assertThat(lost).isPositive();
        assertThat(region.outstanding()).isZero();
    }

    /** The peer dies while merged requests are under way, done or not: each operation ends once, the account is 0. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void endsAllOnceWhenThePeerCrashes(int seed) {
        Random random = new Random(seed);
        connect(seed, new MergeSettings(true, true, 1 << 14, () -> Window.fixed(2048)), lossy());
        MergingOperations region = asks.operations;
        while (region.statistics().merged() == 0 || region.statistics().waited() < 20) {
            client.act(() -> region.together(() -> postAdjacent(region, 20)));
            simulation.runFor(random.nextInt((int) MS / 20));
            client.act(() -> region.poll(1));
        }
        assertThat(region.statistics().bytesInFlight()).isPositive();
        serversConnections.remove();
        server.crash();
        if (seed % 2 == 0) { // nobody polls before all is over
            simulation.runUntil(() -> asks.retired, TimeUnit.SECONDS.toNanos(60));
            assertThat(region.statistics().bytesInFlight()).isZero();
        }
        simulation.runUntil(
                () -> {
                    client.act(() -> region.poll(20));
                    return asks.retired && told == posted;
                },
                TimeUnit.SECONDS.toNanos(60));
        assertThat(region.poll(20)).as("more ends than operations").isZero();
        assertThat(lost).isPositive();
        assertThat(connection.reason).isEqualTo(CloseReason.PEER_LOST);
        assertThat(region.outstanding()).isZero();
        assertThat(region.statistics().bytesInFlight()).isZero();
        assertThat(region.holdsUnposted()).isFalse();
        assertThat(asks.admissions.statistics())
                .extracting(MergingStatistics::operations, MergingStatistics::window)
                .containsExactly((long) posted, 0L);
    }

    private void postAdjacent(MergingOperations region, int count) {
        UnsafeBuffer source = new UnsafeBuffer(new byte[64]);
        for (int i = 0; i < count; i++) {
            int id = posted;
            SendResult result = region.write(64L * i, source, 0, 64, id, (correlation, outcome, value) -> {
                tell(id, correlation, outcome, value, 0);
            });
            posted += result == SendResult.SENT ? 1 : 0;
        }
    }

    @Test
    void whatComesWhileSomebodyHoldsLeavesMerged() {
        connect(
                1,
                new MergeSettings(true, true, 1 << 14, () -> Window.fixed(1 << 20)),
                new LinkProfile().direct(false));
        MergingOperations region = asks.operations;
        UnsafeBuffer source = new UnsafeBuffer(new byte[8]);
        client.act(() -> {
            assertThat(region.hold()).isTrue();
            assertThat(region.hold()).as("a second one").isFalse();
            for (int i = 0; i < 4; i++) {
                assertThat(region.write(8L * i, source, 0, 8, i, (id, outcome, value) -> told++))
                        .isEqualTo(SendResult.SENT);
            }
        });
        simulation.runFor(MS);
        assertThat(region.statistics().workRequests()).isZero();
        client.act(region::resume);
        assertThat(region.statistics().workRequests()).isEqualTo(1);
        assertThat(region.statistics().merged()).isEqualTo(4);
        simulation.runUntil(
                () -> {
                    client.act(() -> region.poll(20));
                    return told == 4;
                },
                TimeUnit.SECONDS.toNanos(10));
        assertThat(region.statistics().bytesInFlight()).isZero();
    }

    private void post(MergingOperations region, Random random) {
        int id = posted;
        int length = random.nextInt(4) == 0 ? random.nextInt(2000) : random.nextInt(100);
        int offset = random.nextInt(LENGTH - length + 1);
        int word = 8 * random.nextInt(LENGTH / 8);
        UnsafeBuffer words = new UnsafeBuffer(model);
        long before = words.getLong(word);
        boolean sent;
        switch (random.nextInt(12)) {
            case 0 -> {
                sent = region.fetchAndAdd(word, id, id, (i, outcome, value) -> tell(id, i, outcome, value, before))
                        == SendResult.SENT;
                if (sent) {
                    words.putLong(word, before + id);
                }
            }
            case 1, 2, 3, 4, 5 -> {
                byte[] expected = Arrays.copyOfRange(model, offset, offset + length);
                UnsafeBuffer target = new UnsafeBuffer(new byte[length]);
                sent = region.read(offset, target, 0, length, id, (i, outcome, value) -> {
                            tell(id, i, outcome, value, 0);
                            if (outcome == Outcome.DONE) {
                                assertThat(target.byteArray()).as("read " + id).isEqualTo(expected);
                            }
                        })
                        == SendResult.SENT;
            }
            default -> {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                sent = region.write(offset, new UnsafeBuffer(bytes), 0, length, id, (i, outcome, value) -> {
                            tell(id, i, outcome, value, 0);
                        })
                        == SendResult.SENT;
                if (sent) {
                    System.arraycopy(bytes, 0, model, offset, length);
                }
            }
        }
        posted += sent ? 1 : 0;
    }

    private void tell(int id, long correlation, Outcome outcome, long value, long expected) {
        assertThat(correlation).isEqualTo(told).isEqualTo(id);
        told++;
        if (outcome == Outcome.DONE) {
            assertThat(value).isEqualTo(expected);
        } else {
            lost++;
        }
    }
}
