package io.verbena.papers.receive;

import io.verbena.nic.Nic;
import org.agrona.BitUtil;

/**
 * A buffer of its own at the receiver for each sender, which writes into it as into a ring and is told what was
 * consumed (RIMA 5.2.1, Table 6 row 5): nobody waits for anybody's memory, and all of it is held for as long as there
 * are senders.
 *
 * <pre>
 *   sender                                               receiver, for this sender
 *   WRITE with immediate ────────────────────────────▶   | number, message | number, message | ...
 *   | consumed | ◀─────────────── WRITE of a counter
 * </pre>
 *
 * <p>A record that does not fit before the end of the ring begins at its start; the receiver sees that by its place.
 */
public final class PerSenderBuffers extends Scheme {
    /** Records begin at multiples of this, and are numbered by it in immediate data. */
    static final int UNIT = BitUtil.SIZE_OF_LONG;

    /** Before each message: its number. */
    static final int HEADER = BitUtil.SIZE_OF_LONG;

    private final int largest;
    private final int bufferLength;

    /**
     * With the defaults of queue pairs.
     *
     * @param largest message in bytes
     * @param bufferLength of a sender's buffer in bytes: a multiple of {@value #UNIT}, at least one record of the
     *     largest message, which is {@value #HEADER} bytes longer
     */
    public PerSenderBuffers(int largest, int bufferLength) {
        if (bufferLength % UNIT != 0) {
            throw new IllegalArgumentException("buffer of " + bufferLength + " bytes is no multiple of " + UNIT);
        }
        if (largest < 0 || bufferLength < record(largest)) {
            throw new IllegalArgumentException(
                    "buffer of " + bufferLength + " bytes < " + record(largest) + " of the largest message " + largest);
        }
        this.largest = largest;
        this.bufferLength = bufferLength;
    }

    /** Bytes that a message takes. */
    static int record(int length) {
        return BitUtil.align(HEADER + length, UNIT);
    }

    @Override
    public String label() {
        return "a buffer a sender";
    }

    @Override
    public ReceiveScheme receiver(Nic nic) {
        return new PerSenderReceiver(label(), nic, settings, bufferLength);
    }

    @Override
    public SendScheme sender(Nic nic) {
        return new PerSenderSender(nic, settings, largest);
    }
}
