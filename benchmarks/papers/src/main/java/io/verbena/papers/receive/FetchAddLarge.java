package io.verbena.papers.receive;

import io.verbena.nic.Nic;
import org.agrona.BitUtil;

/**
 * Small messages through a shared receive queue; large ones into one buffer that all senders share, in which a sender
 * makes room by a fetch-and-add on a counter in the receiver's memory, and then writes (RIMA 5.2.1, the third option;
 * Table 6 row 4).
 *
 * <pre>
 *   sender                                            receiver
 *   FETCH_ADD made, bytes ────────────────────────▶   | made | taken |
 *          ◀───────────────────── position
 *   WRITE with immediate at position mod length ──▶   | number, message | number, message | ...   length | spare
 * </pre>
 *
 * <p>The buffer is a ring. A record that does not fit before the end goes on into the spare room behind it, which is as
 * long as the longest record: so a claim is always in one piece and nobody claims twice. The receiver takes records
 * back in the order of claims, and publishes up to where. A sender whose claim is more than a ring's length ahead of
 * that waits, reading the receiver's word, and writes when its room has come free; it is the only one who can use it. A
 * sender that dies between the two steps leaves a claim that nobody takes back, and in the end everybody waits for it:
 * this scheme has no remedy.
 */
public final class FetchAddLarge extends Scheme {
    /** Claims are multiples of this. */
    static final int UNIT = 64;

    /** Before each message: its number. */
    static final int HEADER = BitUtil.SIZE_OF_LONG;

    /** The counter of bytes claimed, in the receiver's words. */
    static final int MADE = 0;

    /** The counter of bytes taken back. */
    static final int TAKEN = BitUtil.CACHE_LINE_LENGTH;

    static final int WORDS_LENGTH = 2 * BitUtil.CACHE_LINE_LENGTH;

    private final int cut;
    private final int smallBuffers;
    private final int largest;
    private final int bufferLength;
    private final int places;

    /**
     * With the defaults of queue pairs.
     *
     * @param cut largest small message in bytes, at least {@value ControlMessage#LENGTH}
     * @param smallBuffers posted for small messages
     * @param largest message in bytes
     * @param bufferLength of the ring in bytes, a multiple of {@value #UNIT}, at least one record of the largest
     *     message
     * @param places large messages of a sender under way
     */
    public FetchAddLarge(int cut, int smallBuffers, int largest, int bufferLength, int places) {
        LargeMessageLimits.check(cut, largest, places);
        if (bufferLength % UNIT != 0) {
            throw new IllegalArgumentException("buffer of " + bufferLength + " bytes is no multiple of " + UNIT);
        }
        if (bufferLength < claim(largest)) {
            throw new IllegalArgumentException(
                    "buffer of " + bufferLength + " bytes < " + claim(largest) + " of the largest message");
        }
        if ((long) bufferLength + claim(largest) > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("buffer of " + bufferLength + " bytes and " + claim(largest)
                    + " to spare > maximum " + Integer.MAX_VALUE);
        }
        this.cut = cut;
        this.smallBuffers = smallBuffers;
        this.largest = largest;
        this.bufferLength = bufferLength;
        this.places = places;
    }

    /** Bytes that a message claims. */
    static int claim(int length) {
        return BitUtil.align(HEADER + length, UNIT);
    }

    @Override
    public String label() {
        return "large by fetch-and-add";
    }

    @Override
    public ReceiveScheme receiver(Nic nic) {
        return new FetchAddReceiver(label(), nic, settings, cut, smallBuffers, bufferLength, claim(largest));
    }

    @Override
    public SendScheme sender(Nic nic) {
        return new FetchAddSender(nic, settings, cut, largest, places);
    }
}
