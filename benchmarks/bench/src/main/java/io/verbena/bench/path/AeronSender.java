package io.verbena.bench.path;

import io.aeron.Publication;
import io.verbena.verification.RunException;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Puts messages into a publication by an offer: a claim, with a copy of the payload into it, was no faster at 1 KiB and
 * slower at 32 bytes. For one thread; a concurrent publication may have several.
 */
final class AeronSender {
    private final Publication publication;
    private final int length;
    private final UnsafeBuffer message;

    AeronSender(Publication publication, int length) {
        if (length > publication.maxMessageLength()) {
            throw new RunException(
                    "length " + length + " > maximum " + publication.maxMessageLength() + " of Aeron's publication");
        }
        this.publication = publication;
        this.length = length;
        message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
    }

    boolean offer(long number) {
        Stamp.put(message, 0, length, number);
        long result = publication.offer(message, 0, length);
        if (result < 0 && result != Publication.BACK_PRESSURED && result != Publication.ADMIN_ACTION) {
            throw new RunException("Aeron refuses a message: " + Publication.errorString(result));
        }
        return result >= 0;
    }
}
