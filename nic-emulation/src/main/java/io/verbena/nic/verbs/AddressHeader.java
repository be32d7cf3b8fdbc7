package io.verbena.nic.verbs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The {@value #LENGTH} bytes that stand before each received datagram, in place of InfiniBand's global route header
 * ({@code ibv_create_ah_from_wc(3)}). A receive's buffer leaves room for them, and its completion counts them.
 *
 * <pre>
 *    0          16            24     32                 40
 *   +----------+-------------+------+------------------+
 *   |   zero   | source NIC  | zero | destination NIC  |
 *   +----------+-------------+------+------------------+
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class AddressHeader {
    /** Bytes of the header. */
    public static final int LENGTH = 40;

    private static final int SOURCE_NIC_OFFSET = 16;
    private static final int DESTINATION_NIC_OFFSET = 32;

    private AddressHeader() {}

    /** Identity of the NIC that a datagram came from. */
    public static long sourceNic(DirectBuffer b, int offset) {
        return b.getLong(offset + SOURCE_NIC_OFFSET, LITTLE_ENDIAN);
    }

    /** Identity of the NIC that a datagram was sent to. */
    public static long destinationNic(DirectBuffer b, int offset) {
        return b.getLong(offset + DESTINATION_NIC_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the whole header. */
    public static void encode(MutableDirectBuffer b, int offset, long sourceNic, long destinationNic) {
        b.setMemory(offset, LENGTH, (byte) 0);
        b.putLong(offset + SOURCE_NIC_OFFSET, sourceNic, LITTLE_ENDIAN);
        b.putLong(offset + DESTINATION_NIC_OFFSET, destinationNic, LITTLE_ENDIAN);
    }
}
