package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing of a node is entered twice: neither its event loop nor its handlers, whatever a handler calls. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ReentranceTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int DEPTH = 16;
    private static final UnsafeBuffer MESSAGE = new UnsafeBuffer(new byte[64]);

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<Socket> clients = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (Socket client : clients) {
            client.close();
        }
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private Node launch(NodeContext context) {
        Node node = Node.launch(context);
        opened.add(node);
        return node;
    }

    private Node worker() {
        return launch(new NodeContext().name("worker").mode(NodeMode.INVOKER).sendDepth(DEPTH));
    }

    /** Listens on a node's event loop; the handler gets what clients send. */
    private static int listen(Node node, ChannelInboundHandlerAdapter handler) {
        return LoopFixture.listen(node, connection -> connection.pipeline().addLast(handler));
    }

    private void send(int port, byte[] bytes) throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
        clients.add(client);
        client.getOutputStream().write(bytes);
    }

    /** Counts how deep it is entered, and does something in the middle of each read. */
    private static class Reader extends ChannelInboundHandlerAdapter {
        private final Runnable inTheMiddle;
        final AtomicInteger reads = new AtomicInteger();
        final AtomicInteger deepest = new AtomicInteger();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        private int depth;

        Reader(Runnable inTheMiddle) {
            this.inTheMiddle = inTheMiddle;
        }

        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            deepest.accumulateAndGet(++depth, Math::max);
            try {
                inTheMiddle.run();
            } catch (RuntimeException | Error e) {
                failure.set(e);
            } finally {
                depth--;
                reads.incrementAndGet();
                ((ByteBuf) message).release();
            }
        }
    }

    /** A read that offers far more than there is room for, as a proxy does, while other sockets have bytes. */
    @Test
    void sendingInTheMiddleOfAReadReadsNothingElse() throws Exception {
        Node worker = worker();
        Node server = launch(new NodeContext().name("server").mode(NodeMode.INVOKER));
        server.openInbox("in");
        Channel channel = worker.connect("local:server/in", TIMEOUT);
        AtomicInteger sent = new AtomicInteger();
        Reader reader = new Reader(() -> {
            for (int i = 0; i < 100 * DEPTH; i++) {
                int offset = channel.tryClaim(MESSAGE.capacity());
                if (offset >= 0) {
                    channel.enqueueClaim();
                    sent.incrementAndGet();
                }
                if (channel.enqueue(MESSAGE, 0, MESSAGE.capacity()) == SendResult.SENT) {
                    sent.incrementAndGet();
                }
            }
        });
        int port = listen(worker, reader);
        for (int i = 0; i < 20; i++) {
            send(port, new byte[] {1});
        }
        LoopFixture.await(worker, () -> reader.reads.get() == 20);
        assertThat(reader.failure).hasValue(null);
        assertThat(sent).hasValueGreaterThan(20 * DEPTH); // the send ring was full many times
        assertThat(reader.deepest).hasValue(1);
    }

    @Test
    void sendingOutsideOfCallbacksReadsNothingEither() throws Exception {
        Node worker = worker();
        Node server = launch(new NodeContext().name("server").mode(NodeMode.INVOKER));
        server.openInbox("in");
        Channel channel = worker.connect("local:server/in", TIMEOUT);
        Reader reader = new Reader(() -> {});
        int port = listen(worker, reader);
        send(port, new byte[] {1});
        for (int i = 0; i < 100 * DEPTH; i++) {
            channel.enqueue(MESSAGE, 0, MESSAGE.capacity());
        }
        assertThat(reader.reads).hasValue(0);
        LoopFixture.await(worker, () -> reader.reads.get() == 1);
    }

    @Test
    void aReadThatDrivesTheNodeRunsNothing() throws Exception {
        Node worker = worker();
        worker.openInbox("here");
        AtomicInteger work = new AtomicInteger();
        Reader reader = new Reader(() -> {
            work.addAndGet(worker.doWork());
            assertThatThrownBy(() -> worker.await(Duration.ofNanos(1000))).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> worker.connect("local:worker/here", TIMEOUT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("callbacks");
        });
        int port = listen(worker, reader);
        for (int i = 0; i < 3; i++) {
            send(port, new byte[] {1});
        }
        LoopFixture.await(worker, () -> reader.reads.get() == 3);
        assertThat(reader.failure).hasValue(null);
        assertThat(reader.deepest).hasValue(1);
        assertThat(work).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource(NodeMode.class)
    void aHandlerThatWaitsForItsNodeIsRefused(NodeMode mode) throws Exception {
        Node node = launch(new NodeContext().name("node").mode(mode));
        Inbox in = node.openInbox("in");
        Inbox other = node.openInbox("other");
        Channel channel = node.connect("local:node/in", TIMEOUT);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger handled = new AtomicInteger();
        in.onMessage(m -> {
            try {
                assertThat(node.doWork()).isZero();
                refused(() -> other.await(Duration.ofNanos(1000)));
                refused(() -> node.connect("local:node/other", TIMEOUT));
                if (mode == NodeMode.INVOKER) {
                    refused(() -> node.await(Duration.ofNanos(1000)));
                }
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
            handled.incrementAndGet();
        });
        assertThat(channel.offer(MESSAGE, 0, 8)).isEqualTo(SendResult.SENT);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (handled.get() == 0 && System.nanoTime() < deadline) {
            if (mode == NodeMode.INVOKER) {
                node.doWork();
            }
            Thread.sleep(1);
        }
        assertThat(handled).hasValue(1);
        assertThat(failure).hasValue(null);
        assertThat(other.await(Duration.ofNanos(1000))).isFalse(); // allowed again
    }

    private static void refused(Runnable waiting) {
        assertThatThrownBy(waiting::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("callbacks");
    }

    @Test
    void aHandlerCannotPollItsInbox() {
        Node node = launch(new NodeContext().name("node").mode(NodeMode.INVOKER));
        Inbox in = node.openInbox("in");
        Channel channel = node.connect("local:node/in", TIMEOUT);
        channel.offer(MESSAGE, 0, 8);
        channel.offer(MESSAGE, 0, 8);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        int taken = in.poll(
                m -> {
                    try {
                        in.poll(n -> {}, 1);
                    } catch (IllegalStateException e) {
                        failure.set(e);
                    }
                },
                1);
        assertThat(taken).isEqualTo(1);
        assertThat(failure.get()).hasMessageContaining("polled by the handler");
        assertThat(in.poll(m -> {}, 10)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(NodeMode.class)
    void aHandlerMayCloseItsNode(NodeMode mode) throws Exception {
        Node node = launch(new NodeContext().name("node").mode(mode));
        Node peer = launch(new NodeContext().name("peer"));
        AtomicInteger received = new AtomicInteger();
        peer.openInbox("last").onMessage(m -> received.incrementAndGet());
        Channel last = node.connect("local:peer/last", TIMEOUT);
        Inbox in = node.openInbox("in");
        Channel channel = node.connect("local:node/in", TIMEOUT);
        in.onMessage(m -> {
            last.offer(MESSAGE, 0, 8);
            node.close();
        });
        channel.offer(MESSAGE, 0, 8);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!isClosed(node) && System.nanoTime() < deadline) {
            node.doWork();
            Thread.sleep(1);
        }
        assertThat(isClosed(node)).isTrue();
        while (received.get() == 0 && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
        assertThat(received).hasValue(1);
    }

    private static boolean isClosed(Node node) {
        try {
            node.openInbox("probe").close();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }
}
