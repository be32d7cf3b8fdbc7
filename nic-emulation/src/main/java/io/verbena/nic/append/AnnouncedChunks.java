package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;

import io.verbena.nic.memory.ControlBlock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one queue that have a sequence, by which appenders find them in the chunk table.
 *
 * <pre>
 *   retired ........ head ........ tail ........ announced
 *                      │   unread    │  clean reserve │
 *                      └─────── chunk table ──────────┘
 * </pre>
 *
 * <p>A queue that shares the NIC's {@linkplain SharedReserve reserve} has none ahead of the tail while it is hardly
 * used. When an append finds no next chunk, {@link #supply} takes one from there. When the queue is idle it
 * {@linkplain #rest rests}: head and tail go to the end of an {@linkplain Chunk#empty empty} chunk, and all others can
 * be given back. A peer that appends directly and finds no next chunk {@linkplain OfferedChunks takes} an offered one;
 * whoever meets it here first {@linkplain #adopt adopts} it.
 *
 * <p>Concurrency: {@link #chunk} and {@link #announced} for maintenance and the consumer, {@link #retire} for
 * maintenance, {@link #rest} for the consumer, {@link #supply} for any engine of the owner, {@link #adopt} for all of
 * them. Whoever announces holds a flag for as long as that takes, which is some stores.
 */
final class AnnouncedChunks {
    /** Looks at the flag before it counts as taken. */
    private static final int MAX_SPINS = 1000;

    /** Chunks ahead of the tail that direct initiators may take: as many as a queue with a reserve of its own has. */
    private static final int LENT = AppendQueueAttributes.DEFAULT_RESERVE;

    /** Likewise where the queue maps none: the first one too. */
    private static final int LENT_TO_RESTING = 1 + LENT;

    private static final VarHandle ANNOUNCING;

    static {
        try {
            ANNOUNCING = MethodHandles.lookup().findVarHandle(AnnouncedChunks.class, "announcing", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AtomicBuffer table;
    private final SharedReserve shared;
    private final OfferedChunks offers;
    private final Footprint footprint;
    private final int queueId;
    private final int queue;
    private final int chunkLength;
    private final int mask;
    private final @Nullable Chunk[] ring;
    private volatile int retired;
    private volatile int announced;

    @SuppressWarnings("unused")
    private volatile boolean announcing;

    private volatile boolean shares; // the NIC's reserve
    private volatile boolean busy; // it has gone through a chunk of late
    private volatile boolean wanted; // an append has found no chunk, and none to be taken

    AnnouncedChunks(ControlBlock control, SharedReserve shared, Footprint footprint, int queueId, int chunkLength) {
        this.table = control.buffer();
        this.shared = shared;
        this.offers = shared.offers();
        this.footprint = footprint;
        this.queueId = queueId;
        this.queue = control.queueOffset(queueId);
        this.chunkLength = chunkLength;
        this.mask = control.limits().maxChunksPerQueue() - 1;
        this.ring = new Chunk[mask + 1];
        this.retired = table.getInt(queue + NEXT_SEQUENCE_OFFSET);
        this.announced = retired;
        table.putInt(queue + SHARES_RESERVE_OFFSET, 0);
        offers.clear(queue);
    }

    /** The sequence after the last announced chunk. */
    int announced() {
        return announced;
    }

    /** The sequence of the first chunk that is not retired; the announced one if there is none. */
    int retired() {
        return retired;
    }

    /** An announced chunk that the head has not left. */
    Chunk chunk(int sequence) {
        Chunk chunk = ring[sequence & mask];
        if (chunk == null || chunk.sequence != sequence) {
            throw new IllegalStateException(
                    "append queue " + queueId + " has no chunk " + sequence + ", announced up to " + announced);
        }
        return chunk;
    }

    /** Whether fewer chunks than needed lie ahead of a tail, and there is a place for one. */
    boolean isShort(int tailSequence, int needed) {
        return announced - 1 - tailSequence < needed && announced - retired <= mask;
    }

    /** Whether there is no place for another chunk. */
    boolean isRound() {
        return announced - retired > mask;
    }

    private boolean begin() {
        for (int spins = 0; spins < MAX_SPINS; spins++) {
            if (!announcing && ANNOUNCING.compareAndSet(this, false, true)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private void end() {
        ANNOUNCING.setRelease(this, false);
    }

    /**
     * Begins or ends to share the NIC's reserve.
     *
     * @return false if somebody else announces just now: to be tried again
     */
    boolean share(boolean does) {
        if (does == shares) {
            return true;
        }
        if (!begin()) {
            return false;
        }
        if (does) {
            shared.enter(chunkLength);
        } else {
            lend(0);
            footprint.owes(0);
            shared.leave(chunkLength);
            if (isResting()) {
                shared.woke(chunkLength);
            }
        }
        shares = does;
        table.putIntRelease(queue + SHARES_RESERVE_OFFSET, does ? 1 : 0);
        end();
        return true;
    }

    /** Whether the queue shares the NIC's reserve. Any thread. */
    boolean shares() {
        return shares;
    }

    /** Whether the queue has gone through a chunk of late, as far as {@link #quiet} has not ended that. Any thread. */
    boolean isBusy() {
        return busy;
    }

    /** The queue goes through no chunks at present. */
    void quiet() {
        busy = false;
    }

    /** Whether an append has waited for a chunk since the last call. */
    boolean takeWanted() {
        boolean was = wanted;
        if (was) {
            wanted = false;
        }
        return was;
    }

    /** An append still waits for a chunk. */
    void want() {
        wanted = true;
    }

    /** Announces a clean chunk, if they are still {@linkplain #isShort short}. */
    boolean announce(Chunk chunk, int tailSequence, int needed) {
        if (!begin()) {
            return false;
        }
        boolean does = isShort(tailSequence, needed) && close() && isShort(tailSequence, needed);
        if (does) {
            announce(chunk);
        }
        lend(LENT_TO_RESTING);
        end();
        return does;
    }

    /** Whether a peer has taken a chunk for a sequence that is not announced yet. Any thread. */
    boolean isTaken(int sequence) {
        return offers.taken(queue, queueId, sequence, chunkLength) != OfferedChunks.NONE;
    }

    /**
     * Announces the chunks that peers have taken for the queue. Any thread of the owner.
     *
     * @return whether there were any; false also if somebody else announces just now
     */
    boolean adopt() {
        if (!isTaken(announced) || !begin()) {
            return false;
        }
        boolean any = adoptAll();
        lend(LENT_TO_RESTING);
        end();
        return any;
    }

    private boolean adoptAll() {
        boolean any = false;
        while (announced - retired <= mask) {
            int sequence = announced;
            int offer = offers.taken(queue, queueId, sequence, chunkLength);
            if (offer == OfferedChunks.NONE) {
                break;
            }
            Chunk chunk = shared.adopt(chunkLength, offer);
            if (chunk != null) {
                busy |= !isResting();
                footprint.adjust(chunkLength); // whatever the limits are: what was lent leaves room for it
                announce(chunk);
                any = true;
            }
            offers.adopted(queue, sequence, offer); // last: who no longer finds it there finds it announced
        }
        return any;
    }

    /** Whether a chunk that is offered may still be adopted, as far as is known. By the allocator. */
    boolean mayAdopt(int offer) {
        if (!begin()) {
            return true;
        }
        boolean may = false;
        for (int i = 0; i < WANTED; i++) {
            may |= offers.taken(queue, queueId, announced + i, chunkLength) == offer;
        }
        end();
        return may;
    }

    /** Sees to it that no peer takes a chunk for the next sequence; false if there is no place for it. */
    private boolean close() {
        while (!offers.close(queue, queueId, announced, chunkLength)) {
            if (!adoptAll()) {
                return false;
            }
        }
        return true;
    }

    /** Lends to direct initiators what the limits allow, if that is not what they have. By maintenance. */
    void lendAgain() {
        boolean rests = shares && isResting();
        if (!offers.isLent(queue, announced, lendable(rests), rests) && begin()) {
            lend(LENT_TO_RESTING);
            end();
        }
    }

    private int lendable(boolean rests) {
        int places = mask + 1 - (announced - retired);
        int most = rests ? LENT_TO_RESTING : LENT;
        return shares ? footprint.lendable(chunkLength, Math.min(most, places), rests) : 0;
    }

    /** Lends at most so many sequences. */
    private void lend(int most) {
        if (!shares) {
            return;
        }
        do {
            boolean rests = isResting();
            int count = Math.min(most, lendable(rests));
            footprint.owes((long) Math.max(count, rests ? 1 : 0) * chunkLength);
            offers.lend(queue, queueId, announced, count, rests, chunkLength);
        } while (adoptAll()); // what was taken and is not lent any more
    }

    /** Announces one of the first chunks of a queue that nobody knows yet. */
    void announce(Chunk chunk) {
        int sequence = announced;
        if (shares && isResting()) {
            shared.woke(chunkLength);
        }
        chunk.sequence = sequence;
        ring[sequence & mask] = chunk;
        int entry = chunkEntry(queue, sequence, mask);
        table.putInt(entry + CHUNK_SEGMENT_OFFSET, chunk.segment.id());
        table.putLong(entry + CHUNK_POSITION_OFFSET, 0);
        table.putIntRelease(entry + CHUNK_SEQUENCE_OFFSET, sequence);
        announced = sequence + 1;
        table.putIntRelease(queue + NEXT_SEQUENCE_OFFSET, sequence + 1);
    }

    /** A queue that nobody knows yet maps no chunk. */
    void beginResting() {
        announceEmpty();
        lend(LENT_TO_RESTING);
    }

    /** Gives the next sequence to no memory; no append looks for it. */
    private Chunk announceEmpty() {
        int sequence = announced;
        Chunk chunk = Chunk.empty();
        chunk.sequence = sequence;
        ring[sequence & mask] = chunk;
        announced = sequence + 1;
        table.putIntRelease(queue + NEXT_SEQUENCE_OFFSET, sequence + 1);
        shared.rests(chunkLength);
        return chunk;
    }

    /** Takes the first chunk that is not retired out of the chunk table. */
    Chunk retire() {
        int sequence = retired;
        Chunk chunk = chunk(sequence);
        withdraw(sequence);
        retired = sequence + 1; // from now on the entry may be another's
        return chunk;
    }

    /** No sequence that belongs at this entry equals the next one. */
    void withdraw(int sequence) {
        ring[sequence & mask] = null;
        table.putIntRelease(chunkEntry(queue, sequence, mask) + CHUNK_SEQUENCE_OFFSET, sequence + 1);
    }

    /** Whether the last sequence is that of an empty chunk: the queue has none that an append may go into. */
    boolean isResting() {
        int last = announced - 1;
        Chunk chunk = ring[last & mask];
        return chunk != null && chunk.isEmpty() && chunk.sequence == last;
    }

    /**
     * An append has found no chunk of a sequence, the one after its tail's: takes it from the reserve that the NIC's
     * queues share. Any engine of the owner.
     *
     * @return whether it is announced
     */
    boolean supply(int sequence) {
        if (!shares || !begin()) {
            return false;
        }
        try {
            if (adoptAll()) {
                return true; // perhaps what was missing
            }
            if (!shares || announced != sequence || !close() || announced != sequence) {
                return announced - sequence > 0;
            }
            boolean first = isResting();
            Chunk chunk = announced - retired > mask ? null : take(first);
            if (chunk == null) {
                wanted = true;
                return false;
            }
            announce(chunk);
            busy |= !first;
            return true;
        } finally {
            lend(LENT_TO_RESTING);
            end();
        }
    }

    /**
     * Takes a chunk of the NIC's reserve, if the queue shares it.
     *
     * @param first whether the queue has none that an append may go into
     */
    @Nullable
    Chunk take(boolean first) {
        if (!shares || !footprint.reserve(chunkLength)) {
            return null;
        }
        Chunk chunk = shared.take(chunkLength, first);
        if (chunk == null) {
            footprint.release(chunkLength);
        }
        return chunk;
    }

    /**
     * Moves the tail of an idle queue to the end of an empty chunk, so that all its memory can be given back. By the
     * consumer, which follows with the head at once.
     *
     * @param tail of the drained queue
     * @return the empty chunk; null if the tail has moved, or the queue rests or shares nothing
     */
    @Nullable
    Chunk rest(long tail) {
        if (!begin()) {
            return null;
        }
        try {
            if (!shares || adoptAll() || !close() || announced - retired > mask || isResting()) {
                return null;
            }
            int sequence = announced;
            Chunk chunk = announceEmpty(); // first: no tail is ever seen in a sequence that is not announced
            if (table.compareAndSetLong(queue + TAIL_OFFSET, tail, position(sequence, chunkLength))) {
                return chunk;
            }
            shared.woke(chunkLength);
            announced = sequence; // nobody has used it: the tail was not there
            table.putIntRelease(queue + NEXT_SEQUENCE_OFFSET, sequence);
            ring[sequence & mask] = null;
            return null;
        } finally {
            lend(LENT_TO_RESTING);
            end();
        }
    }
}
