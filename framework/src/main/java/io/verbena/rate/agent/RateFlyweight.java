package io.verbena.rate.agent;

import io.verbena.rate.RateMessage;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The management datagram by which two nodes agree on rates: a {@link RateMessage}. Little-endian.
 *
 * <pre>
 *   0                 4        5        6                 8
 *  +-----------------+--------+--------+-----------------+
 *  | magic, version  | reports| prices | 0               |
 *  +-----------------+--------+--------+-----------------+
 *  | epoch of the sender towards the receiver            |  8
 *  | sequence in that epoch                              | 16
 *  | epoch of the receiver that is answered              | 24
 *  | its latest message whose grants are kept            | 32
 *  | step of the report                                  | 40
 *  | step of the prices                                  | 48
 *  | step of the report that they answer                 | 56
 *  +-----------------------------------------------------+
 *  | reports, 32 bytes each: rate, curvature, share, minimum    64
 *  | prices, 32 bytes each: price, weight, grant, even
 * </pre>
 *
 * <p>Fractions are doubles, rates in millions a second.
 */
public final class RateFlyweight {
    /** "VR" and version 1. */
    public static final int MAGIC = 0x0001_5256;

    /** Bytes before the first entry. */
    public static final int HEADER_LENGTH = 64;

    /** Bytes of an entry. */
    public static final int ENTRY_LENGTH = 32;

    /** Bytes of the longest datagram. */
    public static final int MAX_LENGTH = HEADER_LENGTH + 2 * RateMessage.MAX_TARGETS * ENTRY_LENGTH;

    private static final int MAGIC_AND_VERSION = 0;
    private static final int NAME_MASK = 0xFFFF; // "VR" of any version
    private static final int REPORTS = 4;
    private static final int PRICES = 5;
    private static final int RESERVED = 6;
    private static final int EPOCH = 8;
    private static final int SEQUENCE = 16;
    private static final int ANSWERED_EPOCH = 24;
    private static final int ANSWERED = 32;
    private static final int REPORT_STEP = 40;
    private static final int PRICE_STEP = 48;
    private static final int PRICED_AT = 56;

    private RateFlyweight() {}

    /** Whether a datagram is about rates, of whatever version. */
    public static boolean isOne(DirectBuffer b, int length) {
        return length >= Integer.BYTES
                && (b.getInt(MAGIC_AND_VERSION, ByteOrder.LITTLE_ENDIAN) & NAME_MASK) == (MAGIC & NAME_MASK);
    }

    /** Writes a message from index 0 on. @return its bytes */
    public static int encode(RateMessage m, MutableDirectBuffer b) {
        b.putInt(MAGIC_AND_VERSION, MAGIC, ByteOrder.LITTLE_ENDIAN);
        b.putByte(REPORTS, (byte) m.reports);
        b.putByte(PRICES, (byte) m.prices);
        b.putShort(RESERVED, (short) 0, ByteOrder.LITTLE_ENDIAN);
        putLong(b, EPOCH, m.epoch);
        putLong(b, SEQUENCE, m.sequence);
        putLong(b, ANSWERED_EPOCH, m.answeredEpoch);
        putLong(b, ANSWERED, m.answered);
        putLong(b, REPORT_STEP, m.reportStep);
        putLong(b, PRICE_STEP, m.priceStep);
        putLong(b, PRICED_AT, m.pricedAt);
        int at = HEADER_LENGTH;
        for (int t = 0; t < m.reports; t++) {
            at = put(b, at, m.rate[t], m.curvature[t], m.share[t], m.minimum[t]);
        }
        for (int t = 0; t < m.prices; t++) {
            at = put(b, at, m.price[t], m.weight[t], m.grant[t], m.even[t]);
        }
        return at;
    }

    /** Reads a message from index 0 on. @return false if it is of another version, or not as long as it says */
    public static boolean decode(DirectBuffer b, int length, RateMessage m) {
        if (length < HEADER_LENGTH || b.getInt(MAGIC_AND_VERSION, ByteOrder.LITTLE_ENDIAN) != MAGIC) {
            return false;
        }
        int reports = b.getByte(REPORTS);
        int prices = b.getByte(PRICES);
        if (reports < 0
                || reports > RateMessage.MAX_TARGETS
                || prices < 0
                || prices > RateMessage.MAX_TARGETS
                || length != HEADER_LENGTH + (reports + prices) * ENTRY_LENGTH) {
            return false;
        }
        m.reports = reports;
        m.prices = prices;
        m.epoch = getLong(b, EPOCH);
        m.sequence = getLong(b, SEQUENCE);
        m.answeredEpoch = getLong(b, ANSWERED_EPOCH);
        m.answered = getLong(b, ANSWERED);
        m.reportStep = getLong(b, REPORT_STEP);
        m.priceStep = getLong(b, PRICE_STEP);
        m.pricedAt = getLong(b, PRICED_AT);
        for (int t = 0; t < reports; t++) {
            get(b, HEADER_LENGTH + t * ENTRY_LENGTH, t, m.rate, m.curvature, m.share, m.minimum);
        }
        for (int t = 0; t < prices; t++) {
            get(b, HEADER_LENGTH + (reports + t) * ENTRY_LENGTH, t, m.price, m.weight, m.grant, m.even);
        }
        return true;
    }

    private static void putLong(MutableDirectBuffer b, int at, long value) {
        b.putLong(at, value, ByteOrder.LITTLE_ENDIAN);
    }

    private static long getLong(DirectBuffer b, int at) {
        return b.getLong(at, ByteOrder.LITTLE_ENDIAN);
    }

    private static int put(MutableDirectBuffer b, int at, double first, double second, double third, double fourth) {
        b.putDouble(at, first, ByteOrder.LITTLE_ENDIAN);
        b.putDouble(at + Double.BYTES, second, ByteOrder.LITTLE_ENDIAN);
        b.putDouble(at + 2 * Double.BYTES, third, ByteOrder.LITTLE_ENDIAN);
        b.putDouble(at + 3 * Double.BYTES, fourth, ByteOrder.LITTLE_ENDIAN);
        return at + ENTRY_LENGTH;
    }

    private static void get(
            DirectBuffer b, int at, int t, double[] first, double[] second, double[] third, double[] fourth) {
        first[t] = b.getDouble(at, ByteOrder.LITTLE_ENDIAN);
        second[t] = b.getDouble(at + Double.BYTES, ByteOrder.LITTLE_ENDIAN);
        third[t] = b.getDouble(at + 2 * Double.BYTES, ByteOrder.LITTLE_ENDIAN);
        fourth[t] = b.getDouble(at + 3 * Double.BYTES, ByteOrder.LITTLE_ENDIAN);
    }
}
