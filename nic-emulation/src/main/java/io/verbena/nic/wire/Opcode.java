package io.verbena.nic.wire;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The opcode table: for each opcode which headers follow the {@link BthFlyweight} and where, what place the packet has
 * in its message, and which transports allow it. Codes are InfiniBand's for reliable connections (volume 1, 9.2.1)
 * where it has them; UC uses the same, UD has its own because a {@link DethFlyweight} follows.
 *
 * <pre>
 *   order of headers: BTH · DETH · RETH | AtomicETH | AppendETH | SkipETH · AETH · AtomicAckETH
 *                     · ImmDt | IETH · payload
 * </pre>
 *
 * <p>Immutable; the accessors are field reads.
 */
public enum Opcode {
    /** First packet of a SEND of several. */
    SEND_FIRST(0x00, Family.SEND, Position.FIRST, Table.RC_UC | Table.PAYLOAD),
    /** Neither first nor last packet of a SEND. */
    SEND_MIDDLE(0x01, Family.SEND, Position.MIDDLE, Table.RC_UC | Table.PAYLOAD),
    /** Last packet of a SEND. */
    SEND_LAST(0x02, Family.SEND, Position.LAST, Table.RC_UC | Table.PAYLOAD),
    /** Last packet of a SEND, with immediate. */
    SEND_LAST_IMMEDIATE(0x03, Family.SEND, Position.LAST, Table.RC_UC | Table.PAYLOAD | Table.IMM),
    /** A SEND in one packet. */
    SEND_ONLY(0x04, Family.SEND, Position.ONLY, Table.RC_UC | Table.PAYLOAD),
    /** A SEND in one packet, with immediate. */
    SEND_ONLY_IMMEDIATE(0x05, Family.SEND, Position.ONLY, Table.RC_UC | Table.PAYLOAD | Table.IMM),

    /** First packet of a WRITE of several. */
    WRITE_FIRST(0x06, Family.WRITE, Position.FIRST, Table.RC_UC | Table.PAYLOAD | Table.RETH),
    /** Neither first nor last packet of a WRITE. */
    WRITE_MIDDLE(0x07, Family.WRITE, Position.MIDDLE, Table.RC_UC | Table.PAYLOAD),
    /** Last packet of a WRITE. */
    WRITE_LAST(0x08, Family.WRITE, Position.LAST, Table.RC_UC | Table.PAYLOAD),
    /** Last packet of a WRITE, with immediate. */
    WRITE_LAST_IMMEDIATE(0x09, Family.WRITE, Position.LAST, Table.RC_UC | Table.PAYLOAD | Table.IMM),
    /** A WRITE in one packet. */
    WRITE_ONLY(0x0A, Family.WRITE, Position.ONLY, Table.RC_UC | Table.PAYLOAD | Table.RETH),
    /** A WRITE in one packet, with immediate. */
    WRITE_ONLY_IMMEDIATE(0x0B, Family.WRITE, Position.ONLY, Table.RC_UC | Table.PAYLOAD | Table.RETH | Table.IMM),

    /** Asks for a part of the responder's memory. */
    READ_REQUEST(0x0C, Family.READ, Position.ONLY, Table.RC | Table.RETH),
    /** First packet of what a READ found. */
    READ_RESPONSE_FIRST(0x0D, Family.RESPONSE, Position.FIRST, Table.RC | Table.PAYLOAD | Table.AETH),
    /** Neither first nor last packet of what a READ found. */
    READ_RESPONSE_MIDDLE(0x0E, Family.RESPONSE, Position.MIDDLE, Table.RC | Table.PAYLOAD),
    /** Last packet of what a READ found. */
    READ_RESPONSE_LAST(0x0F, Family.RESPONSE, Position.LAST, Table.RC | Table.PAYLOAD | Table.AETH),
    /** What a READ found, in one packet. */
    READ_RESPONSE_ONLY(0x10, Family.RESPONSE, Position.ONLY, Table.RC | Table.PAYLOAD | Table.AETH),

    /** ACK, NAK or RNR NAK. */
    ACKNOWLEDGE(0x11, Family.RESPONSE, Position.ONLY, Table.RC | Table.AETH),
    /** What an atomic found. */
    ATOMIC_ACKNOWLEDGE(0x12, Family.RESPONSE, Position.ONLY, Table.RC | Table.AETH | Table.ATOMIC_ACK),

    /** Compare and swap of 8 bytes. */
    COMPARE_SWAP(0x13, Family.ATOMIC, Position.ONLY, Table.RC | Table.ATOMIC),
    /** Fetch and add of 8 bytes. */
    FETCH_ADD(0x14, Family.ATOMIC, Position.ONLY, Table.RC | Table.ATOMIC),

    /** Last packet of a SEND, with a key to invalidate. */
    SEND_LAST_INVALIDATE(0x16, Family.SEND, Position.LAST, Table.RC_UC | Table.PAYLOAD | Table.IETH),
    /** A SEND in one packet, with a key to invalidate. */
    SEND_ONLY_INVALIDATE(0x17, Family.SEND, Position.ONLY, Table.RC_UC | Table.PAYLOAD | Table.IETH),

    /** First packet of an APPEND of several. */
    APPEND_FIRST(0x18, Family.APPEND, Position.FIRST, Table.RC | Table.PAYLOAD | Table.APPEND),
    /** Neither first nor last packet of an APPEND. */
    APPEND_MIDDLE(0x19, Family.APPEND, Position.MIDDLE, Table.RC | Table.PAYLOAD),
    /** Last packet of an APPEND. */
    APPEND_LAST(0x1A, Family.APPEND, Position.LAST, Table.RC | Table.PAYLOAD),
    /** Last packet of an APPEND, with immediate. */
    APPEND_LAST_IMMEDIATE(0x1B, Family.APPEND, Position.LAST, Table.RC | Table.PAYLOAD | Table.IMM),
    /** An APPEND in one packet. */
    APPEND_ONLY(0x1C, Family.APPEND, Position.ONLY, Table.RC_UC | Table.PAYLOAD | Table.APPEND),
    /** An APPEND in one packet, with immediate. */
    APPEND_ONLY_IMMEDIATE(0x1D, Family.APPEND, Position.ONLY, Table.RC_UC | Table.PAYLOAD | Table.APPEND | Table.IMM),
    /** Several APPENDs to one queue, with a PSN each, in one packet. */
    APPEND_RUN(0x1E, Family.APPEND, Position.ONLY, Table.RC | Table.PAYLOAD | Table.APPEND),
    /** An APPEND in one packet, for the queue and the stream that the connection's last AppendETH has named. */
    APPEND_ONLY_AGAIN(0x1F, Family.APPEND, Position.ONLY, Table.RC | Table.PAYLOAD),
    /** An APPEND in one packet, with immediate, for the queue and the stream that the last AppendETH has named. */
    APPEND_ONLY_AGAIN_IMMEDIATE(0x20, Family.APPEND, Position.ONLY, Table.RC | Table.PAYLOAD | Table.IMM),
    /** Takes back requests that were refused, and those behind them: their PSNs are nobody's. */
    SKIP(0x21, Family.CONTROL, Position.ONLY, Table.RC | Table.SKIP),

    /** A datagram. */
    UD_SEND_ONLY(0x64, Family.SEND, Position.ONLY, Table.UD | Table.PAYLOAD | Table.DETH),
    /** A datagram with immediate. */
    UD_SEND_ONLY_IMMEDIATE(0x65, Family.SEND, Position.ONLY, Table.UD | Table.PAYLOAD | Table.DETH | Table.IMM),
    /** An APPEND by datagram. */
    UD_APPEND_ONLY(0x7C, Family.APPEND, Position.ONLY, Table.UD | Table.PAYLOAD | Table.DETH | Table.APPEND),
    /** An APPEND by datagram, with immediate. */
    UD_APPEND_ONLY_IMMEDIATE(
            0x7D, Family.APPEND, Position.ONLY, Table.UD | Table.PAYLOAD | Table.DETH | Table.APPEND | Table.IMM);

    /** What a packet is a part of. */
    public enum Family {
        /** SEND in all its forms. */
        SEND,
        /** WRITE in all its forms. */
        WRITE,
        /** A READ's request. */
        READ,
        /** Compare-and-swap, fetch-and-add. */
        ATOMIC,
        /** APPEND in all its forms. */
        APPEND,
        /** What a requester says of its requests. */
        CONTROL,
        /** What a responder sends. */
        RESPONSE
    }

    /** Where a packet stands in its message. */
    public enum Position {
        /** Starts a message of several packets. */
        FIRST,
        /** Neither starts nor ends a message. */
        MIDDLE,
        /** Ends a message of several packets. */
        LAST,
        /** The whole message. */
        ONLY
    }

    /** Bytes of the longest headers, BTH included. */
    public static final int MAX_HEADER_LENGTH = 48;

    /** Returned by the offset accessors where the header does not follow. */
    public static final int ABSENT = -1;

    /** Fault of {@link #check}: shorter than a BTH. */
    public static final int TOO_SHORT = -1;
    /** Fault of {@link #check}: a version that this code does not speak. */
    public static final int WRONG_VERSION = -2;
    /** Fault of {@link #check}: no such opcode. */
    public static final int UNKNOWN_OPCODE = -3;
    /** Fault of {@link #check}: reserved bits of the BTH are set. */
    public static final int RESERVED_BITS = -4;
    /** Fault of {@link #check}: the packet ends before its headers do. */
    public static final int HEADERS_CUT = -5;
    /** Fault of {@link #check}: a FIRST, MIDDLE or LAST packet without payload. */
    public static final int PAYLOAD_MISSING = -6;
    /** Fault of {@link #check}: payload after an opcode that has none. */
    public static final int PAYLOAD_UNEXPECTED = -7;
    /** Fault of {@link #check}: an acknowledgement of a kind that no responder sends. */
    public static final int UNKNOWN_SYNDROME = -8;

    private static final @Nullable Opcode[] BY_CODE = new Opcode[256];

    static {
        for (Opcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
        }
    }

    private final int code;
    private final Family family;
    private final Position position;
    private final int traits;
    private final int headerLength;
    private final int dethOffset;
    private final int rethOffset;
    private final int atomicEthOffset;
    private final int appendEthOffset;
    private final int skipEthOffset;
    private final int aethOffset;
    private final int atomicAckEthOffset;
    private final int immOffset;
    private final int iethOffset;

    Opcode(int code, Family family, Position position, int traits) {
        this.code = code;
        this.family = family;
        this.position = position;
        this.traits = traits;
        int at = BthFlyweight.LENGTH;
        dethOffset = has(Table.DETH) ? at : ABSENT;
        at += has(Table.DETH) ? DethFlyweight.LENGTH : 0;
        rethOffset = has(Table.RETH) ? at : ABSENT;
        at += has(Table.RETH) ? RethFlyweight.LENGTH : 0;
        atomicEthOffset = has(Table.ATOMIC) ? at : ABSENT;
        at += has(Table.ATOMIC) ? AtomicEthFlyweight.LENGTH : 0;
        appendEthOffset = has(Table.APPEND) ? at : ABSENT;
        at += has(Table.APPEND) ? AppendEthFlyweight.LENGTH : 0;
        skipEthOffset = has(Table.SKIP) ? at : ABSENT;
        at += has(Table.SKIP) ? SkipEthFlyweight.LENGTH : 0;
        aethOffset = has(Table.AETH) ? at : ABSENT;
        at += has(Table.AETH) ? AethFlyweight.LENGTH : 0;
        atomicAckEthOffset = has(Table.ATOMIC_ACK) ? at : ABSENT;
        at += has(Table.ATOMIC_ACK) ? AtomicAckEthFlyweight.LENGTH : 0;
        immOffset = has(Table.IMM) ? at : ABSENT;
        at += has(Table.IMM) ? ImmDtFlyweight.LENGTH : 0;
        iethOffset = has(Table.IETH) ? at : ABSENT;
        at += has(Table.IETH) ? IethFlyweight.LENGTH : 0;
        headerLength = at;
    }

    /**
     * The opcode of a code.
     *
     * @param code as in {@link BthFlyweight#opcode}
     * @return null if there is none
     */
    public static @Nullable Opcode of(int code) {
        return (code & ~0xFF) == 0 ? BY_CODE[code] : null;
    }

    /**
     * Examines a packet's structure: version, opcode, reserved bits, and whether its length fits its headers. Reads
     * nothing outside the packet. Values in the headers (numbers, keys, ranges) are the responder's to judge.
     *
     * @param b holds the packet
     * @param offset of its BTH
     * @param length bytes of the packet, any value
     * @return bytes of the headers (so that the payload starts at {@code offset +} that), or a fault below 0
     */
    public static int check(DirectBuffer b, int offset, int length) {
        return check(length < BthFlyweight.LENGTH ? null : of(BthFlyweight.opcode(b, offset)), b, offset, length);
    }

    /**
     * As {@link #check(DirectBuffer, int, int)}, for who has read the opcode already: a packet may lie in memory that
     * its sender has mapped, so what is checked must be what is used.
     *
     * @param opcode that the packet begins with; null if that is none, or it is too short for one
     */
    public static int check(@Nullable Opcode opcode, DirectBuffer b, int offset, int length) {
        if (length < BthFlyweight.LENGTH) {
            return TOO_SHORT;
        }
        if (BthFlyweight.version(b, offset) != BthFlyweight.VERSION) {
            return WRONG_VERSION;
        }
        if (opcode == null) {
            return UNKNOWN_OPCODE;
        }
        if (!BthFlyweight.reservedBitsAreZero(b, offset)) {
            return RESERVED_BITS;
        }
        int headers = opcode.headerLength;
        if (length < headers) {
            return HEADERS_CUT;
        }
        if (length == headers) {
            if (opcode.hasPayload() && opcode.position != Position.ONLY) {
                return PAYLOAD_MISSING;
            }
        } else if (!opcode.hasPayload()) {
            return PAYLOAD_UNEXPECTED;
        }
        if (opcode.aethOffset != ABSENT
                && !AethSyndrome.isKnown(AethFlyweight.syndrome(b, offset + opcode.aethOffset))) {
            return UNKNOWN_SYNDROME;
        }
        return headers;
    }

    /** A fault of {@link #check} in words. */
    public static String describe(int fault) {
        switch (fault) {
            case TOO_SHORT:
                return "shorter than a BTH";
            case WRONG_VERSION:
                return "unknown version";
            case UNKNOWN_OPCODE:
                return "unknown opcode";
            case RESERVED_BITS:
                return "reserved bits set";
            case HEADERS_CUT:
                return "ends before its headers do";
            case PAYLOAD_MISSING:
                return "payload missing";
            case PAYLOAD_UNEXPECTED:
                return "payload where there is none";
            case UNKNOWN_SYNDROME:
                return "unknown syndrome";
            default:
                return "no fault (" + fault + ')';
        }
    }

    /** The code on the wire, 0 to 255. */
    public int code() {
        return code;
    }

    /** What the packet is a part of. */
    public Family family() {
        return family;
    }

    /** Where the packet stands in its message. */
    public Position position() {
        return position;
    }

    /** Bytes of all headers, BTH included: the payload's offset in the packet. */
    public int headerLength() {
        return headerLength;
    }

    /** Offset of the {@link DethFlyweight} in the packet, or {@link #ABSENT}. */
    public int dethOffset() {
        return dethOffset;
    }

    /** Offset of the {@link RethFlyweight} in the packet, or {@link #ABSENT}. */
    public int rethOffset() {
        return rethOffset;
    }

    /** Offset of the {@link AtomicEthFlyweight} in the packet, or {@link #ABSENT}. */
    public int atomicEthOffset() {
        return atomicEthOffset;
    }

    /** Offset of the {@link AppendEthFlyweight} in the packet, or {@link #ABSENT}. */
    public int appendEthOffset() {
        return appendEthOffset;
    }

    /** Offset of the {@link SkipEthFlyweight} in the packet, or {@link #ABSENT}. */
    public int skipEthOffset() {
        return skipEthOffset;
    }

    /** Offset of the {@link AethFlyweight} in the packet, or {@link #ABSENT}. */
    public int aethOffset() {
        return aethOffset;
    }

    /** Offset of the {@link AtomicAckEthFlyweight} in the packet, or {@link #ABSENT}. */
    public int atomicAckEthOffset() {
        return atomicAckEthOffset;
    }

    /** Offset of the {@link ImmDtFlyweight} in the packet, or {@link #ABSENT}. */
    public int immOffset() {
        return immOffset;
    }

    /** Offset of the {@link IethFlyweight} in the packet, or {@link #ABSENT}. */
    public int iethOffset() {
        return iethOffset;
    }

    /**
     * The opcode of the same packet without its {@link AppendEthFlyweight}, for who knows what the header would say;
     * this one if there is none.
     */
    public Opcode again() {
        switch (this) {
            case APPEND_ONLY:
                return APPEND_ONLY_AGAIN;
            case APPEND_ONLY_IMMEDIATE:
                return APPEND_ONLY_AGAIN_IMMEDIATE;
            default:
                return this;
        }
    }

    /** Whether a requester sends it. */
    public boolean isRequest() {
        return family != Family.RESPONSE;
    }

    /** Whether a responder sends it. */
    public boolean isResponse() {
        return family == Family.RESPONSE;
    }

    /** Whether it starts a message: FIRST or ONLY. */
    public boolean startsMessage() {
        return position == Position.FIRST || position == Position.ONLY;
    }

    /** Whether it ends a message: LAST or ONLY. */
    public boolean endsMessage() {
        return position == Position.LAST || position == Position.ONLY;
    }

    /** Whether payload may follow the headers. */
    public boolean hasPayload() {
        return has(Table.PAYLOAD);
    }

    /** Whether an immediate is carried. */
    public boolean hasImmediate() {
        return has(Table.IMM);
    }

    /** Whether a key to invalidate is carried. */
    public boolean hasInvalidate() {
        return has(Table.IETH);
    }

    /** Whether a receive request is consumed at its end: SEND of any form, and WRITE with immediate. */
    public boolean consumesReceive() {
        return endsMessage() && (family == Family.SEND || (family == Family.WRITE && hasImmediate()));
    }

    /** Whether reliable connections allow it. */
    public boolean onRc() {
        return has(Table.RC);
    }

    /** Whether unreliable connections allow it. */
    public boolean onUc() {
        return has(Table.UC);
    }

    /** Whether unreliable datagrams allow it. */
    public boolean onUd() {
        return has(Table.UD);
    }

    /**
     * Whether a request may come right after another one on the same queue pair: inside a message only its own family
     * may go on, and outside a message only a start may come.
     *
     * @param previous the request before, or null if there was none
     */
    public boolean mayFollow(@Nullable Opcode previous) {
        if (previous == null || previous.endsMessage()) {
            return startsMessage();
        }
        return !startsMessage() && family == previous.family;
    }

    /**
     * Whether a request may come between the packets of another one, which then goes on: an APPEND in one packet
     * between those of an APPEND in several.
     *
     * @param previous the packet before of the one in several, or null if none is under way
     */
    public boolean mayInterrupt(@Nullable Opcode previous) {
        return previous != null
                && family == Family.APPEND
                && position == Position.ONLY
                && previous.family == Family.APPEND
                && !previous.endsMessage();
    }

    private boolean has(int trait) {
        return (traits & trait) != 0;
    }

    /** The bits of the table's last column; a class of its own, because constants of an enum cannot use its fields. */
    private static final class Table {
        static final int RC = 1;
        static final int UC = 1 << 1;
        static final int UD = 1 << 2;
        static final int RC_UC = RC | UC;
        static final int PAYLOAD = 1 << 3;
        static final int IMM = 1 << 4;
        static final int DETH = 1 << 5;
        static final int RETH = 1 << 6;
        static final int ATOMIC = 1 << 7;
        static final int APPEND = 1 << 8;
        static final int AETH = 1 << 9;
        static final int ATOMIC_ACK = 1 << 10;
        static final int IETH = 1 << 11;
        static final int SKIP = 1 << 12;

        private Table() {}
    }
}
