package io.verbena.papers.receive;

import io.verbena.nic.Nic;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;

/** The sender of {@link PerSenderBuffers}. */
final class PerSenderSender extends SenderEnd {
    private final int largest;
    private final MemoryRegion credit; // the receiver's counter of bytes consumed
    private int ringKey;
    private int ringLength;
    private long written;
    private long consumed;

    PerSenderSender(Nic nic, SchemeSettings settings, int largest) {
        super(nic, settings, 1, 1);
        this.largest = largest;
        credit = domain.allocate(BitUtil.CACHE_LINE_LENGTH, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    }

    @Override
    long[] connected(SchemeAddress invitation) {
        ringKey = (int) invitation.word(1);
        ringLength = (int) invitation.word(2);
        return new long[] {invitation.word(0), credit.key()};
    }

    @Override
    public boolean offer(DirectBuffer buffer, int offset, int length, int number) {
        checkLength(length, largest);
        int needed = PerSenderBuffers.record(length);
        int at = (int) (written % ringLength);
        int skipped = needed > ringLength - at ? ringLength - at : 0;
        consumed = Math.max(consumed, credit.buffer().getLongVolatile(0));
        // Where nothing is unread, what is skipped is no loss of room.
        long kept = consumed == written ? 0 : written + skipped - consumed;
        if (kept + needed > ringLength) {
            return false;
        }
        long piece = claim(PerSenderBuffers.HEADER + length);
        if (piece == SourceRing.NONE) {
            return false;
        }
        int from = source.offset(piece);
        source.buffer().putLong(from, number);
        source.buffer().putBytes(from + PerSenderBuffers.HEADER, buffer, offset, length);
        int to = skipped > 0 ? 0 : at;
        request.writeImmediate(ringKey, to, to / PerSenderBuffers.UNIT)
                .local(source.key(), from, PerSenderBuffers.HEADER + length)
                .signaled(false);
        if (!post(lane(0), piece, true)) {
            source.unclaim(piece);
            return false;
        }
        written += skipped + needed;
        accepted();
        return true;
    }

    @Override
    void release() {
        domain.deregister(credit);
    }
}
