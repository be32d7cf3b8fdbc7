package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages in the forms that applications have them in, and senders that wait for room. */
@Timeout(180)
class SendFormsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Node node = Node.launch(new NodeContext());
    private final Inbox log = node.openInbox("log");
    private final Channel channel = node.connect("local:" + node.name() + "/log", TIMEOUT);

    @AfterEach
    void close() {
        node.close();
    }

    private String next() {
        List<String> got = new ArrayList<>();
        while (got.isEmpty()) {
            log.await(TIMEOUT);
            log.poll(m -> got.add(m.text()), 1);
        }
        return got.get(0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Inline, and staged. */
    @ParameterizedTest
    @ValueSource(ints = {0, 10, 1000})
    void eachForm(int padding) {
        String text = "gr\u00fc\u00dfe" + "x".repeat(padding);
        byte[] bytes = bytes(text);

        assertThat(channel.offer(text)).isEqualTo(SendResult.SENT);
        assertThat(next()).isEqualTo(text);
        assertThat(channel.offer(bytes)).isEqualTo(SendResult.SENT);
        assertThat(next()).isEqualTo(text);
        assertThat(channel.offer(bytes("ab" + text + "c"), 2, bytes.length)).isEqualTo(SendResult.SENT);
        assertThat(next()).isEqualTo(text);
        assertThat(channel.send(text, TIMEOUT)).isEqualTo(SendResult.SENT);
        assertThat(next()).isEqualTo(text);
        assertThat(channel.send(bytes, TIMEOUT)).isEqualTo(SendResult.SENT);
        assertThat(next()).isEqualTo(text);

        ByteBuffer heap = ByteBuffer.wrap(bytes("ab" + text)).position(2).slice();
        assertThat(channel.offer(heap)).isEqualTo(SendResult.SENT);
        assertThat(heap.remaining()).isZero();
        assertThat(next()).isEqualTo(text);
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 3)
                .position(3)
                .put(bytes)
                .position(3);
        assertThat(channel.send(direct.asReadOnlyBuffer(), TIMEOUT)).isEqualTo(SendResult.SENT);
        assertThat(next()).isEqualTo(text);

        ByteBuf pooled = PooledByteBufAllocator.DEFAULT
                .directBuffer()
                .writeShort(1)
                .writeBytes(bytes)
                .skipBytes(2);
        ByteBuf heapBuf = Unpooled.buffer().writeShort(1).writeBytes(bytes).skipBytes(2);
        ByteBuf pieces = Unpooled.wrappedBuffer(
                Unpooled.wrappedBuffer(bytes, 0, 3), Unpooled.wrappedBuffer(bytes, 3, bytes.length - 3));
        for (ByteBuf form : List.of(pooled, heapBuf, pieces)) {
            assertThat(channel.offer(form)).isEqualTo(SendResult.SENT);
            assertThat(form.isReadable()).isFalse();
            assertThat(form.refCnt()).isEqualTo(1);
            form.release();
            assertThat(next()).isEqualTo(text);
        }
    }

    /** A consumer that is slow and a sender that waits: nothing is lost, and a sender whose time is over says so. */
    @Test
    void sendWaitsForRoom() throws Exception {
        Inbox small = node.openInbox(
                "small",
                new InboxOptions().chunkLength(1 << 16).maxMessage(8000).memoryLimit(1 << 18));
        Channel full = node.connect("local:" + node.name() + "/small", TIMEOUT);
        byte[] message = new byte[8000];
        ByteBuffer kept = ByteBuffer.wrap(message);
        int sent = -1;
        SendResult result;
        do {
            sent++;
            kept.clear();
            result = full.send(kept, Duration.ofMillis(20));
        } while (result == SendResult.SENT);
        assertThat(result).isEqualTo(SendResult.BACK_PRESSURED);
        assertThat(kept.remaining()).isEqualTo(message.length);
        CompletableFuture<SendResult> waiting = CompletableFuture.supplyAsync(() -> full.send(message, TIMEOUT));
        int got = 0;
        while (got <= sent) {
            small.await(TIMEOUT);
            got += small.poll(m -> assertThat(m.length()).isEqualTo(8000), 1);
        }
        assertThat(waiting.get()).isEqualTo(SendResult.SENT);
    }

    @Test
    void sendIsRefusedInCallbacks() throws Exception {
        CompletableFuture<Throwable> met = new CompletableFuture<>();
        log.onMessage(m -> {
            try {
                channel.send("x", TIMEOUT);
                met.complete(new AssertionError("it waited"));
            } catch (IllegalStateException e) {
                met.complete(e);
            }
        });
        channel.offer("go");
        assertThat(met.get())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("send waits for the work of");
    }

    @Test
    void sendOnAClosedChannel() {
        channel.close();
        assertThat(channel.send("x", TIMEOUT)).isEqualTo(SendResult.CLOSED);
    }

    @Test
    void nothingIsKeptOfTheSendersMemory() {
        assertThatThrownBy(() -> channel.offer(new byte[4], 2, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(channel.offer(new byte[4], 1, 3)).isEqualTo(SendResult.SENT);
    }
}
