package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The memory of several peers, and messages beside it. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RemoteSessionTest {
    private static final int BLOCK = 4096;
    private static final int LENGTH = 32 * BLOCK;

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeNodes() {
        nodes.forEach(Node::close);
    }

    private Node node(Fabric fabric) {
        Node node = Node.launch(fabric.context(NodeMode.THREAD));
        nodes.add(node);
        return node;
    }

    private static RemoteOptions options() {
        return new RemoteOptions("pages").blockLength(BLOCK);
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.yield();
        }
    }

    /** Each thread has bytes of its own in every block of each peer; what it reads is what it wrote last. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void threadsFindWhatTheyWroteAtEachPeer(Fabric fabric) throws InterruptedException {
        RemoteOptions options = options();
        List<SharedRegion> memories = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Node server = node(fabric);
            memories.add(server.share("pages", LENGTH));
            options.peer(fabric.listen(server));
        }
        AtomicInteger ended = new AtomicInteger();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        RemoteSession session = node(fabric)
                .remote(options.onCompletion((id, outcome, value) -> ended.incrementAndGet()), NodePair.TIMEOUT)
                .pollOnNode();
        assertThat(session.peers()).isEqualTo(2);
        assertThat(session.length(1)).isEqualTo(LENGTH);
        int threads = 3;
        byte[][][] models = new byte[threads][2][LENGTH];
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int self = t;
            Thread thread = new Thread(() -> new Pager(session, self, models[self]).run(failures));
            all.add(thread);
            thread.start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        await(() -> session.outstanding() == 0);
        for (int peer = 0; peer < 2; peer++) {
            for (int at = 0; at < LENGTH; at++) {
                int owner = at / Pager.PIECE % threads;
                assertThat(memories.get(peer).buffer().getByte(at)).isEqualTo(models[owner][peer][at]);
            }
        }
        assertThat(ended.get()).isEqualTo(threads * Pager.STEPS);
        assertThat(session.statistics(0).operations() + session.statistics(1).operations())
                .isEqualTo(2L * threads * Pager.STEPS);
    }

    /** A thread that writes pieces that are its own, and reads each back. */
    private static final class Pager {
        static final int STEPS = 300;
        static final int PIECE = 64;

        private final RemoteSession session;
        private final byte[][] model;
        private final int self;
        private final SplittableRandom random;
        private final AtomicInteger read = new AtomicInteger();

        Pager(RemoteSession session, int self, byte[][] model) {
            this.session = session;
            this.self = self;
            this.model = model;
            this.random = new SplittableRandom(self);
        }

        void run(ConcurrentLinkedQueue<Throwable> failures) {
            try {
                UnsafeBuffer bytes = new UnsafeBuffer(new byte[PIECE]);
                UnsafeBuffer back = new UnsafeBuffer(new byte[PIECE]);
                for (int step = 1; step <= STEPS; step++) {
                    int peer = random.nextInt(2);
                    int at = (random.nextInt(LENGTH / PIECE / 3) * 3 + self) * PIECE;
                    bytes.setMemory(0, PIECE, (byte) (step + self));
                    bytes.getBytes(0, model[peer], at, PIECE);
                    while (session.write(peer, at, bytes, 0, PIECE, step) != SendResult.SENT) {
                        Thread.yield();
                    }
                    while (session.read(peer, at, back, 0, PIECE, step, (id, o, v) -> read.incrementAndGet())
                            != SendResult.SENT) {
                        Thread.yield();
                    }
                    int expected = step;
                    RemoteSessionTest.await(() -> read.get() == expected);
                    assertThat(back).isEqualTo(bytes);
                }
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }

    /** Blocks are dealt to the queue pairs in turn. */
    @Test
    void blocksHaveQueuePairsInTurn() {
        Node server = node(Fabric.LOCAL);
        server.share("pages", LENGTH);
        RemoteSession session =
                node(Fabric.LOCAL).remote(options().queuePairs(3).peer(Fabric.LOCAL.listen(server)), NodePair.TIMEOUT);
        assertThat(List.of(session.region(0, 0, BLOCK), session.region(0, BLOCK, 1), session.region(0, 2L * BLOCK, 1)))
                .doesNotHaveDuplicates();
        for (int block = 0; block < 12; block++) {
            RemoteRegion region = session.region(0, (long) block * BLOCK, BLOCK);
            assertThat(region).isSameAs(session.region(0, (long) (block % 3) * BLOCK, 0));
            region.fetchAndAdd((long) block * BLOCK, 1 + block, NodePair.TIMEOUT);
            assertThat(region.fetchAndAdd((long) block * BLOCK, 0, NodePair.TIMEOUT))
                    .isEqualTo(1 + block);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> session.read(0, BLOCK - 1, new UnsafeBuffer(new byte[2]), 0, 2, 0))
                .withMessage("offset 4095 + length 2 leaves the block of 4096 bytes that it begins in");
        assertThatThrownBy(() -> session.read(0, LENGTH, new UnsafeBuffer(new byte[2]), 0, 2, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> session.read(1, 0, new UnsafeBuffer(new byte[2]), 0, 2, 0))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessage("peer 1 outside 0 to 0");
    }

    /** What a peer that is lost had under way ends as closed; the other peer notices nothing. */
    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"SHM", "UDS", "TCP"})
    void aLostPeerTakesItsOwnOperationsAlong(Fabric fabric) {
        RemoteOptions options = options();
        for (int i = 0; i < 2; i++) {
            Node server = node(fabric);
            server.share("pages", LENGTH);
            options.peer(fabric.listen(server));
        }
        RemoteSession session = node(fabric).remote(options, NodePair.TIMEOUT).pollOnNode();
        nodes.get(0).close();
        for (int block = 0; block < RemoteOptions.DEFAULT_QUEUE_PAIRS; block++) { // one after the other
            RemoteRegion one = session.region(0, (long) block * BLOCK, 64);
            await(() -> !one.isConnected());
        }
        assertThat(session.isConnected(0)).isFalse();
        assertThat(session.closeReason(0)).isNotNull();
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[64]);
        for (int block = 0; block < 8; block++) {
            assertThat(session.write(0, (long) block * BLOCK, bytes, 0, 64, 0)).isEqualTo(SendResult.CLOSED);
        }
        assertThat(session.isConnected(1)).isTrue();
        assertThat(session.closeReason(1)).isNull();
        ConcurrentLinkedQueue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
        for (int block = 0; block < 8; block++) {
            session.write(1, (long) block * BLOCK, bytes, 0, 64, 0, (id, outcome, value) -> outcomes.add(outcome));
        }
        await(() -> outcomes.size() == 8); // handlers are called after what they are of is over
        assertThat(outcomes).containsOnly(Outcome.DONE);
        session.close();
        assertThat(session.write(1, 0, bytes, 0, 64, 0)).isEqualTo(SendResult.CLOSED);
    }

    @Test
    void messagesGoBothWaysBesideTheMemory() {
        RemoteOptions options = options();
        ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 2; i++) {
            Node server = node(Fabric.TCP);
            server.share("pages", LENGTH);
            int number = i;
            server.openInbox("control")
                    .onMessage(m -> m.channel()
                            .offer(number + " heard "
                                    + m.buffer().getStringWithoutLengthAscii(m.offset(), m.length())));
            options.peer(Fabric.TCP.listen(server));
        }
        options.messages("control", m -> heard.add(m.buffer().getStringWithoutLengthAscii(m.offset(), m.length())));
        Node client = node(Fabric.TCP);
        try (RemoteSession session = client.remote(options, NodePair.TIMEOUT)) {
            UnsafeBuffer hello = new UnsafeBuffer("hello".getBytes(StandardCharsets.US_ASCII));
            assertThat(session.send(0, hello, 0, 5)).isEqualTo(SendResult.SENT);
            assertThat(session.send(1, hello, 0, 5)).isEqualTo(SendResult.SENT);
            await(() -> heard.size() == 2);
            assertThat(heard).containsExactlyInAnyOrder("0 heard hello", "1 heard hello");
        }
    }

    /** A session is with all of its peers, or there is none and nothing is left of it. */
    @Test
    void oneThatCannotBeReachedIsNoSession() {
        Node server = node(Fabric.LOCAL);
        server.share("pages", LENGTH);
        Node poor = node(Fabric.LOCAL);
        Node client = node(Fabric.LOCAL);
        Tenant tenant = client.tenant(Tenants.DEFAULT);
        assertThatThrownBy(() -> client.remote(
                        options().peer(Fabric.LOCAL.listen(server)).peer(Fabric.LOCAL.listen(poor)), NodePair.TIMEOUT))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("pages");
        await(() -> tenant.connections() == 0);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.remote(options(), NodePair.TIMEOUT))
                .withMessage("a session without a peer");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options().queuePairs(65))
                .withMessageContaining("queuePairs 65");
        RemoteSession session = client.remote(options().peer(Fabric.LOCAL.listen(server)), NodePair.TIMEOUT);
        assertThatIllegalStateException()
                .isThrownBy(() -> session.send(0, new UnsafeBuffer(new byte[1]), 0, 1))
                .withMessageContaining("RemoteOptions.messages");
    }
}
