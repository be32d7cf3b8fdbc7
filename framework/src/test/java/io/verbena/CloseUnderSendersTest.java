package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.connection.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A node or a channel is closed while another thread sends: what is accepted arrives, or the log tells of it. */
@Timeout(value = 20, unit = TimeUnit.SECONDS)
class CloseUnderSendersTest {
    private static final Duration LINGER = Duration.ofSeconds(30); // longer than a test may take
    private static final UnsafeBuffer MESSAGE = new UnsafeBuffer(new byte[64]);

    private final AtomicInteger received = new AtomicInteger();

    /** How a message is sent. */
    private enum Form {
        OFFERED {
            @Override
            SendResult send(Channel channel, DirectBuffer message) {
                return channel.offer(message, 0, message.capacity());
            }
        },
        IN_TWO_PARTS {
            @Override
            SendResult send(Channel channel, DirectBuffer message) {
                return channel.offer(message, 0, 8, message, 8, message.capacity() - 8);
            }
        },
        ENQUEUED {
            @Override
            SendResult send(Channel channel, DirectBuffer message) {
                return channel.enqueue(message, 0, message.capacity());
            }
        };

        abstract SendResult send(Channel channel, DirectBuffer message);
    }

    /** A message by whose sender something is done when the channel has found that it is open. */
    private static final class Interrupted extends UnsafeBuffer {
        private final Thread sender = Thread.currentThread();
        private final Runnable once;
        private boolean done;

        Interrupted(int length, Runnable once) {
            super(new byte[length]);
            this.once = once;
        }

        @Override
        public void boundsCheck(int index, int length) {
            if (!done && Thread.currentThread() == sender) {
                done = true;
                once.run();
            }
            super.boundsCheck(index, length);
        }
    }

    private static Stream<Arguments> senders() {
        return Stream.of(NodeMode.values())
                .flatMap(mode -> Stream.of(Form.values())
                        .flatMap(form -> Stream.of(
                                Arguments.of(mode, form, 64, false),
                                Arguments.of(mode, form, 64, true),
                                Arguments.of(mode, form, 4000, true))));
    }

    @ParameterizedTest
    @MethodSource("senders")
    void whatIsAcceptedWhileTheNodeClosesArrives(NodeMode mode, Form form, int length, boolean shared)
            throws Exception {
        try (NodePair pair = pair(mode, shared)) {
            Channel channel = connect(pair, new ChannelOptions().concurrent(shared));
            arrives(pair, channel, form, length, pair.client::close);
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void whatIsAcceptedWhileTheChannelClosesArrives(NodeMode mode, Form form, int length, boolean shared)
            throws Exception {
        try (NodePair pair = pair(mode, shared)) {
            Channel channel = connect(pair, new ChannelOptions().concurrent(shared));
            arrives(pair, channel, form, length, channel::close);
            pair.await(channel::isOver);
        }
    }

    private void arrives(NodePair pair, Channel channel, Form form, int length, Runnable close) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CompletableFuture<Boolean> closedTooEarly = new CompletableFuture<>();
        CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> {
            Interrupted message = new Interrupted(length, () -> {
                inside.countDown();
                awaitHere(() -> channel.connection().state == Connection.CLOSING);
                closedTooEarly.complete(pair.client.connections().isDrained());
            });
            return form.send(channel, message);
        });
        assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
        close.run();
        assertThat(sent.get(20, TimeUnit.SECONDS)).isEqualTo(SendResult.SENT);
        assertThat(closedTooEarly.get()).isFalse();
        assertThat(channel.offer(MESSAGE, 0, MESSAGE.capacity())).isEqualTo(SendResult.CLOSED);
        pair.await(() -> received.get() == 1);
    }

    /** Who stays inside for longer than closing may take is not waited for, and may have lost its message. */
    @Test
    void theLogTellsOfASenderThatTakesTooLong() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        NodeContext client = Fabric.TCP.context(NodeMode.ASSISTED).linger(Duration.ofMillis(50));
        try (NodePair pair = new NodePair(Fabric.TCP, Fabric.TCP.context(NodeMode.ASSISTED), client);
                Log log = new Log()) {
            Channel channel = connect(pair, new ChannelOptions());
            CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> {
                Interrupted message = new Interrupted(64, () -> {
                    inside.countDown();
                    awaitHere(channel::isOver);
                });
                return channel.offer(message, 0, 64);
            });
            assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
            pair.client.close();
            sent.get(20, TimeUnit.SECONDS);
            log.tellsOfLoss();
        }
    }

    /** The node's thread has no time for its connections, and is not waited for either. */
    @Test
    void theLogTellsOfWhatIsLeftWhenTheNodesThreadIsHeldUp() {
        NodeContext client = Fabric.TCP.context(NodeMode.THREAD).linger(Duration.ofMillis(1));
        try (NodePair pair = new NodePair(Fabric.TCP, Fabric.TCP.context(NodeMode.INVOKER), client);
                Log log = new Log()) {
            Channel channel = connect(pair, new ChannelOptions());
            pair.pauseServer(true);
            assertThat(Form.OFFERED.send(channel, MESSAGE)).isEqualTo(SendResult.SENT);
            pair.client.execute(() -> LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2)));
            pair.client.close();
            log.tellsOfLoss();
            pair.pauseServer(false);
        }
    }

    /** What is said of messages that may be lost. */
    private static final class Log implements AutoCloseable {
        private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
        private final Logger logger = (Logger) LoggerFactory.getLogger("io.verbena.connection.Closings");

        Log() {
            lines.start();
            logger.addAppender(lines);
        }

        void tellsOfLoss() {
            assertThat(lines.list).singleElement().satisfies(event -> {
                assertThat(event.getLevel()).isEqualTo(Level.WARN);
                assertThat(event.getFormattedMessage()).contains("was closed, and what it had sent before may not");
            });
        }

        @Override
        public void close() {
            logger.detachAppender(lines);
        }
    }

    /** What is closed. */
    private enum Entity {
        NODE(channel -> channel.node().close()),
        CHANNEL(Channel::close);

        private final Consumer<Channel> close;

        Entity(Consumer<Channel> close) {
            this.close = close;
        }
    }

    /** Nobody knows when a claim is committed: closing does not wait for that, and sends what was before it. */
    @ParameterizedTest
    @CsvSource({"false, NODE", "true, CHANNEL"})
    void anOpenClaimHoldsNothingUp(boolean concurrent, Entity closed) {
        try (NodePair pair = pair(NodeMode.ASSISTED, false)) {
            Channel channel = connect(pair, new ChannelOptions().concurrent(concurrent));
            assertThat(Form.ENQUEUED.send(channel, MESSAGE)).isEqualTo(SendResult.SENT);
            assertThat(channel.tryClaim(64)).isNotNegative();
            closed.close.accept(channel);
            pair.await(() -> received.get() == 1 && channel.isOver());
            assertThat(channel.commit()).isEqualTo(SendResult.CLOSED);
            assertThat(channel.tryClaim(64)).isEqualTo(Channel.CLOSED);
        }
    }

    private static NodePair pair(NodeMode mode, boolean shared) {
        NodeContext client = Fabric.TCP
                .context(mode)
                .linger(LINGER)
                .shareConnections(new MuxOptions().after(shared ? 0 : Integer.MAX_VALUE));
        return new NodePair(Fabric.TCP, Fabric.TCP.context(NodeMode.ASSISTED), client);
    }

    private Channel connect(NodePair pair, ChannelOptions options) {
        pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
        return pair.client.tenant("default").connect(pair.address + "in", null, options, NodePair.TIMEOUT);
    }

    private static void awaitHere(BooleanSupplier condition) {
        long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("given up").isLessThan(deadline);
            Thread.yield();
        }
    }
}
