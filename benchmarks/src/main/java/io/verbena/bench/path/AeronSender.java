package io.verbena.bench.path;

import io.aeron.Publication;
import io.aeron.logbuffer.BufferClaim;
import io.verbena.bench.BenchException;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Puts messages into a publication: a claim and a copy where a message is one fragment, an offer where it is more. For one
 * thread; a concurrent publication may have several.
 */
final class AeronSender {
    private final Publication publication;
    private final int length;
    private final boolean claims;
    private final UnsafeBuffer message;
    private final BufferClaim claim = new BufferClaim();

    AeronSender(Publication publication, int length) {
        if (length > publication.maxMessageLength()) {
            throw new BenchException(
                    "length " + length + " > maximum " + publication.maxMessageLength() + " of Aeron's publication");
        }
        this.publication = publication;
        this.length = length;
        claims = length <= publication.maxPayloadLength();
        message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
    }

    boolean offer(long number) {
        Stamp.put(message, 0, length, number);
        long result;
        if (claims) {
            result = publication.tryClaim(length, claim);
            if (result >= 0) {
                claim.buffer().putBytes(claim.offset(), message, 0, length);
                claim.commit();
                return true;
            }
        } else {
            result = publication.offer(message, 0, length);
        }
        if (result < 0 && result != Publication.BACK_PRESSURED && result != Publication.ADMIN_ACTION) {
            throw new BenchException("Aeron refuses a message: " + Publication.errorString(result));
        }
        return result >= 0;
    }
}
