package io.verbena.nic.append;

import static io.verbena.nic.append.RecordDescriptor.*;

/**
 * What the records that a consumer has taken counted against their senders' quotas, until it is given back: once a
 * batch, or when a record of another sender follows.
 *
 * <p>Concurrency: as {@link RecordWalk}'s.
 */
final class QuotaReturns {
    private final TailPointerTable owner;
    private int quota; // number of the one that the bytes are of
    private long bytes;

    QuotaReturns(TailPointerTable owner) {
        this.owner = owner;
    }

    /**
     * A record is taken, and its sender may send so much more when the batch is over.
     *
     * @param flags of the record, which say whose quota it counts against, if any
     */
    void owe(int flags, int payloadLength) {
        int number = flags >>> QUOTA_SHIFT;
        if (number == 0) {
            return;
        }
        if (number != quota) {
            giveBack();
            quota = number;
        }
        bytes += alignedLength(payloadLength);
    }

    /** The record taken last is not taken after all. */
    void untake(int flags, int payloadLength) {
        if (flags >>> QUOTA_SHIFT != 0) {
            bytes -= alignedLength(payloadLength);
        }
    }

    void giveBack() {
        if (bytes != 0) {
            SenderQuota known = owner.quotas().find(quota);
            if (known != null) {
                known.giveBack(bytes);
            }
            bytes = 0;
        }
    }
}
