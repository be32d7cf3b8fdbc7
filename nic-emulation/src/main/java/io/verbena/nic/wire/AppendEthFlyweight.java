package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Append extended header: which append queue a message is for, how long it is in whole, and of which stream of its
 * queue pair it is; of a run of messages ({@link AppendRunFlyweight}) how long the run is, and how many they are. And
 * the weight of the group that sends it.
 *
 * <pre>
 *    0          4           8                12         14       16
 *   +----------+-----------+----------------+----------+--------+
 *   | queue id | queue key | message length | stream   | weight |
 *   +----------+-----------+----------------+----------+--------+
 *                                           | messages |          of a run, whose messages have each a stream
 *                                           +----------+
 * </pre>
 *
 * <p>By the weight, groups of one sender share room in a queue that is full. Only a message's first packet has one.
 *
 * <p>A reliable connection does not repeat the header: {@link Opcode#APPEND_ONLY_AGAIN} is for the queue, the stream
 * and the weight of the last header before it that was not a run's. Its packets are executed in the order of their
 * PSNs, so both ends agree on which that was; a packet that is sent again has its header.
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class AppendEthFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 16;

    /** The largest number of a stream; 0 is the least, and that of who sends in one stream only. */
    public static final int MAX_STREAM = 0xFFF;

    private static final int QUEUE_ID_OFFSET = 0;
    private static final int QUEUE_KEY_OFFSET = 4;
    private static final int MESSAGE_LENGTH_OFFSET = 8;
    private static final int STREAM_OFFSET = 12;
    private static final int MESSAGES_OFFSET = 12; // of a run
    private static final int WEIGHT_OFFSET = 14;

    private AppendEthFlyweight() {}

    /** Writes the append queue's id. */
    public static void queueId(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + QUEUE_ID_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the append queue's id. */
    public static int queueId(DirectBuffer b, int offset) {
        return b.getInt(offset + QUEUE_ID_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the append queue's key. */
    public static void queueKey(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + QUEUE_KEY_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the append queue's key. */
    public static int queueKey(DirectBuffer b, int offset) {
        return b.getInt(offset + QUEUE_KEY_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the length of the whole message in bytes. */
    public static void messageLength(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + MESSAGE_LENGTH_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the length of the whole message in bytes. */
    public static int messageLength(DirectBuffer b, int offset) {
        return b.getInt(offset + MESSAGE_LENGTH_OFFSET, LITTLE_ENDIAN);
    }

    /** Reads how many messages a run has. */
    public static int messages(DirectBuffer b, int offset) {
        return b.getShort(offset + MESSAGES_OFFSET, LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Reads the number of the message's stream: any of 16 bits, of which those above {@link #MAX_STREAM} are none. */
    public static int stream(DirectBuffer b, int offset) {
        return b.getShort(offset + STREAM_OFFSET, LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Reads the weight of the sender's group: any of 16 bits, of which 0 counts as 1. */
    public static int weight(DirectBuffer b, int offset) {
        return b.getShort(offset + WEIGHT_OFFSET, LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Writes the whole header of a packet that is not a run. */
    public static void encode(
            MutableDirectBuffer b, int offset, int queueId, int queueKey, int messageLength, int stream, int weight) {
        queueId(b, offset, queueId);
        queueKey(b, offset, queueKey);
        messageLength(b, offset, messageLength);
        b.putInt(offset + STREAM_OFFSET, (stream & 0xFFFF) | (weight << Short.SIZE), LITTLE_ENDIAN);
    }

    /** Writes the whole header of a run. */
    public static void encodeRun(
            MutableDirectBuffer b, int offset, int queueId, int queueKey, int runLength, int messages, int weight) {
        encode(b, offset, queueId, queueKey, runLength, messages, weight);
    }
}
