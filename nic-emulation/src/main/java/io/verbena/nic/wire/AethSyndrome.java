package io.verbena.nic.wire;

/**
 * The syndrome of an {@link AethFlyweight}: kind in bits 6..5, value in bits 4..0, as InfiniBand packs them (volume 1,
 * 9.7.5.1.1); refusals are of the kind that it leaves free. Constants and tests on the plain byte; nothing is
 * allocated.
 *
 * <pre>
 *   bit   7      6 5     4 .. 0
 *         zero   00      credits (31: not counted)        ACK
 *                01      {@link RnrTimer} code            RNR NAK
 *                10      code of the error                refusal
 *                11      code of the error                NAK
 * </pre>
 */
public final class AethSyndrome {
    /** Positive acknowledgement; credits are not counted. */
    public static final int ACK = 0x1F;

    /** NAK: a packet is missing before this one; send again from the PSN in the BTH. */
    public static final int PSN_SEQUENCE_ERROR = 0x60;

    /** NAK: the request is malformed, not allowed on this queue pair, or too long. */
    public static final int INVALID_REQUEST = 0x61;

    /** NAK: remote key, protection domain, range or permission. */
    public static final int REMOTE_ACCESS_ERROR = 0x62;

    /** NAK: the responder could not do its part, such as a bad receive request of its own. */
    public static final int REMOTE_OPERATIONAL_ERROR = 0x63;

    /**
     * NAK: the responder gave up the message in parts, which had stood still for too long. A code that InfiniBand
     * leaves free.
     */
    public static final int REMOTE_ABORTED = 0x65;

    private static final int KIND_MASK = 0xE0;
    private static final int KIND_ACK = 0x00;
    private static final int KIND_RNR = 0x20;
    private static final int KIND_REFUSAL = 0x40;
    private static final int KIND_NAK = 0x60;
    private static final int VALUE_MASK = 0x1F;

    private AethSyndrome() {}

    /**
     * The syndrome of a receiver that is not ready.
     *
     * @param timerCode {@link RnrTimer} code, 0 to 31
     * @throws IllegalArgumentException if the code is out of range
     */
    public static int rnrNak(int timerCode) {
        if ((timerCode & ~VALUE_MASK) != 0) {
            throw new IllegalArgumentException("RNR timer code " + timerCode + " outside 0..31");
        }
        return KIND_RNR | timerCode;
    }

    /**
     * The syndrome of a refusal: a NAK of one request, after which the queue pair goes on.
     *
     * @param nak of an error
     */
    public static int refusal(int nak) {
        return KIND_REFUSAL | (nak & VALUE_MASK);
    }

    /** Whether one request was refused, and the queue pair goes on. */
    public static boolean isRefusal(int syndrome) {
        return (syndrome & KIND_MASK) == KIND_REFUSAL;
    }

    /** The NAK that says of which error a refusal is. */
    public static int nak(int refusal) {
        return KIND_NAK | (refusal & VALUE_MASK);
    }

    /** Whether this is a positive acknowledgement. */
    public static boolean isAck(int syndrome) {
        return (syndrome & KIND_MASK) == KIND_ACK;
    }

    /** Whether the receiver was not ready. */
    public static boolean isRnrNak(int syndrome) {
        return (syndrome & KIND_MASK) == KIND_RNR;
    }

    /** Whether this is a NAK, of a code that may be unknown. */
    public static boolean isNak(int syndrome) {
        return (syndrome & KIND_MASK) == KIND_NAK;
    }

    /** The {@link RnrTimer} code of an RNR NAK, 0 to 31. */
    public static int timerCode(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    /** Whether the syndrome is one that a responder may send. */
    public static boolean isKnown(int syndrome) {
        return isAck(syndrome)
                || isRnrNak(syndrome)
                || (isRefusal(syndrome) && isRequestError(nak(syndrome)))
                || syndrome == PSN_SEQUENCE_ERROR
                || isRequestError(syndrome);
    }

    private static boolean isRequestError(int nak) {
        return (nak >= INVALID_REQUEST && nak <= REMOTE_OPERATIONAL_ERROR) || nak == REMOTE_ABORTED;
    }

    /** The syndrome in words, for traces. */
    public static String describe(int syndrome) {
        if (isAck(syndrome)) {
            return "ACK";
        }
        if (isRnrNak(syndrome)) {
            return "RNR_NAK(" + timerCode(syndrome) + ')';
        }
        if (isRefusal(syndrome) && isKnown(syndrome)) {
            return "refusal: " + describe(nak(syndrome));
        }
        switch (syndrome) {
            case PSN_SEQUENCE_ERROR:
                return "NAK(PSN_SEQUENCE_ERROR)";
            case INVALID_REQUEST:
                return "NAK(INVALID_REQUEST)";
            case REMOTE_ACCESS_ERROR:
                return "NAK(REMOTE_ACCESS_ERROR)";
            case REMOTE_OPERATIONAL_ERROR:
                return "NAK(REMOTE_OPERATIONAL_ERROR)";
            case REMOTE_ABORTED:
                return "NAK(REMOTE_ABORTED)";
            default:
                return "unknown(" + syndrome + ')';
        }
    }
}
