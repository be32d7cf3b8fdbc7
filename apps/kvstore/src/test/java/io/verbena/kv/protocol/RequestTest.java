package io.verbena.kv.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class RequestTest {
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
    private final RequestEncoder encoder = new RequestEncoder();
    private final RequestFlyweight request = new RequestFlyweight();

    private int encode() {
        UnsafeBuffer source = new UnsafeBuffer("xxhello".getBytes(StandardCharsets.UTF_8));
        return encoder.begin(buffer, 8, KvOp.SET, 5, 77L, RequestDescriptor.FLAG_RESP3)
                .argument("key".getBytes(StandardCharsets.UTF_8))
                .argument(source, 2, 5)
                .argument(new byte[0])
                .argument(Long.MIN_VALUE)
                .argument(-15)
                .length();
    }

    private String argument(int index) {
        return request.buffer()
                .getStringWithoutLengthUtf8(request.argumentOffset(index), request.argumentLength(index));
    }

    @Test
    void readsWhatWasWritten() {
        buffer.setMemory(0, buffer.capacity(), (byte) 0x55);
        int length = encode();
        request.wrap(buffer, 8, length);
        assertThat(request.op()).isEqualTo(KvOp.SET);
        assertThat(request.database()).isEqualTo(5);
        assertThat(request.correlation()).isEqualTo(77L);
        assertThat(request.isResp3()).isTrue();
        assertThat(request.argc()).isEqualTo(5);
        assertThat(argument(0)).isEqualTo("key");
        assertThat(argument(1)).isEqualTo("hello");
        assertThat(argument(2)).isEmpty();
        assertThat(argument(3)).isEqualTo(Long.toString(Long.MIN_VALUE));
        assertThat(argument(4)).isEqualTo("-15");
        assertThat(buffer.getByte(8 + length)).isEqualTo((byte) 0x55);
        assertThatThrownBy(() -> request.argumentOffset(5)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void rejectsEveryTruncation() {
        int length = encode();
        // The last argument, "-15", ends with one byte of padding, which a sender may leave out.
        for (int n = 0; n < length - 1; n++) {
            int shorter = n;
            assertThatThrownBy(() -> request.wrap(buffer, 8, shorter))
                    .as("length %s", n)
                    .isInstanceOf(ProtocolException.class);
        }
        assertThat(request.wrap(buffer, 8, length - 1).argc()).isEqualTo(5);
        assertThatThrownBy(() -> request.wrap(buffer, 8, length + 4)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> request.wrap(buffer, 8, 4089)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> request.wrap(buffer, -1, 40)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void rejectsImpossibleHeaders() {
        int length = encode();
        buffer.putInt(8 + RequestDescriptor.ARGC_OFFSET, Integer.MAX_VALUE);
        assertThatThrownBy(() -> request.wrap(buffer, 8, length))
                .hasMessage("number of arguments 2147483647 is not in 0 to maximum 1048576");
        buffer.putInt(8 + RequestDescriptor.ARGC_OFFSET, 1000);
        assertThatThrownBy(() -> request.wrap(buffer, 8, length)).isInstanceOf(ProtocolException.class);
        buffer.putByte(8, (byte) 2);
        assertThatThrownBy(() -> request.wrap(buffer, 8, length)).hasMessage("request version 2 is not 1");
    }

    @Test
    void survivesRandomBytes() {
        Random random = new Random(7);
        int parsed = 0;
        for (int i = 0; i < 50_000; i++) {
            int length = encode();
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                buffer.putByte(8 + random.nextInt(length), (byte) random.nextInt());
            }
            try {
                request.wrap(buffer, 8, length);
                for (int a = 0; a < request.argc(); a++) {
                    argument(a);
                }
                parsed++;
            } catch (ProtocolException expected) {
                assertThat(expected.getMessage()).isNotEmpty();
            }
        }
        assertThat(parsed).isBetween(1, 49_999);
    }

    @Test
    void refusesMisuse() {
        assertThatThrownBy(() -> encoder.begin(buffer, 0, KvOp.GET, 65536, 0, 0))
                .hasMessage("database 65536 is not in 0 to 65535");
        encoder.begin(buffer, 0, KvOp.GET, 0, 0, 0);
        assertThatThrownBy(() -> encoder.claimArgument(RequestDescriptor.MAX_ARGUMENT_LENGTH + 1))
                .hasMessage("argument length 536870913 is not in 0 to maximum 536870912");
    }

    @Test
    void findsOperations() {
        for (KvOp op : KvOp.values()) {
            assertThat(KvOp.byCode(op.code())).isSameAs(op);
            buffer.putStringWithoutLengthAscii(0, op.lowerName());
            assertThat(KvOp.byName(buffer, 0, op.name().length())).isSameAs(op);
            buffer.putStringWithoutLengthAscii(0, op.name());
            assertThat(KvOp.byName(buffer, 0, op.name().length())).isSameAs(op);
        }
        buffer.putStringWithoutLengthAscii(0, "GETT");
        assertThat(KvOp.byName(buffer, 0, 4)).isNull();
        assertThat(KvOp.byName(buffer, 0, 0)).isNull();
        assertThat(KvOp.byCode(0)).isNull();
        assertThat(KvOp.byCode(-1)).isNull();
        assertThat(KvOp.byCode(256)).isNull();
        assertThat(KvOp.MSET.lastKey(4)).isEqualTo(2);
        assertThat(KvOp.DEL.lastKey(3)).isEqualTo(2);
        assertThat(KvOp.GET.lastKey(1)).isZero();
        assertThat(KvOp.DBSIZE.lastKey(0)).isEqualTo(-1);
        assertThat(KvOp.GET.redisArity()).isEqualTo(2);
        assertThat(KvOp.MSET.redisArity()).isEqualTo(-3);
    }
}
