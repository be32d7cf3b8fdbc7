package io.verbena.redis.resp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RespParserTest {
    private static final RespLimits SMALL = new RespLimits(1000, 1 << 20, 64 << 10, 10, 16384, 1000, 2000);

    /** Feeds bytes in pieces as a connection does: what is not consumed is kept, the buffer moves. */
    private static List<String> parse(RespParser parser, byte[] bytes, SplittableRandom random) {
        List<String> found = new ArrayList<>();
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[0]);
        int length = 0;
        int sent = 0;
        while (sent < bytes.length) {
            int piece = random == null ? bytes.length : Math.min(bytes.length - sent, 1 + random.nextInt(9));
            int shift = random == null ? 0 : random.nextInt(8);
            UnsafeBuffer moved = new UnsafeBuffer(new byte[shift + length + piece]);
            moved.putBytes(shift, buffer, buffer.capacity() - length, length);
            moved.putBytes(shift + length, bytes, sent, piece);
            buffer = moved;
            sent += piece;
            length += piece;
            boolean more = true;
            while (more && length > 0) {
                int start = buffer.capacity() - length;
                int result = parser.parse(buffer, start, buffer.capacity());
                switch (result) {
                    case RespParser.COMMAND:
                        found.add(text(parser, buffer, start));
                        break;
                    case RespParser.OVERSIZED:
                        found.add("oversized " + parser.announced());
                        break;
                    case RespParser.ERROR:
                        found.add("error " + parser.error());
                        return found;
                    case RespParser.EMPTY:
                        break;
                    default:
                        more = false;
                        break;
                }
                length -= parser.consumed();
            }
        }
        if (length > 0) {
            found.add("incomplete");
        }
        return found;
    }

    private static String text(RespParser parser, UnsafeBuffer buffer, int start) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < parser.argumentCount(); i++) {
            byte[] word = new byte[parser.argumentLength(i)];
            buffer.getBytes(start + parser.argumentOffset(i), word);
            words.add(new String(word, StandardCharsets.ISO_8859_1));
        }
        return String.join("|", words);
    }

    private static List<String> parse(String latin1) {
        return parse(new RespParser(RespLimits.DEFAULT), latin1.getBytes(StandardCharsets.ISO_8859_1), null);
    }

    @Test
    void findsCommandsOneBehindTheOther() {
        assertThat(parse("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$4\r\nPING\r\nPING\r\n*0\r\n*-5\r\n\r\nQUIT\n"))
                .containsExactly("GET|k", "PING", "PING", "QUIT");
    }

    @Test
    void bulkStringsHoldAnyByteAndMayBeEmpty() {
        assertThat(parse("*3\r\n$0\r\n\r\n$4\r\n\r\n\0\u00ff\r\n$1\r\n*\r\n")).containsExactly("|\r\n\0\u00ff|*");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a b c~a|b|c",
                "  a   b  ~a|b",
                "set \"a b\" 'c d'~set|a b|c d",
                "\"\\x41\\x4a\\n\\\"\\q\"~AJ\n\"q",
                "'it\\'s' '\\n'~it's|\\n",
                "a\"b c\"~ab c",
                "\"\" ''~|",
                "\"\\x4\"~x4",
            })
    void unquotesInlineCommands(String lineAndWords) {
        int split = lineAndWords.indexOf('~');
        assertThat(parse(lineAndWords.substring(0, split) + "\r\n")).containsExactly(lineAndWords.substring(split + 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a", "'a", "\"a\"b", "'a'b", "a \"b\\\"", "\"a\0b\""})
    void unbalancedQuotesAreAnError(String line) {
        assertThat(parse(line + "\r\n")).containsExactly("error unbalanced quotes in request");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "*a\\r\\n~invalid multibulk length",
                "*\\r\\n~invalid multibulk length",
                "*01\\r\\n~invalid multibulk length",
                "*+1\\r\\n~invalid multibulk length",
                "*1048577\\r\\n~invalid multibulk length",
                "*99999999999999999999\\r\\n~invalid multibulk length",
                "*1\\r\\nabc\\r\\n~expected '$', got 'a'",
                "*1\\r\\n\\r\\n~expected '$', got ' '",
                "*1\\r\\n$-1\\r\\n~invalid bulk length",
                "*1\\r\\n$\\r\\n~invalid bulk length",
                "*1\\r\\n$03\\r\\n~invalid bulk length",
                "*1\\r\\n$536870913\\r\\n~invalid bulk length",
            })
    void malformedLengthsAreErrorsWithTheTextsOfRedis(String input, String error) {
        assertThat(parse(input.replace("\\r", "\r").replace("\\n", "\n"))).containsExactly("error " + error);
    }

    @Test
    void linesWithoutEndAreBounded() {
        String filler = "1".repeat(70_000);
        assertThat(parse(filler)).containsExactly("error too big inline request");
        assertThat(parse("*" + filler)).containsExactly("error too big mbulk count string");
        assertThat(parse("*1\r\n$" + filler)).containsExactly("error too big bulk count string");
    }

    @Test
    void unauthenticatedClientsMayAnnounceLess() {
        RespParser parser = new RespParser(RespLimits.DEFAULT);
        parser.authenticated(false);
        assertThat(parse(parser, "*10\r\n".getBytes(StandardCharsets.US_ASCII), null))
                .containsExactly("incomplete");
        RespParser many = new RespParser(RespLimits.DEFAULT);
        many.authenticated(false);
        assertThat(parse(many, "*11\r\n".getBytes(StandardCharsets.US_ASCII), null))
                .containsExactly("error unauthenticated multibulk length");
        RespParser large = new RespParser(RespLimits.DEFAULT);
        large.authenticated(false);
        assertThat(parse(large, "*1\r\n$16385\r\n".getBytes(StandardCharsets.US_ASCII), null))
                .containsExactly("error unauthenticated bulk length");
    }

    @Test
    void oversizedCommandsAreReadToTheirEndAndNotKept() {
        String large = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1001\r\n" + "v".repeat(1001) + "\r\n";
        String together = "*4\r\n" + ("$700\r\n" + "v".repeat(700) + "\r\n").repeat(4);
        byte[] bytes = (large + "PING\r\n" + together + "PING\r\n").getBytes(StandardCharsets.US_ASCII);
        for (int seed = 0; seed < 20; seed++) {
            assertThat(parse(new RespParser(SMALL), bytes, seed == 0 ? null : new SplittableRandom(seed)))
                    .as("seed %d", seed)
                    .containsExactly("oversized 1005", "PING", "oversized 2800", "PING");
        }
    }

    @Test
    void anOversizedBulkLeavesNothingBehindWhileItArrives() {
        RespParser parser = new RespParser(SMALL);
        UnsafeBuffer head = new UnsafeBuffer("*2\r\n$3\r\nSET\r\n$5000\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(parser.parse(head, 0, head.capacity())).isEqualTo(RespParser.NEED_MORE);
        assertThat(parser.consumed()).isEqualTo(head.capacity());
        UnsafeBuffer body = new UnsafeBuffer(new byte[4000]);
        assertThat(parser.parse(body, 0, 4000)).isEqualTo(RespParser.NEED_MORE);
        assertThat(parser.consumed()).isEqualTo(4000);
    }

    @Test
    void aLargeBulkTellsWhatItNeedsAndIsNotReadAgain() {
        RespParser parser = new RespParser(RespLimits.DEFAULT);
        byte[] head = "*1\r\n$1000000\r\n".getBytes(StandardCharsets.US_ASCII);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[head.length + 1_000_002]);
        buffer.putBytes(0, head);
        assertThat(parser.parse(buffer, 0, head.length)).isEqualTo(RespParser.NEED_MORE);
        assertThat(parser.needed()).isEqualTo(buffer.capacity());
        // Had the parser gone back to the start it would find garbage now.
        buffer.setMemory(0, head.length, (byte) 'x');
        assertThat(parser.parse(buffer, 0, 500_000)).isEqualTo(RespParser.NEED_MORE);
        assertThat(parser.parse(buffer, 0, buffer.capacity())).isEqualTo(RespParser.COMMAND);
        assertThat(parser.argumentLength(0)).isEqualTo(1_000_000);
        assertThat(parser.consumed()).isEqualTo(buffer.capacity());
    }

    @Test
    void howTheBytesAreCutChangesNothing() {
        StringBuilder input = new StringBuilder();
        SplittableRandom content = new SplittableRandom(7);
        for (int i = 0; i < 200; i++) {
            if (content.nextInt(4) == 0) {
                input.append("inline \"w ").append(i).append("\\x21\" 'end'\r\n");
            } else {
                int words = 1 + content.nextInt(5);
                input.append('*').append(words).append("\r\n");
                for (int j = 0; j < words; j++) {
                    String word = "\r\n$*x".repeat(content.nextInt(4)) + j;
                    input.append('$')
                            .append(word.length())
                            .append("\r\n")
                            .append(word)
                            .append("\r\n");
                }
            }
        }
        byte[] bytes = input.toString().getBytes(StandardCharsets.ISO_8859_1);
        List<String> whole = parse(new RespParser(RespLimits.DEFAULT), bytes, null);
        assertThat(whole).hasSize(200);
        for (int seed = 1; seed <= 50; seed++) {
            assertThat(parse(new RespParser(RespLimits.DEFAULT), bytes, new SplittableRandom(seed)))
                    .as("seed %d", seed)
                    .isEqualTo(whole);
        }
    }

    @Test
    void randomBytesNeverLeaveTheBuffer() {
        for (int seed = 0; seed < 3000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = new byte[random.nextInt(200)];
            String alphabet = "*$0123456789-\r\n\r\n\"'\\x ab\0";
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = random.nextInt(10) == 0
                        ? (byte) random.nextInt(256)
                        : (byte) alphabet.charAt(random.nextInt(alphabet.length()));
            }
            // Bounds are checked by the buffer; a result must come in any case.
            assertThat(parse(new RespParser(SMALL), bytes, random))
                    .as("seed %d", seed)
                    .isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource({"0,0", "7,7", "-7,-7", "123456789012345678,123456789012345678"})
    void readsDecimals(String text, long value) {
        UnsafeBuffer buffer = new UnsafeBuffer(text.getBytes(StandardCharsets.US_ASCII));
        assertThat(RespParser.parseLong(buffer, 0, buffer.capacity(), -99)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "+1", "01", "-0", "1 ", " 1", "1.0", "1234567890123456789", "a"})
    void refusesWhatIsNoStrictDecimal(String text) {
        UnsafeBuffer buffer = new UnsafeBuffer(text.getBytes(StandardCharsets.US_ASCII));
        assertThat(RespParser.parseLong(buffer, 0, buffer.capacity(), -99)).isEqualTo(-99);
    }
}
