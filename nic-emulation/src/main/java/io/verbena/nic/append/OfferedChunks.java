package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.memory.ControlDescriptor.OFFERS_PER_LENGTH;
import static io.verbena.nic.memory.ControlDescriptor.OFFER_LENGTHS;
import static io.verbena.nic.memory.ControlDescriptor.OFFER_SEGMENT_OFFSET;
import static io.verbena.nic.memory.ControlDescriptor.OFFER_WORD_OFFSET;

import io.verbena.nic.memory.ControlBlock;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Clean chunks of the {@linkplain SharedReserve shared reserve} that direct initiators may take for a queue, so that an
 * append to a queue that maps nothing waits for nobody.
 *
 * <pre>
 *   wanted word of sequence s:   older ──► (s, offer, its generation) ──► ... ──► closed
 *   offer:                       empty ──► offered, generation ──► taken, (queue, s) ──► empty
 * </pre>
 *
 * <p>An initiator says in the queue's wanted word which offer the sequence is to get, and then turns that offer from
 * offered to taken, both by compare-and-set. If somebody else's queue has the offer by then, the word is turned to
 * another one. The offer of a wanted word that is taken for the queue and the sequence is its chunk, for all who look;
 * so whatever an initiator that dies has done is either nothing or all. The owner adopts such a chunk, which is
 * announcing it, closes the sequence and empties the offer. It closes the sequence of any other chunk before it
 * announces that: from then on nobody takes one for it.
 *
 * <p>The generation of an offer changes whenever it is filled, so a compare-and-set that comes late fails. A wanted
 * word's sequence only grows, but for a closed one that the owner opens again.
 *
 * <p>Concurrency: {@link #taken} and {@link #take} for any thread of any process; {@link #close}, {@link #lend} for
 * whoever announces chunks of the queue; the offers are filled and emptied by the owner's reserve. Allocates nothing.
 */
final class OfferedChunks {
    /** Most offers of a length that only queues may have that map no chunk. */
    static final int KEPT = 4;

    /** No offer, no segment. */
    static final int NONE = -1;

    /** Nothing is lent; see {@link AppendQueueDescriptor#LENT_OFFSET}. */
    static final int LENT_NOTHING = 0;

    /** Sequences are lent. */
    static final int LENT = 1;

    /** They are, and the queue maps no chunk. */
    static final int LENT_TO_RESTING = 2;

    private static final int MIN_BITS = Integer.numberOfTrailingZeros(AppendQueueAttributes.MIN_CHUNK_LENGTH);
    private static final int GENERATION_BITS = 23;
    private static final int MAX_GENERATION = (1 << GENERATION_BITS) - 1;
    private static final int CLOSED = -1;
    private static final long OFFERED = 1L << 62;
    private static final long TAKEN = Long.MIN_VALUE;
    private static final int MAX_TRIES = 1 << 10;

    private final ControlBlock control;
    private final AtomicBuffer table;

    OfferedChunks(ControlBlock control) {
        this.control = control;
        this.table = control.buffer();
    }

    /** The first offer of a length. */
    static int first(int chunkLength) {
        int index = Integer.numberOfTrailingZeros(chunkLength) - MIN_BITS;
        if (index < 0 || index >= OFFER_LENGTHS) {
            throw new IllegalArgumentException("chunk length " + chunkLength);
        }
        return index * OFFERS_PER_LENGTH;
    }

    private int wordOffset(int offer) {
        return control.offerOffset(offer) + OFFER_WORD_OFFSET;
    }

    private static int wantedOffset(int queue, int sequence) {
        return queue + WANTED_OFFSET + (sequence & WANTED - 1) * Long.BYTES;
    }

    private static long takenWord(int queueId, int sequence) {
        return TAKEN | position(queueId, sequence);
    }

    private static long offeredWord(int generation) {
        return OFFERED | generation;
    }

    private static boolean isOffered(long word) {
        return word > 0 && (word & OFFERED) != 0;
    }

    /** The offer that a wanted word names, or NONE if that is none of the length. */
    private static int offerOf(long wanted, int chunkLength) {
        int offer = offset(wanted) >>> GENERATION_BITS;
        int first = first(chunkLength);
        return offset(wanted) == CLOSED || offer < first || offer >= first + OFFERS_PER_LENGTH ? NONE : offer;
    }

    // ---- for everyone -----------------------------------------------------------------------------------------------

    /** The offer that is taken for a sequence of a queue, or NONE. */
    int taken(int queue, int queueId, int sequence, int chunkLength) {
        long wanted = table.getLongVolatile(wantedOffset(queue, sequence));
        if (sequence(wanted) != sequence) {
            return NONE;
        }
        int offer = offerOf(wanted, chunkLength);
        return offer != NONE && isTakenFor(offer, queueId, sequence) ? offer : NONE;
    }

    private boolean isTakenFor(int offer, int queueId, int sequence) {
        return table.getLongVolatile(wordOffset(offer)) == takenWord(queueId, sequence);
    }

    /** The segment of the chunk that is taken for a sequence of a queue, or NONE. */
    int segment(int queue, int queueId, int sequence, int chunkLength) {
        int offer = taken(queue, queueId, sequence, chunkLength);
        if (offer == NONE) {
            return NONE;
        }
        int segment = table.getInt(control.offerOffset(offer) + OFFER_SEGMENT_OFFSET);
        return isTakenFor(offer, queueId, sequence) ? segment : NONE;
    }

    /**
     * Takes a chunk for a sequence of a queue, if the owner lends one.
     *
     * @return whether one is taken, by whomever
     */
    boolean take(int queue, int queueId, int sequence, int chunkLength) {
        long lent = table.getLongVolatile(queue + LENT_OFFSET);
        int ahead = sequence(lent) - sequence;
        if (offset(lent) == LENT_NOTHING || ahead <= 0 || ahead > WANTED) {
            return false;
        }
        boolean isFirst =
                offset(lent) == LENT_TO_RESTING && table.getIntVolatile(queue + NEXT_SEQUENCE_OFFSET) == sequence;
        int at = wantedOffset(queue, sequence);
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            long wanted = table.getLongVolatile(at);
            int later = sequence(wanted) - sequence;
            if (later > 0 || (later == 0 && offset(wanted) == CLOSED)) {
                return false;
            }
            if (later == 0 && settles(offerOf(wanted, chunkLength), wanted, queueId)) {
                return true;
            }
            long other = find(chunkLength, isFirst, sequence);
            if (other == 0) {
                return false;
            }
            table.compareAndSetLong(at, wanted, other);
        }
        return false;
    }

    /** Takes the wanted offer, if it is still to be had; whether it is taken. */
    private boolean settles(int offer, long wanted, int queueId) {
        if (offer == NONE) {
            return false;
        }
        long taken = takenWord(queueId, sequence(wanted));
        table.compareAndSetLong(wordOffset(offer), offeredWord(offset(wanted) & MAX_GENERATION), taken);
        return table.getLongVolatile(wordOffset(offer)) == taken;
    }

    /** What a wanted word says of an offer that is to be had; 0 if there is none. */
    private long find(int chunkLength, boolean isFirst, int sequence) {
        int first = first(chunkLength);
        for (int i = OFFERS_PER_LENGTH - 1; i >= (isFirst ? 0 : KEPT); i--) { // the kept ones come last
            long word = table.getLongVolatile(wordOffset(first + i));
            if (isOffered(word)) {
                int generation = (int) word & MAX_GENERATION;
                return position(sequence, (first + i) << GENERATION_BITS | generation);
            }
        }
        return 0;
    }

    // ---- for the owner ----------------------------------------------------------------------------------------------

    /**
     * From now on nobody takes a chunk for a sequence.
     *
     * @return false if one is taken already
     */
    boolean close(int queue, int queueId, int sequence, int chunkLength) {
        int at = wantedOffset(queue, sequence);
        while (true) {
            long wanted = table.getLongVolatile(at);
            int later = sequence(wanted) - sequence;
            if (later > 0 || (later == 0 && offset(wanted) == CLOSED)) {
                return true;
            }
            // Who has seen that word may still take the offer: so it is taken, or nobody will.
            if (later == 0 && settles(offerOf(wanted, chunkLength), wanted, queueId)) {
                return false;
            }
            if (table.compareAndSetLong(at, wanted, position(sequence, CLOSED))) {
                return true;
            }
        }
    }

    /**
     * Lends so many sequences to direct initiators, and no others.
     *
     * @param announced the first sequence that is not announced
     * @param count 0 to {@link AppendQueueDescriptor#WANTED}
     * @param isResting whether the queue maps no chunk
     */
    void lend(int queue, int queueId, int announced, int count, boolean isResting, int chunkLength) {
        int how = count == 0 ? LENT_NOTHING : isResting ? LENT_TO_RESTING : LENT;
        for (int i = 0; i < count; i++) {
            open(queue, announced + i);
        }
        table.putLongVolatile(queue + LENT_OFFSET, position(announced + count, how));
        for (int i = WANTED - 1; i >= count; i--) { // from behind: nothing is taken behind what is not
            close(queue, queueId, announced + i, chunkLength);
        }
    }

    /** Whether that is what {@link #lend} has said last. */
    boolean isLent(int queue, int announced, int count, boolean isResting) {
        int how = count == 0 ? LENT_NOTHING : isResting ? LENT_TO_RESTING : LENT;
        long lent = table.getLong(queue + LENT_OFFSET);
        return offset(lent) == how && (count == 0 || sequence(lent) == announced + count);
    }

    /** A sequence that was closed and has not been announced can be taken again. */
    private void open(int queue, int sequence) {
        int at = wantedOffset(queue, sequence);
        if (table.getLongVolatile(at) == position(sequence, CLOSED)) {
            table.putLongVolatile(at, position(sequence - WANTED, CLOSED));
        }
    }

    /** Nothing is lent of a queue that is about to be made. */
    void clear(int queue) {
        table.putLongVolatile(queue + LENT_OFFSET, 0);
    }

    /** Whether an offer has a chunk that nobody has taken. */
    boolean isOffered(int offer) {
        return isOffered(table.getLongVolatile(wordOffset(offer)));
    }

    /** Whether an offer has no chunk. */
    boolean isEmpty(int offer) {
        return table.getLongVolatile(wordOffset(offer)) == 0;
    }

    /** Fills an empty offer. */
    void fill(int offer, int segment, int generation) {
        table.putInt(control.offerOffset(offer) + OFFER_SEGMENT_OFFSET, segment);
        table.putLongVolatile(wordOffset(offer), offeredWord(1 + (generation & 0x7FFF_FFFF) % MAX_GENERATION));
    }

    /** Takes a chunk back that is offered; false if it is not, any more. */
    boolean withdraw(int offer) {
        long word = table.getLongVolatile(wordOffset(offer));
        return isOffered(word) && table.compareAndSetLong(wordOffset(offer), word, 0);
    }

    /** The chunk of an offer that was taken for a sequence is announced: nobody looks for it here any more. */
    void adopted(int queue, int sequence, int offer) {
        table.putLongVolatile(wantedOffset(queue, sequence), position(sequence, CLOSED)); // first: no other is wanted
        empty(offer);
    }

    /** Empties an offer. */
    void empty(int offer) {
        table.putLongVolatile(wordOffset(offer), 0);
    }

    /** The queue that an offer is taken for, as its taker says; NONE if it is not taken. */
    int queue(int offer) {
        long word = table.getLongVolatile(wordOffset(offer));
        return word < 0 ? (int) (word >>> 32) & Integer.MAX_VALUE : NONE;
    }
}
