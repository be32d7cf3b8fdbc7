package io.verbena.papers.etc;

import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A message that says what it is, so that one that is lost, doubled, torn or out of order is seen. Little endian.
 *
 * <pre>
 *   0               8               16      20      24      28
 *  +---------------+---------------+-------+-------+-------+-- - - --+
 *  | sequence      | scheduled     |sender |length | CRC32C| payload |
 *  +---------------+---------------+-------+-------+-------+-- - - --+
 * </pre>
 *
 * The checksum is that of all other bytes; the length includes the header. Not thread-safe.
 */
final class EtcMessageFlyweight {
    static final int HEADER_LENGTH = 28;
    private static final int SEQUENCE = 0;
    private static final int SCHEDULED = 8;
    private static final int SENDER = 16;
    private static final int LENGTH = 20;
    private static final int CHECKSUM = 24;

    private final CRC32C checksum = new CRC32C();
    private final byte[] bytes = new byte[EtcSetting.MAX];

    /** Completes a message whose payload is there. */
    void encode(MutableDirectBuffer buffer, int length, int sender, long sequence, long scheduled) {
        buffer.putLong(SEQUENCE, sequence);
        buffer.putLong(SCHEDULED, scheduled);
        buffer.putInt(SENDER, sender);
        buffer.putInt(LENGTH, length);
        buffer.putInt(CHECKSUM, sum(buffer, 0, length));
    }

    /** Whether the bytes are a message of a sender, whole. */
    boolean isWhole(DirectBuffer buffer, int offset, int length, int sender) {
        return length >= HEADER_LENGTH
                && length <= EtcSetting.MAX
                && buffer.getInt(offset + LENGTH) == length
                && buffer.getInt(offset + SENDER) == sender
                && buffer.getInt(offset + CHECKSUM) == sum(buffer, offset, length);
    }

    static long sequence(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + SEQUENCE);
    }

    static long scheduled(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + SCHEDULED);
    }

    private int sum(DirectBuffer buffer, int offset, int length) {
        buffer.getBytes(offset, bytes, 0, length);
        checksum.reset();
        checksum.update(bytes, 0, CHECKSUM);
        checksum.update(bytes, HEADER_LENGTH, length - HEADER_LENGTH);
        return (int) checksum.getValue();
    }
}
