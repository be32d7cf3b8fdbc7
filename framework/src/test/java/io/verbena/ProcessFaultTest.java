package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a process sees of another that is killed or stopped in the middle of traffic, and that it goes on. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ProcessFaultTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration CALL = Duration.ofSeconds(60);
    private static final Duration SHORT_CALL = Duration.ofMillis(200);

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<CloseReason> closed = new CopyOnWriteArrayList<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private <T extends AutoCloseable> T closing(T resource) {
        open.add(resource);
        return resource;
    }

    private static void await(BooleanSupplier condition) {
        Awaitility.await()
                .atMost(LONG)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .pollInSameThread()
                .until(condition::getAsBoolean);
    }

    private Node node(Fabric fabric) {
        return node(PeerProcess.context(fabric));
    }

    private Node node(NodeContext context) {
        Node node = closing(Node.launch(context));
        node.addListener(new ChannelListener() {
            @Override
            public void onClose(Channel channel) {
                closed.add(channel.closeReason());
            }
        });
        return node;
    }

    /** A third node calls this one: proof that it still serves. */
    private void assertServes(Node node, Fabric fabric, String address) {
        node.openResponder("alive").onRequest(r -> r.reply(r.buffer(), r.offset(), r.length()));
        Node third = closing(Node.launch(fabric.context(NodeMode.ASSISTED)));
        Requester requester = third.openRequester();
        Channel channel = requester.connect(address + "alive", LONG);
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            await(() -> requester.call(channel, message, 0, 1000, CALL, 0, r -> {
                        if (r.outcome() == Outcome.DONE) {
                            done.incrementAndGet();
                        }
                    })
                    == SendResult.SENT);
        }
        await(() -> requester.poll(100) >= 0 && done.get() == 100);
    }

    private static boolean hasMemoryOf(long nicId) {
        String hex = Long.toHexString(nicId);
        try (Stream<Path> files = Files.find(
                Path.of("/dev/shm"),
                2,
                (path, a) -> path.getFileName().toString().endsWith(hex))) {
            return files.findAny().isPresent();
        } catch (IOException | UncheckedIOException e) {
            return true; // it changed under the walk: look again
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS", "SHM"})
    void endsEverythingWhenTheServerIsKilled(Fabric fabric) {
        PeerProcess peer = closing(PeerProcess.serving(fabric));
        Node node = node(fabric);
        Channel sink = node.connect(peer.address + "sink", LONG);
        Requester requester = node.openRequester();
        Channel silent = requester.connect(peer.address + "silent", LONG);
        RemoteRegion table = node.attach(peer.address + "table", LONG);
        if (fabric == Fabric.SHM) {
            assertThat(hasMemoryOf(peer.nicId)).isTrue();
        }
        List<Outcome> calls = new ArrayList<>();
        List<Outcome> operations = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            await(() ->
                    requester.call(silent, message, 0, 1000, CALL, 0, r -> calls.add(r.outcome())) == SendResult.SENT);
        }
        int sent = 0;
        AtomicInteger written = new AtomicInteger();
        SendResult result = SendResult.SENT;
        long deadline = System.nanoTime() + LONG.toNanos();
        OperationHandler note = (id, outcome, value) -> {
            if (outcome == Outcome.DONE) {
                written.incrementAndGet();
            } else {
                operations.add(outcome);
            }
        };
        boolean killed = false;
        while (result != SendResult.CLOSED || table.isConnected()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            result = sink.offer(message, 0, 1000);
            if (result == SendResult.SENT && ++sent == 20_000) {
                assertThat(written.get()).isPositive();
                peer.kill();
                killed = true;
            }
            table.write(0, message, 0, 1000, 0, note);
            table.poll(16);
        }
        assertThat(killed).as("the server was alive until it was killed").isTrue();
        assertThat(sink.closeReason()).isIn(CloseReason.PEER_LOST, CloseReason.TIMED_OUT);
        await(() -> requester.poll(100) >= 0 && calls.size() == 20);
        assertThat(calls).containsOnly(Outcome.CLOSED);
        await(() -> table.poll(100) >= 0 && table.outstanding() == 0);
        assertThat(operations).allMatch(outcome -> outcome == Outcome.CLOSED);
        if (fabric != Fabric.SHM) { // where the poster may have done each itself before it looked again
            assertThat(operations).isNotEmpty();
        }
        assertThat(table.closeReason()).isIn(CloseReason.PEER_LOST, CloseReason.TIMED_OUT);
        await(() -> closed.size() == 2);
        assertServes(node, fabric, fabric.listen(node) + "/");
        if (fabric == Fabric.SHM) {
            await(() -> !hasMemoryOf(peer.nicId));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS", "SHM"})
    void goesOnWhenAClientIsKilled(Fabric fabric) {
        Node node = node(fabric);
        AtomicLong received = new AtomicLong();
        node.openInbox("sink").onMessage(m -> received.lazySet(received.getPlain() + 1));
        String address = fabric.listen(node) + "/";
        PeerProcess peer = closing(PeerProcess.flooding(fabric, address));
        await(() -> received.get() > 20_000);
        peer.kill();
        await(() -> closed.size() == 1);
        assertThat(closed.get(0)).isIn(CloseReason.PEER_LOST, CloseReason.TIMED_OUT);
        long before = received.get();
        Node third = closing(Node.launch(fabric.context(NodeMode.ASSISTED)));
        Channel channel = third.connect(address + "sink", LONG);
        for (int i = 0; i < 1_000; i++) { // into the queue that the dead one was in the middle of
            await(() -> channel.offer(message, 0, 1000) == SendResult.SENT);
        }
        await(() -> received.get() >= before + 1_000);
        assertServes(node, fabric, address);
        if (fabric == Fabric.SHM) {
            await(() -> !hasMemoryOf(peer.nicId));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS", "SHM"})
    void aStoppedPeerIsBackPressureAndNoHang(Fabric fabric) {
        PeerProcess peer = closing(PeerProcess.serving(fabric));
        Node node = node(PeerProcess.context(fabric).acknowledgement(Duration.ofMinutes(1), 7)); // it is long away
        Channel sink = node.connect(peer.address + "sink", LONG);
        Requester requester = node.openRequester();
        Channel echo = requester.connect(peer.address + "echo", LONG);
        List<Outcome> outcomes = new ArrayList<>();
        ResponseHandler note = response -> outcomes.add(response.outcome());
        await(() -> requester.call(echo, message, 0, 8, CALL, 0, note) == SendResult.SENT);
        await(() -> requester.poll(1) == 1);
        peer.suspend();
        try {
            int refused = 0;
            for (int offered = 0; refused < 1_000; offered++) {
                assertThat(offered).as("the window is bounded").isLessThan(1_000_000);
                SendResult result = sink.offer(message, 0, 1000);
                assertThat(result).isNotEqualTo(SendResult.CLOSED);
                refused += result == SendResult.BACK_PRESSURED ? 1 : 0;
            }
            assertThat(requester.call(echo, message, 0, 8, SHORT_CALL, 0, note)).isEqualTo(SendResult.SENT);
            await(() -> requester.poll(1) == 1);
        } finally {
            peer.resume();
        }
        await(() -> sink.offer(message, 0, 1000) == SendResult.SENT);
        await(() -> requester.call(echo, message, 0, 8, CALL, 0, note) == SendResult.SENT);
        await(() -> requester.poll(1) >= 0 && outcomes.size() == 3);
        assertThat(outcomes).containsExactly(Outcome.DONE, Outcome.EXPIRED, Outcome.DONE);
        assertThat(sink.isConnected()).isTrue();
    }
}
