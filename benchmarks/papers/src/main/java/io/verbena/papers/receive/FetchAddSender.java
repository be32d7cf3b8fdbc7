package io.verbena.papers.receive;

import io.verbena.nic.Completion;
import io.verbena.nic.Nic;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.IntArrayQueue;

/**
 * The sender of {@link FetchAddLarge}. A large message goes through three steps, each at most once: it claims (a
 * fetch-and-add is under way), waits for its room (while a READ of the receiver's word is under way, one for all that
 * wait), and is written. Claims come in order, so that only the first of those that wait has to be looked at.
 */
final class FetchAddSender extends SenderEnd {
    private static final int NOBODY = -1;
    private static final long READ = -1; // a request's id, others are places

    private final int cut;
    private final int largest;
    private final MemoryRegion results; // a word a place, and one for the READ
    private final int readResult;
    private final IntArrayList free = new IntArrayList();
    private final IntArrayQueue claimed = new IntArrayQueue(NOBODY); // and not written
    private final long[] pieces;
    private final int[] lengths;
    private final long[] positions;
    private int ringKey;
    private int wordsKey;
    private int ringLength;
    private long taken; // as far as is known
    private boolean reading;

    FetchAddSender(Nic nic, SchemeSettings settings, int cut, int largest, int places) {
        super(nic, settings, 1, 1);
        this.cut = cut;
        this.largest = largest;
        results = domain.allocate((places + 1) * BitUtil.SIZE_OF_LONG, Access.LOCAL_WRITE);
        readResult = places * BitUtil.SIZE_OF_LONG;
        pieces = new long[places];
        lengths = new int[places];
        positions = new long[places];
        for (int i = places - 1; i >= 0; i--) {
            free.addInt(i);
        }
    }

    @Override
    long[] connected(SchemeAddress invitation) {
        ringKey = (int) invitation.word(1);
        wordsKey = (int) invitation.word(2);
        ringLength = (int) invitation.word(3);
        return super.connected(invitation);
    }

    @Override
    public boolean offer(DirectBuffer buffer, int offset, int length, int number) {
        checkLength(length, largest);
        if (length <= cut) {
            request.sendImmediate(number);
            return postMessage(lane(0), buffer, offset, length);
        }
        if (free.isEmpty()) {
            return false;
        }
        long piece = claim(FetchAddLarge.HEADER + length);
        if (piece == SourceRing.NONE) {
            return false;
        }
        int at = source.offset(piece);
        source.buffer().putLong(at, number);
        source.buffer().putBytes(at + FetchAddLarge.HEADER, buffer, offset, length);
        int place = free.getInt(free.size() - 1);
        request.fetchAdd(wordsKey, FetchAddLarge.MADE, FetchAddLarge.claim(length))
                .local(results.key(), (long) place * BitUtil.SIZE_OF_LONG, BitUtil.SIZE_OF_LONG)
                .wrId(place);
        if (!post(lane(0), SourceRing.NONE, false)) {
            source.unclaim(piece);
            return false;
        }
        free.removeAt(free.size() - 1);
        pieces[place] = piece;
        lengths[place] = length;
        accepted();
        return true;
    }

    @Override
    void onCompletion(Completion completion) {
        if (completion.wrId() == READ) {
            reading = false;
            taken = results.buffer().getLong(readResult);
        } else {
            int place = (int) completion.wrId();
            positions[place] = results.buffer().getLong(place * BitUtil.SIZE_OF_LONG);
            claimed.addInt(place);
        }
    }

    @Override
    void advance() {
        while (!claimed.isEmpty()) {
            int place = claimed.peekInt();
            if (positions[place] + FetchAddLarge.claim(lengths[place]) - taken > ringLength) {
                look();
                return;
            }
            int at = (int) (positions[place] % ringLength);
            request.writeImmediate(ringKey, at, at / FetchAddLarge.UNIT)
                    .local(source.key(), source.offset(pieces[place]), FetchAddLarge.HEADER + lengths[place])
                    .signaled(false);
            if (!post(lane(0), pieces[place], true)) {
                return;
            }
            claimed.removeInt();
            free.addInt(place);
        }
    }

    /** Asks how far the receiver has come. */
    private void look() {
        if (!reading) {
            request.read(wordsKey, FetchAddLarge.TAKEN)
                    .local(results.key(), readResult, BitUtil.SIZE_OF_LONG)
                    .wrId(READ);
            reading = post(lane(0), SourceRing.NONE, false);
        }
    }

    @Override
    void release() {
        domain.deregister(results);
    }
}
