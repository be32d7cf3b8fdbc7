package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whoever is inside a callback of an INVOKER node's event loop, or in a handler of one of its inboxes, and sends, is
 * not entered again before it returns: neither the loop nor the node.
 */
@Timeout(180)
class LoopEntranceTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int RECORD = 256; // more than is sent inline
    private static final int RECORDS = 64;

    private final List<String> entered = new ArrayList<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[RECORD]);
    private Node sink;
    private Node node;
    private Channel channel;
    private int depth;

    @BeforeEach
    void connect() {
        sink = Node.launch(new NodeContext().listen("tcp://127.0.0.1:0"));
        sink.openInbox("sink").onMessage(m -> {});
        node = Node.launch(
                new NodeContext().mode(NodeMode.INVOKER).sendDepth(16).stagingLength(4096));
        channel = node.connect(sink.addresses().get(0) + "/sink", TIMEOUT);
    }

    @AfterEach
    void close() {
        node.close();
        sink.close();
    }

    @Test
    void anOfferWithoutRoomInATaskOfTheLoopRunsNoOtherTask() {
        inATask(this::offerUntilFull);
    }

    @Test
    void aClaimWithoutRoomInATaskOfTheLoopRunsNoOtherTask() {
        inATask(() -> {
            while (channel.tryClaim(RECORD) >= 0) {
                channel.commit();
            }
        });
    }

    @Test
    void theNodesWorkInATaskOfTheLoopRunsNoOtherTask() {
        inATask(() -> quietly(node::doWork));
    }

    @Test
    void waitingInATaskOfTheLoopRunsNoOtherTask() {
        inATask(() -> quietly(() -> node.await(Duration.ofNanos(1000))));
    }

    @Test
    void connectingInATaskOfTheLoopRunsNoOtherTask() {
        inATask(() -> quietly(() -> node.connect(sink.addresses().get(0) + "/sink", Duration.ofMillis(200))
                .close()));
    }

    @Test
    void theNodesWorkInAHandlerRunsNoTaskOfTheLoop() {
        inAHandler(() -> quietly(node::doWork));
    }

    @Test
    void waitingInAHandlerRunsNoTaskOfTheLoop() {
        inAHandler(() -> quietly(() -> node.await(Duration.ofNanos(1000))));
    }

    @Test
    void anOfferWithoutRoomInAHandlerRunsNoTaskOfTheLoop() {
        inAHandler(this::offerUntilFull);
    }

    /** The shape of a proxy: connections that share a read buffer, each of whose records is offered as it is parsed. */
    @Test
    void aSharedReadBufferIsNotReadIntoWhileItIsParsed() throws IOException {
        ByteBuf shared = Unpooled.directBuffer(RECORD * RECORDS);
        int port = listen(shared);
        try (Socket first = new Socket(InetAddress.getLoopbackAddress(), port);
                Socket second = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (int i = 0; i < 50 && entered.isEmpty(); i++) {
                first.getOutputStream().write(records((byte) 1));
                second.getOutputStream().write(records((byte) 2));
                LoopFixture.drive(node, () -> false, TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
        assertThat(entered).as("records that changed while they were parsed").isEmpty();
    }

    private static byte[] records(byte value) {
        byte[] bytes = new byte[RECORD * RECORDS];
        Arrays.fill(bytes, value);
        return bytes;
    }

    private int listen(ByteBuf shared) {
        return LoopFixture.listen(node, connection -> {
            connection.config().setRecvByteBufAllocator(() -> new Shared(shared));
            connection.pipeline().addLast(new Parser());
        });
    }

    /** Reads everything into one buffer. */
    private static final class Shared implements RecvByteBufAllocator.ExtendedHandle {
        private final ByteBuf shared;
        private int last;

        Shared(ByteBuf shared) {
            this.shared = shared;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator ignored) {
            return shared.clear().retain();
        }

        @Override
        public int guess() {
            return shared.capacity();
        }

        @Override
        public void reset(ChannelConfig config) {}

        @Override
        public void incMessagesRead(int count) {}

        @Override
        public void lastBytesRead(int bytes) {
            last = bytes;
        }

        @Override
        public int lastBytesRead() {
            return last;
        }

        @Override
        public void attemptedBytesRead(int bytes) {}

        @Override
        public int attemptedBytesRead() {
            return 0;
        }

        @Override
        public boolean continueReading() {
            return false;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return false;
        }

        @Override
        public void readComplete() {}
    }

    private final class Parser extends ChannelInboundHandlerAdapter {
        private byte value; // that all bytes of this connection have

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object read) {
            ByteBuf buffer = (ByteBuf) read;
            int length = buffer.readableBytes();
            if (value == 0 && length > 0) {
                value = buffer.getByte(0);
            }
            for (int at = 0; at + RECORD <= length; at += RECORD) {
                int claim = channel.tryClaim(RECORD);
                byte found = buffer.getByte(at);
                if (found != value) {
                    entered.add("record at " + at + ": expected " + value + ", got " + found);
                }
                if (claim >= 0) {
                    channel.commit();
                }
            }
            buffer.release();
        }
    }

    private void offerUntilFull() {
        while (channel.offer(message, 0, RECORD) == SendResult.SENT) {}
    }

    private static void quietly(Runnable action) {
        try {
            action.run();
        } catch (IllegalStateException | ConnectionException e) {
            assertThat(e.getMessage()).isNotBlank(); // a clear refusal is as good as doing nothing
        }
    }

    /** Does something in a task of the loop while another task waits. */
    private void inATask(Runnable action) {
        ManualIoEventLoop loop = node.eventLoop();
        int[] done = {0};
        for (int i = 0; i < 50; i++) {
            loop.execute(() -> {
                depth++;
                loop.execute(this::other);
                action.run();
                depth--;
                done[0]++;
            });
        }
        LoopFixture.await(node, () -> done[0] == 50);
        assertThat(entered).as("tasks that ran inside another").isEmpty();
    }

    /** Does something in a handler of an inbox of the node while a task waits. */
    private void inAHandler(Runnable action) {
        ManualIoEventLoop loop = node.eventLoop();
        int[] done = {0};
        node.openInbox("here").onMessage(m -> {
            depth++;
            loop.execute(this::other);
            action.run();
            depth--;
            done[0]++;
        });
        try (Node sender =
                Node.launch(new NodeContext())) { // not the sink: its channel is to fill, so it goes by a socket
            Channel here = sender.connect("local:" + node.name() + "/here", TIMEOUT);
            for (int i = 0; i < 50; i++) {
                here.offer(message, 0, 8);
            }
            LoopFixture.await(node, () -> done[0] == 50);
        }
        assertThat(entered).as("tasks that ran inside a handler").isEmpty();
    }

    private void other() {
        if (depth > 0) {
            entered.add("a task");
        }
    }
}
