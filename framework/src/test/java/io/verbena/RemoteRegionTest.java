package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RemoteRegionTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    static Stream<Arguments> everywhere() {
        return Stream.of(Fabric.values())
                .flatMap(fabric -> Stream.of(NodeMode.values()).map(mode -> Arguments.of(fabric, mode)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void writesAndReadsAnyLength(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            SharedRegion shared = pair.server.share("table", 4 << 20);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            assertThat(remote.length()).isEqualTo(4 << 20);
            Random random = new Random(11);
            for (int length : new int[] {0, 1, 7, 8, 192, 193, 5000, 8192, 100_000, 200_000, (4 << 20) - 3}) {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                remote.write(3, new UnsafeBuffer(bytes), 0, length, NodePair.TIMEOUT);
                byte[] there = new byte[length];
                shared.buffer().getBytes(3, there);
                assertThat(there).isEqualTo(bytes);
                UnsafeBuffer back = new UnsafeBuffer(new byte[length + 10]);
                remote.read(3, back, 5, length, NodePair.TIMEOUT);
                byte[] got = new byte[length];
                back.getBytes(5, got);
                assertThat(got).isEqualTo(bytes);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void swapsAndAddsAtomically(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            SharedRegion shared = pair.server.share("table", 64);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            assertThat(remote.fetchAndAdd(8, 5, NodePair.TIMEOUT)).isZero();
            assertThat(remote.fetchAndAdd(8, Long.MAX_VALUE, NodePair.TIMEOUT)).isEqualTo(5);
            assertThat(remote.compareAndSwap(56, 1, 2, NodePair.TIMEOUT)).isZero();
            assertThat(shared.buffer().getLongVolatile(56)).isZero();
            assertThat(remote.compareAndSwap(56, 0, -2, NodePair.TIMEOUT)).isZero();
            assertThat(remote.compareAndSwap(56, -2, 7, NodePair.TIMEOUT)).isEqualTo(-2);
            assertThat(shared.buffer().getLongVolatile(56)).isEqualTo(7);
            assertThat(shared.buffer().getLongVolatile(8)).isEqualTo(Long.MIN_VALUE + 4);
        }
    }

    /** Whatever the AccessPolicy says: the default one gives every right. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void aRegionGivesNoMoreThanItsOwnerShares(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.THREAD)) {
            pair.server.share("news", 64, Right.READ).buffer().putLong(8, 42);
            RemoteRegion news = pair.client.attach(pair.address + "news", NodePair.TIMEOUT);
            UnsafeBuffer word = new UnsafeBuffer(new byte[8]);
            news.read(8, word, 0, 8, NodePair.TIMEOUT);
            assertThat(word.getLong(0)).isEqualTo(42);
            assertThatThrownBy(() -> news.write(8, word, 0, 8, NodePair.TIMEOUT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("news");
            assertThatThrownBy(() -> news.fetchAndAdd(8, 1, NodePair.TIMEOUT))
                    .isInstanceOf(IllegalStateException.class);

            pair.server.share("nothing", 64, Right.SEND);
            assertThatThrownBy(() -> pair.client.attach(pair.address + "nothing", NodePair.TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("nothing");
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void tellsHandlersInTheOrderOfPosting(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            SharedRegion shared = pair.server.share("table", 1 << 16);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            List<Long> ended = new ArrayList<>();
            OperationHandler handler = (id, outcome, value) -> {
                assertThat(outcome).isEqualTo(Outcome.DONE);
                assertThat(value).isEqualTo(id % 4 == 3 ? id / 4 : 0);
                ended.add(id);
            };
            UnsafeBuffer small = new UnsafeBuffer(new byte[8]);
            UnsafeBuffer large = new UnsafeBuffer(new byte[30_000]);
            UnsafeBuffer target = new UnsafeBuffer(new byte[30_000]);
            int operations = 4_000;
            for (int i = 0; i < operations; i++) {
                int id = i;
                small.putLong(0, id);
                pair.await(() -> {
                    SendResult result = switch (id % 4) {
                        case 0 -> remote.write(8, small, 0, 8, id, handler);
                        case 1 -> remote.write(16, large, 0, large.capacity(), id, handler);
                        case 2 -> remote.read(8, target, 0, 30_000, id, handler);
                        default -> remote.fetchAndAdd(0, 1, id, handler);
                    };
                    remote.poll(16);
                    return result == SendResult.SENT;
                });
            }
            pair.await(() -> remote.poll(16) >= 0 && ended.size() == operations);
            for (int i = 0; i < operations; i++) {
                assertThat(ended.get(i)).isEqualTo(i);
            }
            assertThat(remote.outstanding()).isZero();
            assertThat(shared.buffer().getLong(0)).isEqualTo(operations / 4);
            assertThat(shared.buffer().getLong(8)).isEqualTo(operations - 4);
        }
    }

    /** Many short operations before long ones: each keeps its own staging memory until it has ended. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void mixesShortAndLongOperations(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            int length = 200_000; // above half of the staging memory
            int pieces = 3;
            SharedRegion shared = pair.server.share("table", 8 + pieces * length);
            for (int i = 0; i < pieces; i++) {
                shared.buffer().setMemory(8 + i * length, length, (byte) i);
            }
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            UnsafeBuffer[] targets = new UnsafeBuffer[pieces];
            int[] ended = new int[1];
            OperationHandler adds = (id, outcome, value) -> {
                assertThat(value).isEqualTo(id);
                ended[0]++;
            };
            OperationHandler reads = (id, outcome, value) -> {
                int piece = (int) id;
                assertThat(targets[piece].getByte(0)).isEqualTo((byte) piece);
                assertThat(targets[piece].getByte(length - 1)).isEqualTo((byte) piece);
                ended[0]++;
            };
            long counter = 0;
            int posted = 0;
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 700; i++, posted++) {
                    long id = counter++;
                    pair.await(() -> remote.poll(1) >= 0 && remote.fetchAndAdd(0, 1, id, adds) == SendResult.SENT);
                }
                for (int i = 0; i < pieces; i++, posted++) {
                    int piece = i;
                    pair.await(() -> remote.poll(1) >= 0
                            && (targets[piece] = new UnsafeBuffer(new byte[length])) != null
                            && remote.read(8 + (long) piece * length, targets[piece], 0, length, piece, reads)
                                    == SendResult.SENT);
                }
                int expected = posted;
                pair.await(() -> remote.poll(16) >= 0 && ended[0] == expected);
            }
        }
    }

    /** The place of an operation that is being told is taken by the next at once; no completion may be lost by that. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void handlersPostWhileTheRingIsFull(Fabric fabric) {
        NodeContext server = fabric.context(NodeMode.ASSISTED);
        NodeContext client = fabric.context(NodeMode.ASSISTED).sendDepth(2);
        try (NodePair pair = new NodePair(fabric, server, client)) {
            SharedRegion shared = pair.server.share("table", 8);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            int operations = 1_000;
            int[] counts = new int[2]; // posted, ended
            OperationHandler[] again = new OperationHandler[1];
            Runnable post = () -> {
                while (counts[0] < operations && remote.fetchAndAdd(0, 1, counts[0], again[0]) == SendResult.SENT) {
                    counts[0]++;
                }
            };
            again[0] = (id, outcome, value) -> {
                assertThat(value).isEqualTo(id);
                counts[1]++;
                post.run();
            };
            pair.await(() -> {
                post.run();
                return remote.poll(100) >= 0 && counts[1] == operations;
            });
            assertThat(shared.buffer().getLongVolatile(0)).isEqualTo(operations);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void nodePollsWhereItIsTold(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            pair.server.share("table", 4096);
            RemoteRegion remote =
                    pair.client.attach(pair.address + "table", NodePair.TIMEOUT).pollOnNode();
            AtomicInteger done = new AtomicInteger();
            UnsafeBuffer source = new UnsafeBuffer(new byte[1000]);
            for (int i = 0; i < 1_000; i++) {
                pair.await(() -> remote.write(0, source, 0, 1000, 0, (id, outcome, value) -> done.incrementAndGet())
                        == SendResult.SENT);
            }
            pair.await(() -> done.get() == 1_000);
            assertThat(remote.fetchAndAdd(0, 1, NodePair.TIMEOUT)).isZero();
        }
    }

    /**
     * A poster that executes its operation itself wakes the node whose thread is to tell of it; else each waits 1 s.
     */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    void wakesTheSleepingNodeThatPolls(Fabric fabric) {
        NodeContext server = fabric.context(NodeMode.ASSISTED).spin(Duration.ZERO);
        NodeContext client = fabric.context(NodeMode.ASSISTED).spin(Duration.ZERO);
        try (NodePair pair = new NodePair(fabric, server, client)) {
            pair.server.share("table", 4096);
            RemoteRegion remote =
                    pair.client.attach(pair.address + "table", NodePair.TIMEOUT).pollOnNode();
            AtomicInteger done = new AtomicInteger();
            for (int i = 1; i <= 50; i++) {
                int expected = i;
                remote.fetchAndAdd(0, 1, 0, (id, outcome, value) -> done.incrementAndGet());
                pair.await(() -> done.get() == expected);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void movesBetweenSharedMemoriesWithoutACopy(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            SharedRegion shared = pair.server.share("table", 1 << 20);
            SharedRegion own = pair.client.share("own", 1 << 20);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            own.buffer().setMemory(0, 1 << 19, (byte) 7);
            int[] done = new int[1];
            OperationHandler count = (id, outcome, value) -> done[0]++;
            assertThat(remote.write(1 << 19, own, 0, 1 << 19, 0, count)).isEqualTo(SendResult.SENT);
            assertThat(remote.read(1 << 19, own, 1 << 19, 1 << 19, 0, count)).isEqualTo(SendResult.SENT);
            pair.await(() -> remote.poll(1) >= 0 && done[0] == 2);
            assertThat(shared.buffer().getByte((1 << 20) - 1)).isEqualTo((byte) 7);
            assertThat(own.buffer().getByte((1 << 20) - 1)).isEqualTo((byte) 7);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> remote.write(0, shared, 0, 8, 0, count))
                    .withMessageContaining("region 'table'");
            assertThatThrownBy(() -> remote.write(0, own, (1 << 20) - 7, 8, 0, count))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("offset 1048569 + length 8 leaves region 'own'")
                    .hasMessageContaining("1048576");
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void countersOfSeveralNodesAddUp(Fabric fabric) throws InterruptedException {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            SharedRegion shared = pair.server.share("table", 8);
            Thread[] threads = new Thread[3];
            for (int t = 0; t < threads.length; t++) {
                threads[t] = new Thread(() -> {
                    try (Node node = Node.launch(fabric.context(NodeMode.ASSISTED));
                            RemoteRegion remote = node.attach(pair.address + "table", NodePair.TIMEOUT)) {
                        for (int i = 0; i < 500; i++) {
                            remote.fetchAndAdd(0, 1, NodePair.TIMEOUT);
                        }
                    }
                });
                threads[t].start();
            }
            for (Thread thread : threads) {
                thread.join(60_000);
            }
            assertThat(shared.buffer().getLongVolatile(0)).isEqualTo(1_500);
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void refusesWhatLeavesTheRegion(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            pair.server.share("table", 4096);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
            assertThatThrownBy(() -> remote.read(4090, buffer, 0, 7, SHORT))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage("offset 4090 + length 7 leaves remote region 'table' of node '" + pair.server.name()
                            + "' of length 4096");
            assertThatThrownBy(() -> remote.write(Long.MAX_VALUE, buffer, 0, 1, SHORT))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> remote.write(-1, buffer, 0, 1, SHORT))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> remote.read(0, buffer, 60, 8, SHORT))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> remote.fetchAndAdd(4096, 1, SHORT)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> remote.fetchAndAdd(12, 1, SHORT))
                    .withMessage("offset 12 of an atomic is not a multiple of 8");
            assertThat(remote.fetchAndAdd(4088, 1, NodePair.TIMEOUT)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void saysWhatIsNotThere(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            pair.server.openInbox("inbox");
            assertThatThrownBy(() -> pair.client.attach(pair.address + "inbox", NodePair.TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessage("cannot connect to " + pair.address + "inbox: node '" + pair.server.name()
                            + "' has no region 'inbox'");
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void closesWhenTheRegionIsTakenBack(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            SharedRegion shared = pair.server.share("table", 4096);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            RemoteRegion other = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            assertThat(remote.fetchAndAdd(0, 1, NodePair.TIMEOUT)).isZero();
            shared.close();
            assertThatThrownBy(() -> remote.fetchAndAdd(0, 1, NodePair.TIMEOUT))
                    .isInstanceOf(RemoteMemoryException.class)
                    .hasMessage("fetch-and-add of remote region 'table' of node '" + pair.server.name()
                            + "' failed: the peer's inbox or region is gone")
                    .extracting(e -> ((RemoteMemoryException) e).reason())
                    .isEqualTo(CloseReason.REFUSED);
            assertThat(remote.closeReason()).isEqualTo(CloseReason.REFUSED);
            assertThat(remote.isConnected()).isFalse();
            List<Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < 3; i++) { // those behind the first end in the same way
                other.read(0, new UnsafeBuffer(new byte[8]), 0, 8, i, (id, outcome, value) -> outcomes.add(outcome));
            }
            pair.await(() -> other.poll(8) >= 0 && other.outstanding() == 0 && !other.isConnected());
            assertThat(outcomes).isNotEmpty().containsOnly(Outcome.CLOSED);
            assertThat(other.closeReason()).isEqualTo(CloseReason.REFUSED);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void closesWithThePeersNode(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            pair.server.share("table", 4096);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            pair.closeServer();
            pair.await(() -> !remote.isConnected());
            assertThat(remote.closeReason()).isIn(CloseReason.CLOSED_BY_PEER, CloseReason.PEER_LOST);
            assertThatThrownBy(() -> remote.fetchAndAdd(0, 1, NodePair.TIMEOUT))
                    .isInstanceOf(RemoteMemoryException.class)
                    .hasMessageContaining(String.valueOf(remote.closeReason()));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS"})
    void givesUpAtTheDeadline(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.INVOKER)) {
            pair.server.share("table", 4096);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            UnsafeBuffer target = new UnsafeBuffer(new byte[8]);
            pair.pauseServer(true);
            assertThatThrownBy(() -> remote.read(0, target, 0, 8, SHORT))
                    .isInstanceOf(RemoteMemoryException.class)
                    .hasMessage("read of remote region 'table' of node '" + pair.server.name()
                            + "' was not done within 100 ms")
                    .extracting(e -> ((RemoteMemoryException) e).reason())
                    .isNull();
            target.putLong(0, -1);
            pair.pauseServer(false);
            pair.await(() -> remote.poll(1) >= 0 && remote.outstanding() == 0);
            assertThat(target.getLong(0)).isEqualTo(-1); // what came late was not written here
            assertThat(remote.isConnected()).isTrue();
        }
    }

    @Test
    void endsWhatIsUnderWayWhenTheOwnNodeCloses() {
        List<Outcome> outcomes = new ArrayList<>();
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            pair.server.share("table", 4096);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            pair.pauseServer(true);
            for (int i = 0; i < 3; i++) {
                assertThat(remote.fetchAndAdd(0, 1, i, (id, outcome, value) -> outcomes.add(outcome)))
                        .isEqualTo(SendResult.SENT);
            }
            pair.client.close();
            assertThat(remote.poll(8)).isEqualTo(3);
            assertThat(remote.closeReason()).isEqualTo(CloseReason.CLOSED_HERE);
            assertThat(remote.poll(8)).isZero();
        }
        assertThat(outcomes).containsExactly(Outcome.CLOSED, Outcome.CLOSED, Outcome.CLOSED);
    }

    @Test
    void blockingFormsAreRefusedInCallbacks() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.share("table", 4096);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            List<Throwable> thrown = new ArrayList<>();
            remote.fetchAndAdd(0, 1, 0, (id, outcome, value) -> {
                try {
                    remote.fetchAndAdd(0, 1, NodePair.TIMEOUT);
                } catch (IllegalStateException e) {
                    thrown.add(e);
                }
            });
            pair.await(() -> remote.poll(1) == 1);
            assertThat(thrown).hasSize(1);
        }
    }
}
