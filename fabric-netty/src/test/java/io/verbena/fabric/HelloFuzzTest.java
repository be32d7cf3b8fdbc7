package io.verbena.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.verbena.fabric.netty.HelloHandler;
import java.time.Duration;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/** Any bytes as a hello, cut anywhere: a link, or a refusal with a reason; and what follows a hello is not lost. */
class HelloFuzzTest {
    private static final int MAX_TEXT = HelloFlyweight.MAX_TEXT_LENGTH;

    /** The first byte says how the bytes are cut, the second what of a right hello they are laid over. */
    @FuzzTest(maxDuration = "2m")
    void anyHello(byte[] input) {
        if (input.length < 2) {
            return;
        }
        byte[] bytes = Arrays.copyOfRange(input, 2, input.length);
        if ((input[1] & 3) != 0) {
            UnsafeBuffer right = new UnsafeBuffer(new byte[HelloFlyweight.HEADER_LENGTH + MAX_TEXT]);
            String text = "x".repeat(input[1] & 0xFC);
            int length = HelloFlyweight.encode(right, HelloFlyweight.CALL, 42, 0, 1, 16384, 1 << 20, text);
            byte[] hello = Arrays.copyOf(right.byteArray(), length);
            // The script's bytes stand for single changes (where, what), or follow the hello.
            if ((input[1] & 1) != 0) {
                for (int i = 0; i + 1 < bytes.length && i < 8; i += 2) {
                    hello[(bytes[i] & 0xFF) % hello.length] = bytes[i + 1];
                }
                bytes = hello;
            } else {
                byte[] both = Arrays.copyOf(hello, hello.length + bytes.length);
                System.arraycopy(bytes, 0, both, hello.length, bytes.length);
                bytes = both;
            }
        }
        String whole = play(bytes, bytes.length);
        assertThat(play(bytes, 1)).as("byte by byte").isEqualTo(whole);
        int piece = 1 + (input[0] & 0xFF);
        assertThat(play(bytes, piece)).as("pieces of %d", piece).isEqualTo(whole);
    }

    private static String play(byte[] bytes, int piece) {
        StringBuilder outcome = new StringBuilder();
        EmbeddedChannel channel = new EmbeddedChannel();
        HelloHandler.install(channel, MAX_TEXT, Duration.ofMinutes(10), 65536, new HelloHandler.Outcome() {
            @Override
            public String onHello(Channel from, UnsafeBuffer hello) {
                outcome.append("hello of ")
                        .append(HelloFlyweight.nicId(hello))
                        .append(' ')
                        .append(HelloFlyweight.maxPacket(hello))
                        .append(' ')
                        .append(HelloFlyweight.text(hello).length());
                return null;
            }

            @Override
            public void onRefused(Channel from, String reason) {
                outcome.append("refused: ").append(reason);
            }
        });
        for (int at = 0; at < bytes.length && channel.isOpen(); at += piece) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, at, Math.min(piece, bytes.length - at)));
        }
        int after = 0;
        for (ByteBuf left = channel.readInbound(); left != null; left = channel.readInbound()) {
            after += left.readableBytes();
            left.release();
        }
        channel.finishAndReleaseAll();
        return outcome.append(", then ").append(after).append(" bytes").toString();
    }
}
