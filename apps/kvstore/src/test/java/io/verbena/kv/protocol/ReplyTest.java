package io.verbena.kv.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReplyTest {
    private final ReplyEncoder encoder = new ReplyEncoder();
    private final ReplyCursor cursor = new ReplyCursor();

    @AfterEach
    void close() {
        encoder.close();
        encoder.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void encodeTree() {
        encoder.begin(-9L);
        encoder.array(10);
        encoder.nil();
        encoder.nilArray();
        encoder.integer(Long.MIN_VALUE);
        encoder.bulk(bytes("nine byte"));
        encoder.status(bytes("OK"));
        int open = encoder.openAggregate(ReplyType.MAP);
        encoder.bulkInteger(-120);
        encoder.doubleValue(2.5);
        encoder.closeAggregate(open, 1);
        encoder.set(0);
        encoder.booleanValue(true);
        encoder.error("ERR no");
        encoder.verbatim(bytes("txt:hello"));
    }

    @Test
    void readsWhatWasWritten() {
        encodeTree();
        cursor.wrap(encoder.buffer(), 0, encoder.length());
        assertThat(cursor.correlation()).isEqualTo(-9L);
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.type()).isEqualTo(ReplyType.ARRAY);
        assertThat(cursor.count()).isEqualTo(10);
        expect(ReplyType.NIL);
        expect(ReplyType.NIL_ARRAY);
        expect(ReplyType.INTEGER);
        assertThat(cursor.integer()).isEqualTo(Long.MIN_VALUE);
        expect(ReplyType.BULK);
        assertThat(cursor.text()).isEqualTo("nine byte");
        expect(ReplyType.STATUS);
        assertThat(cursor.text()).isEqualTo("OK");
        expect(ReplyType.MAP);
        assertThat(cursor.count()).isEqualTo(1);
        expect(ReplyType.BULK);
        assertThat(cursor.text()).isEqualTo("-120");
        expect(ReplyType.DOUBLE);
        assertThat(cursor.doubleValue()).isEqualTo(2.5);
        expect(ReplyType.SET);
        expect(ReplyType.BOOLEAN);
        assertThat(cursor.booleanValue()).isTrue();
        expect(ReplyType.ERROR);
        assertThat(cursor.text()).isEqualTo("ERR no");
        expect(ReplyType.VERBATIM);
        assertThat(cursor.text()).isEqualTo("txt:hello");
        assertThatThrownBy(cursor::integer).hasMessage("the current value is VERBATIM, not INTEGER");
        assertThat(cursor.next()).isFalse();
    }

    private void expect(ReplyType type) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.type()).isEqualTo(type);
    }

    @Test
    void skipsWholeSubtrees() {
        encodeTree();
        cursor.wrap(encoder.buffer(), 0, encoder.length());
        cursor.next();
        cursor.skip();
        assertThat(cursor.next()).isFalse();
        cursor.rewind();
        do {
            cursor.next();
        } while (cursor.type() != ReplyType.MAP);
        cursor.skip();
        expect(ReplyType.SET);
    }

    @Test
    void rejectsEveryTruncation() {
        encodeTree();
        // The last text has 7 bytes of padding, which a sender may leave out.
        for (int n = 0; n < encoder.length() - 7; n++) {
            int shorter = n;
            assertThatThrownBy(() -> walk(shorter)).as("length %s", n).isInstanceOf(ProtocolException.class);
        }
        walk(encoder.length() - 7);
        assertThatThrownBy(() -> walk(encoder.length() + 8)).isInstanceOf(ProtocolException.class);
    }

    private void walk(int length) {
        cursor.wrap(encoder.buffer(), 0, length);
        while (cursor.next()) {
            if (cursor.type().isText()) {
                assertThat(cursor.bytes()).hasSize(cursor.textLength());
            }
        }
    }

    @Test
    void survivesRandomBytes() {
        Random random = new Random(11);
        UnsafeBuffer copy = new UnsafeBuffer(new byte[1024]);
        int parsed = 0;
        for (int i = 0; i < 50_000; i++) {
            encodeTree();
            int length = encoder.length();
            copy.putBytes(0, encoder.buffer(), 0, length);
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                copy.putByte(random.nextInt(length), (byte) random.nextInt());
            }
            try {
                cursor.wrap(copy, 0, length);
                while (cursor.next()) {
                    if (cursor.type().isText()) {
                        cursor.bytes();
                    }
                }
                parsed++;
            } catch (ProtocolException expected) {
                assertThat(expected.getMessage()).isNotEmpty();
            }
        }
        assertThat(parsed).isBetween(1, 49_999);
    }

    @Test
    void growsAndGivesBack() {
        byte[] large = new byte[5_000_000];
        new Random(1).nextBytes(large);
        encoder.begin(1);
        encoder.array(2);
        encoder.bulk(large);
        encoder.bulkInteger(5);
        cursor.wrap(encoder.buffer(), 0, encoder.length());
        cursor.next();
        cursor.next();
        assertThat(cursor.bytes()).isEqualTo(large);
        cursor.next();
        assertThat(cursor.text()).isEqualTo("5");
        for (int i = 0; i < 300; i++) {
            encoder.begin(i);
            encoder.nil();
        }
        assertThat(encoder.capacity()).isEqualTo(ReplyEncoder.INITIAL_CAPACITY);
    }

    @Test
    void namesTheLimitOfAReply() {
        try (ReplyEncoder small = new ReplyEncoder(ReplyEncoder.INITIAL_CAPACITY)) {
            small.begin(1);
            assertThatThrownBy(() -> small.bulk(new byte[ReplyEncoder.INITIAL_CAPACITY]))
                    .isInstanceOf(ReplyTooLargeException.class)
                    .hasMessage("reply of 65552 bytes > maximum 65536");
            small.discard();
            small.error("ERR too large");
            cursor.wrap(small.buffer(), 0, small.length());
            cursor.next();
            assertThat(cursor.text()).isEqualTo("ERR too large");
        }
        assertThatThrownBy(() -> new ReplyEncoder(1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aReplyIsHandedOverWithItsMemory() {
        for (int i = 0; i < 3; i++) {
            encoder.begin(7);
            encoder.bulk(new byte[100_000 * i]);
            int length = encoder.length();
            byte[] written = new byte[length];
            encoder.buffer().getBytes(0, written);
            ByteBuffer given = encoder.handOver();
            byte[] kept = new byte[length];
            given.get(0, kept);
            assertThat(kept).isEqualTo(written);
            assertThat(encoder.capacity()).isEqualTo(1024);
            encoder.integer(5);
            ByteBuffer copied = encoder.handOver();
            assertThat(copied.capacity()).isEqualTo(encoder.length() + 16);
            encoder.bulk(new byte[5000]);
            assertThat(encoder.buffer().getLong(0)).isEqualTo(7);
            assertThat(encoder.length()).isGreaterThan(5000);
            BufferUtil.free(given);
            BufferUtil.free(copied);
        }
        encoder.begin(8);
        assertThat(encoder.capacity()).isEqualTo(ReplyEncoder.INITIAL_CAPACITY);
    }
}
