package io.verbena;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** Copies of what a cursor points to. Stateless. */
final class Payload {
    private Payload() {}

    static byte[] bytes(DirectBuffer buffer, int offset, int length) {
        byte[] copy = new byte[length];
        buffer.getBytes(offset, copy);
        return copy;
    }

    static String text(DirectBuffer buffer, int offset, int length) {
        return new String(bytes(buffer, offset, length), StandardCharsets.UTF_8);
    }
}
