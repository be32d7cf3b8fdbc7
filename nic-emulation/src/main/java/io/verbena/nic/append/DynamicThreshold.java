package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.distance;
import static io.verbena.nic.append.AppendQueueDescriptor.offset;
import static io.verbena.nic.append.AppendQueueDescriptor.position;
import static io.verbena.nic.append.AppendQueueDescriptor.sequence;

import org.jspecify.annotations.Nullable;

/**
 * What one sender may have in a queue that is full for several: four times what is free there, as switches share a
 * buffer among ports (dynamic thresholds, Choudhury and Hahne, 1998). Senders that flood a queue so have equal parts of
 * it, whoever asks how often and for how much, and a ninth stays free beside two of them, for whoever comes. A consumer
 * takes what came first, so parts of the queue are parts of what is taken. Where a sender's groups are told apart
 * ({@link PeerShare}), each has its weight's part of that: of those of its sender's that have asked for room since as
 * much was taken as the queue holds.
 *
 * <p>From the queue's first refusal on, until it has been empty; before, and for a sender whose bytes alone are there,
 * nothing is bounded. A sender may exceed its part by one run.
 *
 * <p>Concurrency: as its appender. Allocates nothing after the first refusal.
 */
public final class DynamicThreshold {
    private static final int FACTOR = 4;
    private static final int MARKS = 64; // a power of two

    private final @Nullable PeerShare peer; // whose part this is; null: it is the sender's whole share
    private int weight = 1;
    private int askedKey; // of the queue that it has asked for room last
    private long asked; // its head then

    private int key; // of the queue
    private int chunkLength;
    private long capacity; // bytes that were there when it was full; 0: it was not since it was empty
    private long end; // of what this sender appended last
    private long foreign; // behind which there is nothing of another sender
    private long appended; // bytes since the refusal
    private long taken; // of them, by the marks

    // Where bytes of this sender end, and how many they are by then.
    private long[] positions = {};
    private long[] totals = {};
    private int first;
    private int count;

    /** Creates the share of a sender of which nothing is known yet. */
    DynamicThreshold() {
        this(null);
    }

    /** Creates the part of one of a peer's groups. */
    DynamicThreshold(@Nullable PeerShare peer) {
        this.peer = peer;
    }

    void weight(int value) {
        weight = value;
    }

    int weight() {
        return weight;
    }

    /** Whether it has asked for room in the queue of that key since this many bytes were taken from it. */
    boolean hasAsked(int queueKey, long head, int chunk, long bytes) {
        return askedKey == queueKey && distance(asked, head, chunk) <= bytes;
    }

    /** The queue of that key was full. */
    void refused(int queueKey, long head, long tail, int chunk) {
        long unread = distance(head, tail, chunk);
        if (unread <= 0) {
            return; // it is not the senders who fill it
        }
        if (capacity == 0 || key != queueKey) {
            key = queueKey;
            chunkLength = chunk;
            end = tail;
            foreign = head; // until another appends
            appended = 0;
            taken = 0;
            first = 0;
            count = 0;
            if (positions.length == 0) {
                positions = new long[MARKS];
                totals = new long[MARKS];
            }
        }
        capacity = unread;
    }

    /** Whether it may append to the queue of that key now. */
    boolean admits(int queueKey, long head, long tail) {
        askedKey = queueKey;
        asked = head;
        if (capacity == 0 || key != queueKey) {
            return true;
        }
        long unread = distance(head, tail, chunkLength);
        if (unread <= 0) {
            capacity = 0;
            return true;
        }
        while (count > 0 && distance(positions[first], head, chunkLength) >= 0) {
            taken = totals[first];
            first = (first + 1) & (MARKS - 1);
            count--;
        }
        return (tail == end && distance(foreign, head, chunkLength) >= 0)
                || appended - taken <= part(FACTOR * (capacity - unread), head);
    }

    /** Its part of what its sender may have. */
    private long part(long bytes, long head) {
        return peer == null ? bytes : bytes * weight / peer.weights(key, head, chunkLength, capacity);
    }

    /** It has appended to the queue of that key, at a tail. */
    void appended(int queueKey, long from, int bytes) {
        if (capacity == 0 || key != queueKey) {
            return;
        }
        long to = offset(from) + bytes > chunkLength ? position(sequence(from) + 1, bytes) : from + bytes;
        if (from != end) {
            foreign = from;
        }
        end = to;
        appended += bytes;
        int last = (first + count - 1) & (MARKS - 1);
        long before = count > 1 ? totals[(last - 1) & (MARKS - 1)] : taken;
        if (count > 0 && (count == MARKS || totals[last] - before < capacity / (MARKS / 2))) {
            positions[last] = to;
            totals[last] = appended;
        } else {
            int next = (first + count++) & (MARKS - 1);
            positions[next] = to;
            totals[next] = appended;
        }
    }
}
