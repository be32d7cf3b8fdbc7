package io.verbena.mux;

import io.verbena.nic.queue.SendRing;
import java.util.Arrays;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;

/**
 * Whose the requests are that lie in a shared queue pair's ring, and how much of a message each is: all of it, or a
 * segment. By the requests' numbers, of which there are as many at a time as the ring has places.
 *
 * <p>For each request there are two numbers and no reference: a collector that moves objects while programs run has to
 * know of references that are written, which may cost a full fence, and here one would be written with each message.
 *
 * <p>Under the engine's baton.
 */
final class Pieces {
    private static final int ENDS = 1 << 31;
    private static final int NOBODY = 0;

    private int[] streams = new int[64]; // of the owners
    private int[] pieces = new int[64]; // bytes, and whether they end a message
    private @Nullable EgressQueue[] queues = new EgressQueue[2]; // by stream
    private long oldest;

    Pieces() {}

    /** From here on requests may be of this queue. */
    void know(EgressQueue queue) {
        int stream = queue.stream();
        if (stream >= queues.length) {
            queues = Arrays.copyOf(queues, BitUtil.findNextPositivePowerOfTwo(stream + 1));
        }
        if (queues[stream] != queue) {
            queues[stream] = queue;
        }
    }

    /** No request is of the queue of this stream any more. */
    void forget(int stream) {
        if (stream < queues.length) {
            queues[stream] = null;
        }
    }

    /** The request that is posted next is a piece of a queue's, which was moved. */
    void add(SendRing ring, EgressQueue owner, int bytes) {
        if (streams.length < ring.capacity()) {
            grow(ring);
        }
        int at = at(ring.number());
        streams[at] = owner.stream();
        pieces[at] = owner.isCut() ? bytes : bytes | ENDS;
    }

    /** As many places as the ring has: the requests in it are those from {@code oldest} on. */
    private void grow(SendRing ring) {
        Pieces more = new Pieces();
        more.streams = new int[ring.capacity()];
        more.pieces = new int[ring.capacity()];
        for (long i = oldest; i < ring.number(); i++) {
            more.streams[more.at(i)] = streams[at(i)];
            more.pieces[more.at(i)] = pieces[at(i)];
        }
        streams = more.streams;
        pieces = more.pieces;
    }

    /** Number of the oldest. */
    long oldest() {
        return oldest;
    }

    /** Whose a request is; null if it is nobody's. */
    @Nullable
    EgressQueue owner(long number) {
        return queues[streams[at(number)]];
    }

    /** Bytes of a request. */
    int bytes(long number) {
        return pieces[at(number)] & ~ENDS;
    }

    /** Whether a request ends its message. */
    boolean ends(long number) {
        return (pieces[at(number)] & ENDS) != 0;
    }

    /** The oldest is complete. */
    void removeOldest() {
        streams[at(oldest++)] = NOBODY;
    }

    /** A request has left the ring again. */
    void remove(long number) {
        streams[at(number)] = NOBODY;
    }

    private int at(long number) {
        return (int) number & (streams.length - 1);
    }
}
