package io.verbena.fabric;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes on every connection; nothing but valid hellos open a link. The side that connects calls, the other
 * answers; over sockets the one that called then confirms, so that both know which of several connections is the link.
 *
 * <pre>
 *    0               8        12       16              24       28       32
 *   +---------------+--------+--------+---------------+--------+--------+
 *   |     magic     | version| length |    NIC id     | engine |features|
 *   +---------------+--------+--------+---------------+--------+--------+
 *   32       36       40              48       52       56             64
 *   +--------+--------+---------------+--------+--------+---------------+
 *   | max    | ring   |  process id   | text   |  step  |     host      |
 *   | packet | length |               | length |        |               |
 *   +--------+--------+---------------+--------+--------+---------------+
 *   64                                80                             112
 *   +---------------------------------+---------------------------------+
 *   |  nonce, 16 bytes                |  proof, 32 bytes                |
 *   +---------------------------------+---------------------------------+
 *   112
 *   +-------------------------------------------------------------------+
 *   |  text: memory directory, a zero byte, ring file (shared memory)   |
 *   +-------------------------------------------------------------------+
 * </pre>
 *
 * <p>Little-endian. {@code length} is that of the whole hello: {@link #HEADER_LENGTH} plus the text's, which is UTF-8
 * and at most {@link #MAX_TEXT_LENGTH} bytes; on sockets there is none. Stateless; any thread.
 */
public final class HelloFlyweight {
    /** "VERBENA" and a zero byte that no text protocol sends. */
    public static final long MAGIC = 0x00_41_4E_45_42_52_45_56L;

    /** Version of the hello and of all that follows it on the connection. */
    public static final int VERSION = 7;

    /** Bytes of the fixed part. */
    public static final int HEADER_LENGTH = 112;

    /** Most bytes of text. */
    public static final int MAX_TEXT_LENGTH = 1024;

    /** The peer offers its memory for direct access. */
    public static final int FEATURE_DIRECT = 1;

    /** The answering side has a link to the peer that is up. */
    public static final int FEATURE_LINKED = 2;

    /** Step of the side that connects. */
    public static final int CALL = 1;

    /** Step of the side that was called. */
    public static final int ANSWER = 2;

    /** Step of the side that connects, when it has the answer and this connection is to be the link. */
    public static final int CONFIRMATION = 3;

    /** Step of the side that was called, when it refuses the call and closes. */
    public static final int REFUSAL = 4;

    /** Bytes of a nonce. */
    public static final int NONCE_LENGTH = 16;

    /** Bytes of a proof. */
    public static final int PROOF_LENGTH = 32;

    private static final int MAGIC_OFFSET = 0;
    private static final int VERSION_OFFSET = 8;
    private static final int LENGTH_OFFSET = 12;
    private static final int NIC_ID_OFFSET = 16;
    private static final int ENGINE_OFFSET = 24;
    private static final int FEATURES_OFFSET = 28;
    private static final int MAX_PACKET_OFFSET = 32;
    private static final int RING_LENGTH_OFFSET = 36;
    private static final int PROCESS_ID_OFFSET = 40;
    private static final int TEXT_LENGTH_OFFSET = 48;
    private static final int STEP_OFFSET = 52;
    private static final int HOST_OFFSET = 56;
    private static final int NONCE_OFFSET = 64;
    private static final int PROOF_OFFSET = 80;

    /** The smallest packet size that a peer may offer; see {@code Link.maxPacket}. */
    private static final int MIN_MAX_PACKET = 512;

    private HelloFlyweight() {}

    /**
     * Writes a hello, without nonce and proof.
     *
     * @param buffer takes it, at offset 0
     * @param step {@link #CALL}, {@link #ANSWER}, {@link #CONFIRMATION} or {@link #REFUSAL}
     * @param nicId of the sender
     * @param engine index of the sender's engine
     * @param features bits, {@link #FEATURE_DIRECT}
     * @param maxPacket the largest packet that the sender takes
     * @param ringLength bytes of a ring, 0 on sockets
     * @param text of the shared memory fabric, else empty
     * @return bytes written
     * @throws IllegalArgumentException if the text is too long
     */
    public static int encode(
            MutableDirectBuffer buffer,
            int step,
            long nicId,
            int engine,
            int features,
            int maxPacket,
            int ringLength,
            String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_TEXT_LENGTH) {
            throw new IllegalArgumentException("text of " + bytes.length + " bytes > maximum " + MAX_TEXT_LENGTH
                    + "; choose a shorter directory: " + text);
        }
        int length = HEADER_LENGTH + bytes.length;
        buffer.setMemory(0, HEADER_LENGTH, (byte) 0);
        buffer.putLong(MAGIC_OFFSET, MAGIC, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(VERSION_OFFSET, VERSION, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(LENGTH_OFFSET, length, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(NIC_ID_OFFSET, nicId, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(ENGINE_OFFSET, engine, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(FEATURES_OFFSET, features, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(MAX_PACKET_OFFSET, maxPacket, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(RING_LENGTH_OFFSET, ringLength, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(PROCESS_ID_OFFSET, ProcessHandle.current().pid(), ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(TEXT_LENGTH_OFFSET, bytes.length, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(STEP_OFFSET, step, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(HOST_OFFSET, PeerProcess.host(), ByteOrder.LITTLE_ENDIAN);
        buffer.putBytes(HEADER_LENGTH, bytes);
        return length;
    }

    /**
     * Says what is wrong with the fixed part of a hello, as far as it has come.
     *
     * @param buffer holds it at offset 0
     * @param received bytes that have come
     * @param maxText most bytes of text that the fabric takes
     * @return the reason to refuse it, or null if nothing is wrong so far
     */
    public static @Nullable String defect(DirectBuffer buffer, int received, int maxText) {
        int magicBytes = Math.min(received, Long.BYTES);
        for (int i = 0; i < magicBytes; i++) {
            byte expected = (byte) (MAGIC >>> (i << 3));
            if (buffer.getByte(i) != expected) {
                return "not a Verbena peer: byte " + i + " of the hello is 0x"
                        + Integer.toHexString(buffer.getByte(i) & 0xFF) + ", expected 0x"
                        + Integer.toHexString(expected & 0xFF)
                        + hint(i, buffer.getByte(i));
            }
        }
        if (received >= VERSION_OFFSET + Integer.BYTES && version(buffer) != VERSION) {
            return "peer speaks version " + version(buffer) + ", this side " + VERSION + "; upgrade the older one";
        }
        return received < HEADER_LENGTH ? null : headerDefect(buffer, maxText);
    }

    /** What a wrong byte may stand for: the alert or handshake of TLS, or the challenge of a shared secret. */
    private static String hint(int index, byte wrong) {
        if (index == 0 && (wrong == 0x15 || wrong == 0x16)) {
            return "; if that is TLS, set tls on both sides";
        }
        return index == Long.BYTES - 1 && wrong == 's'
                ? "; the peer asks for a shared secret, set it on both sides"
                : "";
    }

    private static @Nullable String headerDefect(DirectBuffer buffer, int maxText) {
        int textLength = textLength(buffer);
        if (textLength < 0 || textLength > maxText) {
            return "hello with a text of " + textLength + " bytes, expected 0 to " + maxText;
        }
        int length = buffer.getInt(LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
        if (length != HEADER_LENGTH + textLength) {
            return "hello says it is " + length + " bytes long, expected " + (HEADER_LENGTH + textLength);
        }
        if (maxPacket(buffer) < MIN_MAX_PACKET) {
            return "largest packet of " + maxPacket(buffer) + " bytes < minimum " + MIN_MAX_PACKET;
        }
        if (engine(buffer) < 0) {
            return "engine " + engine(buffer) + " < 0";
        }
        return null;
    }

    /**
     * Says what is wrong with the step of a hello.
     *
     * @param buffer holds it
     * @param expected step
     * @return the reason to refuse it, or null
     */
    public static @Nullable String stepDefect(DirectBuffer buffer, int expected) {
        int step = buffer.getInt(STEP_OFFSET, ByteOrder.LITTLE_ENDIAN);
        return step == expected ? null : "step " + step + " of the hello, expected " + expected;
    }

    /** Version that the peer speaks. */
    public static int version(DirectBuffer buffer) {
        return buffer.getInt(VERSION_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** Identity of the peer's NIC. */
    public static long nicId(DirectBuffer buffer) {
        return buffer.getLong(NIC_ID_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** Index of the peer's engine. */
    public static int engine(DirectBuffer buffer) {
        return buffer.getInt(ENGINE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** Feature bits. */
    public static int features(DirectBuffer buffer) {
        return buffer.getInt(FEATURES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** The largest packet that the peer takes, in bytes. */
    public static int maxPacket(DirectBuffer buffer) {
        return buffer.getInt(MAX_PACKET_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** Bytes of a ring. */
    public static int ringLength(DirectBuffer buffer) {
        return buffer.getInt(RING_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** The peer's process, by what it says of itself; null if it is not of this host, or it is this one. */
    public static @Nullable PeerProcess process(DirectBuffer buffer) {
        long host = buffer.getLong(HOST_OFFSET, ByteOrder.LITTLE_ENDIAN);
        return host != 0 && host == PeerProcess.host()
                ? PeerProcess.of(buffer.getLong(PROCESS_ID_OFFSET, ByteOrder.LITTLE_ENDIAN))
                : null;
    }

    /** The nonce, a copy. */
    public static byte[] nonce(DirectBuffer buffer) {
        byte[] nonce = new byte[NONCE_LENGTH];
        buffer.getBytes(NONCE_OFFSET, nonce);
        return nonce;
    }

    /** Writes the nonce. */
    public static void nonce(MutableDirectBuffer buffer, byte[] nonce) {
        buffer.putBytes(NONCE_OFFSET, nonce, 0, NONCE_LENGTH);
    }

    /** The proof, a copy; zeroes if there is none. */
    public static byte[] proof(DirectBuffer buffer) {
        byte[] proof = new byte[PROOF_LENGTH];
        buffer.getBytes(PROOF_OFFSET, proof);
        return proof;
    }

    /** Writes the proof. */
    public static void proof(MutableDirectBuffer buffer, byte[] proof) {
        buffer.putBytes(PROOF_OFFSET, proof, 0, PROOF_LENGTH);
    }

    /** Bytes of text. */
    public static int textLength(DirectBuffer buffer) {
        return buffer.getInt(TEXT_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** The text. */
    public static String text(DirectBuffer buffer) {
        byte[] bytes = new byte[textLength(buffer)];
        buffer.getBytes(HEADER_LENGTH, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
