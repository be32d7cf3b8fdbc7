package io.verbena.redis.resp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Any bytes from a client: the same commands are found however they are cut, within bounds, and for a bounded price.
 */
class RespFuzzTest {
    /** The last byte of a command that is kept lies at most this far behind its first. */
    private static final RespLimits LIMITS = new RespLimits(1000, 1 << 20, 64 << 10, 10, 16384, 1000, 2000);

    /** The first two bytes say where to cut and whether the client has authenticated, the rest is what it sends. */
    @FuzzTest(maxDuration = "2m")
    void anySplit(byte[] input) {
        if (input.length < 3) {
            return;
        }
        boolean authenticated = (input[0] & 1) == 0;
        byte[] bytes = Arrays.copyOfRange(input, 2, input.length);
        List<String> whole = parse(bytes, bytes.length, authenticated);
        assertThat(parse(bytes, 1, authenticated)).as("byte by byte").isEqualTo(whole);
        int piece = 1 + (input[1] & 0x7F);
        assertThat(parse(bytes, piece, authenticated)).as("pieces of %d", piece).isEqualTo(whole);
        int first = ((input[0] & 0xFF) * bytes.length) >> 8;
        assertThat(parseInTwo(bytes, first, authenticated))
                .as("cut at %d", first)
                .isEqualTo(whole);
    }

    private static List<String> parse(byte[] bytes, int piece, boolean authenticated) {
        Client client = new Client(authenticated);
        for (int at = 0; at < bytes.length; at += piece) {
            client.send(bytes, at, Math.min(piece, bytes.length - at));
        }
        return client.end();
    }

    private static List<String> parseInTwo(byte[] bytes, int cut, boolean authenticated) {
        Client client = new Client(authenticated);
        client.send(bytes, 0, cut);
        client.send(bytes, cut, bytes.length - cut);
        return client.end();
    }

    /** A connection's buffer: what is not consumed is kept, in memory that is exactly as long. */
    private static final class Client {
        private final RespParser parser = new RespParser(LIMITS);
        private final List<String> found = new ArrayList<>();
        private byte[] kept = new byte[0];
        private boolean failed;

        Client(boolean authenticated) {
            parser.authenticated(authenticated);
        }

        void send(byte[] bytes, int from, int length) {
            if (failed) {
                return;
            }
            byte[] buffer = Arrays.copyOf(kept, kept.length + length);
            System.arraycopy(bytes, from, buffer, kept.length, length);
            UnsafeBuffer view = new UnsafeBuffer(buffer);
            int at = 0;
            int result = RespParser.COMMAND;
            while (result != RespParser.NEED_MORE && !failed && at < buffer.length) {
                result = parser.parse(view, at, buffer.length);
                assertThat(parser.consumed()).isBetween(0, buffer.length - at);
                note(result, view, at);
                at += parser.consumed();
                if (result == RespParser.COMMAND || result == RespParser.EMPTY || result == RespParser.OVERSIZED) {
                    assertThat(parser.consumed()).as("a command has bytes").isPositive();
                }
            }
            kept = Arrays.copyOfRange(buffer, at, buffer.length);
            assertThat(kept.length)
                    .as("bytes kept for a command that is not whole")
                    .isLessThanOrEqualTo(LIMITS.maxCommand() + LIMITS.maxInline() * 2 + LIMITS.maxArguments() * 32);
        }

        private void note(int result, UnsafeBuffer view, int at) {
            switch (result) {
                case RespParser.COMMAND -> {
                    StringBuilder text = new StringBuilder();
                    assertThat(parser.argumentCount()).isBetween(1, Math.max(LIMITS.maxArguments(), view.capacity()));
                    for (int i = 0; i < parser.argumentCount(); i++) {
                        int from = parser.argumentOffset(i);
                        int length = parser.argumentLength(i);
                        assertThat(from).isBetween(0, parser.consumed());
                        assertThat(length).isBetween(0, parser.consumed() - from);
                        byte[] word = new byte[length];
                        view.getBytes(at + from, word);
                        text.append(Arrays.toString(word));
                    }
                    found.add(text.toString());
                }
                case RespParser.OVERSIZED -> found.add("oversized " + parser.announced());
                case RespParser.ERROR -> {
                    assertThat(parser.error()).isNotEmpty().doesNotContain("\r", "\n");
                    found.add("error " + parser.error());
                    failed = true;
                }
                case RespParser.EMPTY -> found.add("empty");
                default -> assertThat(parser.needed()).isGreaterThanOrEqualTo(0);
            }
        }

        List<String> end() {
            return found;
        }
    }
}
