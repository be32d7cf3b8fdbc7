package io.verbena.connection;

import io.verbena.nic.wire.AppendEthFlyweight;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The management datagram by which two nodes connect queue pairs: after InfiniBand's CM, REQ, REP, RTU, REJ, DREQ and
 * DREP. Little-endian.
 *
 * <pre>
 *   0                 4        5        6                 8
 *  +-----------------+--------+--------+-----------------+
 *  | magic, version  | type   | kind   | status          |
 *  +-----------------+--------+--------+-----------------+
 *  | transaction id, of the side that asked              |  8
 *  +--------------------------+--------------------------+
 *  | sender's queue pair      | receiver's queue pair    | 16
 *  +--------------------------+--------------------------+
 *  | sender's first PSN       | path MTU                 | 24
 *  +--------------------------+--------------------------+
 *  | append queue id          | append queue key         | 32
 *  +--------------------------+--------------------------+
 *  | longest message          | region key               | 40
 *  +--------------------------+--------------------------+
 *  | region length                                       | 48
 *  +-----------------+-----------------+-----------------+
 *  | text length     | token length    | node length     | 56
 *  +-----------------+-----------------+-----------------+
 *  | sender's stream | recv.'s stream  | sender's group  | 64
 *  +-----------------+-----------------+-----------------+
 *  | text: the name asked for, or a reason; then the token| 72
 *  | and, of a REQUEST or REPLY, the sending node's name  |
 * </pre>
 *
 * <p>A side's stream is the number that all of its messages of this connection carry: what else is sent by its queue
 * pair has others.
 *
 * <p>The group, of a REQUEST or REPLY, tells the sender's tenants apart: those of one number share what they are given.
 *
 * <p>An append queue key of 0 says that there is no queue: the receiver cannot send back.
 */
public final class ConnectionFlyweight {
    /** "VC" and version 4. */
    public static final int MAGIC = 0x0004_4356;

    /** Asks for a connection. */
    public static final int REQUEST = 1;
    /** Grants one. */
    public static final int REPLY = 2;
    /** The reply has come. */
    public static final int READY = 3;
    /** Refuses one. */
    public static final int REJECT = 4;
    /** Ends one. */
    public static final int DISCONNECT = 5;
    /** The end has come. */
    public static final int DISCONNECTED = 6;

    private static final String[] TYPES = {"", "REQUEST", "REPLY", "READY", "REJECT", "DISCONNECT", "DISCONNECTED"};

    /** Kind of a connection to an inbox. */
    public static final int INBOX = 0;
    /** Kind of a connection to a region. */
    public static final int REGION = 1;

    /** Status of a REJECT: nothing of that name. */
    static final int UNKNOWN_NAME = 1;
    /** Status of a REJECT: the token does not give the right. */
    static final int NOT_PERMITTED = 2;
    /** Status of a REJECT: the node has no room for another connection. */
    static final int NO_RESOURCES = 3;
    /** Status of a REJECT: the node is closing. */
    public static final int CLOSING = 4;
    /** Status of a REJECT: the request makes no sense. */
    static final int INVALID = 5;

    /** Status of a REJECT: the queue pair that the request names is not, or not to be shared: try one of its own. */
    static final int NOT_SHARED = 6;
    /** Status of a REJECT: as that, and none to the same inbox shares with those to others. */
    static final int APART = 7;

    /** Status of a DISCONNECT: what came was refused. */
    static final int REFUSED = 1;

    /** Status of a REQUEST: further connections will share its queue pair, whose number they name as the receiver's. */
    static final int SHARED = 1;

    // The status of a REPLY about a region: the accesses, of nic.memory.Access, that the peer does not have.

    /** Bytes before the text. */
    public static final int HEADER_LENGTH = 72;
    /** Bytes of the longest token. */
    public static final int MAX_TOKEN = 1024;
    /** Bytes of the longest text. */
    public static final int MAX_TEXT = 1024;

    private static final int TYPE = 4;
    private static final int KIND = 5;
    private static final int STATUS = 6;
    private static final int TRANSACTION = 8;
    private static final int SENDER_QP = 16;
    private static final int RECEIVER_QP = 20;
    private static final int PSN = 24;
    private static final int PATH_MTU = 28;
    private static final int QUEUE_ID = 32;
    private static final int QUEUE_KEY = 36;
    private static final int MAX_MESSAGE = 40;
    private static final int REGION_KEY = 44;
    private static final int REGION_LENGTH = 48;
    private static final int TEXT_LENGTH = 56;
    private static final int TOKEN_LENGTH = 58;
    private static final int NODE_LENGTH = 60;
    private static final int SENDER_STREAM = 64;
    private static final int RECEIVER_STREAM = 66;
    private static final int GROUP = 68;

    private final UnsafeBuffer buffer;
    private int length;

    private ConnectionFlyweight(byte[] bytes) {
        buffer = new UnsafeBuffer(bytes);
        length = bytes.length;
    }

    /** An empty datagram of a type. */
    public static ConnectionFlyweight of(int type, long transaction) {
        ConnectionFlyweight datagram =
                new ConnectionFlyweight(new byte[HEADER_LENGTH + MAX_TEXT + MAX_TOKEN + NodeName.MAX_LENGTH]);
        datagram.length = HEADER_LENGTH;
        datagram.buffer.putInt(0, MAGIC, ByteOrder.LITTLE_ENDIAN);
        datagram.buffer.putByte(TYPE, (byte) type);
        datagram.buffer.putLong(TRANSACTION, transaction, ByteOrder.LITTLE_ENDIAN);
        return datagram;
    }

    /** What was received, for {@link #isSound} first. */
    public static ConnectionFlyweight wrap(byte[] bytes) {
        return new ConnectionFlyweight(bytes);
    }

    /** Whether every field lies within the datagram and within its range, whatever the bytes are. */
    public boolean isSound() {
        if (length < HEADER_LENGTH || buffer.getInt(0, ByteOrder.LITTLE_ENDIAN) != MAGIC) {
            return false;
        }
        int type = type();
        int text = textLength();
        int token = tokenLength();
        int mtu = pathMtu();
        return type >= REQUEST
                && type <= DISCONNECTED
                && kind() >= INBOX
                && kind() <= REGION
                && text <= MAX_TEXT
                && token <= MAX_TOKEN
                && nodeLength() >= 0
                && nodeLength() <= NodeName.MAX_LENGTH
                && HEADER_LENGTH + text + token + nodeLength() == length
                && (nodeLength() == 0 || NodeName.isValid(node()))
                && isQpNumber(senderQp())
                && isQpNumber(receiverQp())
                && senderStream() <= AppendEthFlyweight.MAX_STREAM
                && receiverStream() <= AppendEthFlyweight.MAX_STREAM
                && psn() >= 0
                && psn() <= 0xFF_FFFF
                && regionLength() >= 0
                && maxMessage() >= 0
                && (type > REPLY || (mtu >= 256 && mtu <= 65536 && Integer.bitCount(mtu) == 1));
    }

    private static boolean isQpNumber(int number) {
        return number >= 0 && number <= 0xFF_FFFF;
    }

    /** Its type. */
    public int type() {
        return buffer.getByte(TYPE);
    }

    /** What the connection is to. */
    public int kind() {
        return buffer.getByte(KIND);
    }

    /** Sets the kind. */
    public ConnectionFlyweight kind(int value) {
        buffer.putByte(KIND, (byte) value);
        return this;
    }

    /** Why it refuses, or what it withholds. */
    public int status() {
        return buffer.getShort(STATUS, ByteOrder.LITTLE_ENDIAN);
    }

    /** Sets the status. */
    public ConnectionFlyweight status(int value) {
        buffer.putShort(STATUS, (short) value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /** What the side that asked calls the connection. */
    public long transaction() {
        return buffer.getLong(TRANSACTION, ByteOrder.LITTLE_ENDIAN);
    }

    /** Queue pair of who sends it. */
    public int senderQp() {
        return getInt(SENDER_QP);
    }

    /** Queue pair of whom it is for; 0 if that is not known. */
    public int receiverQp() {
        return getInt(RECEIVER_QP);
    }

    /** Sets both queue pairs. */
    public ConnectionFlyweight queuePairs(int sender, int receiver) {
        putInt(SENDER_QP, sender);
        putInt(RECEIVER_QP, receiver);
        return this;
    }

    /** Stream of who sends it. */
    public int senderStream() {
        return buffer.getShort(SENDER_STREAM, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Stream of whom it is for; 0 if that is not known. */
    public int receiverStream() {
        return buffer.getShort(RECEIVER_STREAM, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Sets both streams. */
    public ConnectionFlyweight streams(int sender, int receiver) {
        putShort(SENDER_STREAM, sender);
        putShort(RECEIVER_STREAM, receiver);
        return this;
    }

    /** Which of the sender's groups its queue pair belongs to; any of 16 bits. */
    public int group() {
        return buffer.getShort(GROUP, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Sets the sender's group. */
    public ConnectionFlyweight group(int value) {
        putShort(GROUP, value);
        return this;
    }

    /** From whom the other was meant for, to whom it came from. */
    public ConnectionFlyweight inAnswerTo(ConnectionFlyweight other) {
        putInt(SENDER_QP, other.receiverQp());
        putInt(RECEIVER_QP, other.senderQp());
        putShort(SENDER_STREAM, other.receiverStream());
        putShort(RECEIVER_STREAM, other.senderStream());
        return this;
    }

    /** First packet sequence number of the sender. */
    public int psn() {
        return getInt(PSN);
    }

    /** Sets the first packet sequence number. */
    public ConnectionFlyweight psn(int value) {
        putInt(PSN, value);
        return this;
    }

    /** Payload bytes of a full packet. */
    public int pathMtu() {
        return getInt(PATH_MTU);
    }

    /** Sets the path MTU. */
    public ConnectionFlyweight pathMtu(int value) {
        putInt(PATH_MTU, value);
        return this;
    }

    /** The sender's append queue. */
    public int queueId() {
        return getInt(QUEUE_ID);
    }

    /** Key of that queue; 0 if there is none. */
    public int queueKey() {
        return getInt(QUEUE_KEY);
    }

    /** Bytes of the longest message that it takes. */
    public int maxMessage() {
        return getInt(MAX_MESSAGE);
    }

    /** Sets the append queue. */
    public ConnectionFlyweight queue(int id, int key, int maxMessage) {
        putInt(QUEUE_ID, id);
        putInt(QUEUE_KEY, key);
        putInt(MAX_MESSAGE, maxMessage);
        return this;
    }

    /** Key of the region. */
    public int regionKey() {
        return getInt(REGION_KEY);
    }

    /** Bytes of the region. */
    public long regionLength() {
        return buffer.getLong(REGION_LENGTH, ByteOrder.LITTLE_ENDIAN);
    }

    /** Sets the region. */
    public ConnectionFlyweight region(int key, long bytes) {
        putInt(REGION_KEY, key);
        buffer.putLong(REGION_LENGTH, bytes, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /** The name that is asked for, or a reason. */
    public String text() {
        return new String(bytes(HEADER_LENGTH, textLength()), StandardCharsets.UTF_8);
    }

    /** What the peer shows. */
    public byte[] token() {
        return bytes(HEADER_LENGTH + textLength(), tokenLength());
    }

    /** The name of the node that sent it; empty where that is not said. */
    public String node() {
        return new String(bytes(length - nodeLength(), nodeLength()), StandardCharsets.US_ASCII);
    }

    private int nodeLength() {
        return getInt(NODE_LENGTH);
    }

    /** Sets the name of the node that sends it; once, after the text. */
    public ConnectionFlyweight node(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        putInt(NODE_LENGTH, bytes.length);
        buffer.putBytes(length, bytes);
        length += bytes.length;
        return this;
    }

    /** Sets the text, cut to what fits, and the token. */
    public ConnectionFlyweight text(String text, byte[] token) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int textLength = Math.min(bytes.length, MAX_TEXT);
        buffer.putShort(TEXT_LENGTH, (short) textLength, ByteOrder.LITTLE_ENDIAN);
        buffer.putShort(TOKEN_LENGTH, (short) token.length, ByteOrder.LITTLE_ENDIAN);
        buffer.putBytes(HEADER_LENGTH, bytes, 0, textLength);
        buffer.putBytes(HEADER_LENGTH + textLength, token);
        length = HEADER_LENGTH + textLength + token.length;
        return this;
    }

    /** The datagram, from index 0 on. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /** The same, in no more memory than it needs: to be kept. */
    ConnectionFlyweight compact() {
        return new ConnectionFlyweight(bytes(0, length));
    }

    /** Its bytes. */
    public int length() {
        return length;
    }

    private int textLength() {
        return buffer.getShort(TEXT_LENGTH, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    private int tokenLength() {
        return buffer.getShort(TOKEN_LENGTH, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    private byte[] bytes(int offset, int count) {
        byte[] bytes = new byte[count];
        buffer.getBytes(offset, bytes);
        return bytes;
    }

    private int getInt(int offset) {
        return buffer.getInt(offset, ByteOrder.LITTLE_ENDIAN);
    }

    private void putShort(int offset, int value) {
        buffer.putShort(offset, (short) value, ByteOrder.LITTLE_ENDIAN);
    }

    private void putInt(int offset, int value) {
        buffer.putInt(offset, value, ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public String toString() {
        int type = type();
        return (type > 0 && type < TYPES.length ? TYPES[type] : "type " + type) + " of queue pair " + senderQp()
                + " to " + receiverQp() + ", transaction " + transaction();
    }
}
