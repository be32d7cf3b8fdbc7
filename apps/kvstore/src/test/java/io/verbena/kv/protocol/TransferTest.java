package io.verbena.kv.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What values that travel in pieces add to requests and replies. */
class TransferTest {
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
    private final RequestEncoder encoder = new RequestEncoder();
    private final RequestFlyweight request = new RequestFlyweight();

    @Test
    void requestsNameUploads() {
        encoder.begin(buffer, 8, KvOp.SET, 0, 1, 0)
                .argument(new byte[] {'k'})
                .uploadedArgument(Long.MIN_VALUE + 5)
                .argument(new byte[] {'n', 'x'});
        int length = encoder.length();
        request.wrap(buffer, 8, length);
        assertThat(request.argc()).isEqualTo(3);
        assertThat(request.uploads()).isOne();
        assertThat(request.isUploaded(0)).isFalse();
        assertThat(request.isUploaded(1)).isTrue();
        assertThat(request.uploadId(1)).isEqualTo(Long.MIN_VALUE + 5);
        assertThat(request.argumentLength(1)).isEqualTo(RequestDescriptor.UPLOADED);
        assertThat(request.argumentLength(2)).isEqualTo(2);
        assertThatThrownBy(() -> request.uploadId(0)).hasMessage("argument 0 was not uploaded");
        for (int n = 0; n < length - 2; n++) {
            int shorter = n;
            assertThatThrownBy(() -> request.wrap(buffer, 8, shorter))
                    .as("length %s", n)
                    .isInstanceOf(ProtocolException.class);
        }
        // What was uploaded is forgotten with the request.
        encoder.begin(buffer, 8, KvOp.GET, 0, 1, 0).argument(new byte[] {'k'});
        assertThat(request.wrap(buffer, 8, encoder.length()).uploads()).isZero();
    }

    @Test
    void otherNegativeLengthsAreMalformed() {
        encoder.begin(buffer, 0, KvOp.SET, 0, 1, 0).uploadedArgument(7);
        buffer.putInt(RequestDescriptor.HEADER_LENGTH, -2, ByteOrder.LITTLE_ENDIAN);
        assertThatThrownBy(() -> request.wrap(buffer, 0, encoder.length()))
                .hasMessage("argument 0 has length -2 with 8 bytes left");
    }

    @Test
    void numbersHaveEightBytes() {
        encoder.begin(buffer, 0, KvOp.READ_STREAM, 0, 1, RequestDescriptor.FLAG_NO_REPLY)
                .argumentLong(-1)
                .argumentLong(1L << 40)
                .argument(17);
        request.wrap(buffer, 0, encoder.length());
        assertThat(request.isReplyWanted()).isFalse();
        assertThat(request.isResp3()).isFalse();
        assertThat(request.argumentLong(0)).isEqualTo(-1);
        assertThat(request.argumentLong(1)).isEqualTo(1L << 40);
        assertThatThrownBy(() -> request.argumentLong(2))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("argument 2 has length 2 and is no number of 8 bytes");
        buffer.putByte(RequestDescriptor.FLAGS_OFFSET, (byte) 4);
        assertThatThrownBy(() -> request.wrap(buffer, 0, encoder.length())).isInstanceOf(ProtocolException.class);
    }

    @Test
    void lengthsOfRequestsAreAsEncoded() {
        encoder.begin(buffer, 0, KvOp.UPLOAD, 0, 1, RequestDescriptor.FLAG_NO_REPLY)
                .argumentLong(1)
                .argumentLong(5)
                .argumentLong(0)
                .argument(new byte[5]);
        assertThat(encoder.length()).isEqualTo(TransferDescriptor.uploadLength(5));
        encoder.begin(buffer, 0, KvOp.READ_STREAM, 0, 1, 0)
                .argumentLong(1)
                .argumentLong(0)
                .argumentLong(5);
        assertThat(encoder.length()).isEqualTo(TransferDescriptor.readStreamLength());
        encoder.begin(buffer, 0, KvOp.CLOSE_STREAM, 0, 1, 0).argumentLong(1);
        assertThat(encoder.length()).isEqualTo(TransferDescriptor.idLength());
        assertThat(TransferDescriptor.uploadLength(TransferDescriptor.PIECE_LENGTH))
                .isLessThan(TransferDescriptor.MAX_MESSAGE);
        assertThat(TransferDescriptor.nextPiece(100_000, 0)).isEqualTo(TransferDescriptor.PIECE_LENGTH);
        assertThat(TransferDescriptor.nextPiece(100_000, 65_536)).isEqualTo(34_464);
    }

    @Test
    void streamsStandInATree() {
        try (ReplyEncoder reply = new ReplyEncoder()) {
            reply.begin(9);
            reply.array(3);
            reply.stream(4, 5L << 30);
            reply.nil();
            reply.stream(5, 100);
            ReplyCursor cursor = new ReplyCursor().wrap(reply.buffer(), 0, reply.length());
            cursor.next();
            cursor.next();
            assertThat(cursor.type()).isEqualTo(ReplyType.STREAM);
            assertThat(cursor.streamId()).isEqualTo(4);
            assertThat(cursor.streamLength()).isEqualTo(5L << 30);
            cursor.next();
            assertThat(cursor.type()).isEqualTo(ReplyType.NIL);
            assertThatThrownBy(cursor::streamId).isInstanceOf(IllegalStateException.class);
            cursor.next();
            assertThat(cursor.streamId()).isEqualTo(5);
            assertThat(cursor.next()).isFalse();
            for (int n = 8; n < reply.length(); n++) {
                cursor.wrap(reply.buffer(), 0, n);
                assertThatThrownBy(() -> {
                            while (cursor.next()) {
                                // To the end.
                            }
                        })
                        .isInstanceOf(ProtocolException.class);
            }
        }
    }

    @Test
    void aHeldReplyIsTheRoot() {
        try (ReplyEncoder reply = new ReplyEncoder()) {
            reply.begin(9);
            reply.held(1, 200_000);
            ReplyCursor cursor = new ReplyCursor().wrap(reply.buffer(), 0, reply.length());
            assertThat(cursor.correlation()).isEqualTo(9);
            cursor.next();
            assertThat(cursor.type()).isEqualTo(ReplyType.HELD);
            assertThat(cursor.streamLength()).isEqualTo(200_000);
            assertThat(cursor.next()).isFalse();
            reply.begin(9);
            reply.array(1);
            reply.held(1, 200_000);
            cursor.wrap(reply.buffer(), 0, reply.length());
            cursor.next();
            assertThatThrownBy(cursor::next).hasMessage("reply HELD at 16 is not the root");
        }
    }
}
