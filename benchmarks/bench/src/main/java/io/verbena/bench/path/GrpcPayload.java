package io.verbena.bench.path;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;

/** Byte arrays as gRPC's messages: written in one piece, and read into one array. */
final class GrpcPayload implements MethodDescriptor.Marshaller<byte[]> {
    static final MethodDescriptor<byte[], byte[]> UNARY = method("Unary", MethodDescriptor.MethodType.UNARY);
    static final MethodDescriptor<byte[], byte[]> STREAM = method("Stream", MethodDescriptor.MethodType.BIDI_STREAMING);

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodDescriptor.MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName("verbena.Echo", name))
                .setRequestMarshaller(new GrpcPayload())
                .setResponseMarshaller(new GrpcPayload())
                .setSafe(false)
                .build();
    }

    @Override
    public InputStream stream(byte[] value) {
        return new Bytes(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
        try {
            return stream.readNBytes(stream.available()); // all of it: gRPC's streams know their length
        } catch (IOException e) {
            throw new RunException("a message over gRPC cannot be read", e);
        }
    }

    /** Written to gRPC's buffer by one call. */
    private static final class Bytes extends InputStream implements KnownLength, Drainable {
        private final byte[] bytes;
        private int position;

        Bytes(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int count = available();
            target.write(bytes, position, count);
            position = bytes.length;
            return count;
        }

        @Override
        public int available() {
            return bytes.length - position;
        }

        @Override
        public int read() {
            return position == bytes.length ? -1 : bytes[position++] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int limit) {
            Objects.checkFromIndexSize(offset, limit, target.length);
            int count = Math.min(limit, available());
            if (count == 0 && limit > 0) {
                return -1;
            }
            System.arraycopy(bytes, position, target, offset, count);
            position += count;
            return count;
        }
    }
}
