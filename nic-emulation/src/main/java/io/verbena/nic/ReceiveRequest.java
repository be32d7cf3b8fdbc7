package io.verbena.nic;

import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.ReceiveWqeDescriptor;
import io.verbena.nic.queue.SendWqeDescriptor;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A work request for a receive queue ({@code ibv_post_recv(3)}): mutable and reusable, copied when it is posted. Its
 * entries are filled in order; without entries it takes empty messages only.
 *
 * <pre>{@code
 *   qp.postReceive(request.clear().wrId(7).local(key, 0, 64).local(key, 4096, 4096));
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class ReceiveRequest {
    private static final int INITIAL_ENTRIES = 4;

    private long wrId;
    private int entries;
    private int[] keys = new int[INITIAL_ENTRIES];
    private int[] lengths = new int[INITIAL_ENTRIES];
    private long[] offsets = new long[INITIAL_ENTRIES];

    /** Creates a request without entries. */
    public ReceiveRequest() {}

    /** Starts a new request: forgets entries and id. */
    public ReceiveRequest clear() {
        wrId = 0;
        entries = 0;
        return this;
    }

    /** Sets the id that the completion carries. */
    public ReceiveRequest wrId(long id) {
        wrId = id;
        return this;
    }

    /**
     * Adds a scatter/gather entry.
     *
     * @param key local key
     * @param offset in the region, bytes
     * @param length bytes, at least 0
     */
    public ReceiveRequest local(int key, long offset, int length) {
        checkLength(length);
        if (entries == keys.length) {
            keys = Arrays.copyOf(keys, entries * 2);
            lengths = Arrays.copyOf(lengths, entries * 2);
            offsets = Arrays.copyOf(offsets, entries * 2);
        }
        keys[entries] = key;
        offsets[entries] = offset;
        lengths[entries++] = length;
        return this;
    }

    private static void checkLength(int length) {
        if (length < 0) {
            throw new IllegalArgumentException("length " + length + " < minimum 0");
        }
    }

    /** Copies the request to a ring. */
    PostResult post(ReceiveRing ring) {
        if (entries > ring.maxSge()) {
            throw new IllegalArgumentException(entries + " scatter/gather entries > maximum " + ring.maxSge());
        }
        long total = 0;
        for (int i = 0; i < entries; i++) {
            total += lengths[i];
        }
        if (total > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("receive of " + total + " bytes > maximum " + Integer.MAX_VALUE);
        }
        int slot = ring.claim();
        if (slot < 0) {
            return PostResult.QUEUE_FULL;
        }
        UnsafeBuffer b = ring.buffer();
        header(b, slot, wrId, entries, (int) total);
        int entry = slot + ReceiveWqeDescriptor.DATA;
        for (int i = 0; i < entries; i++, entry += SendWqeDescriptor.SGE_LENGTH) {
            entry(b, entry, keys[i], offsets[i], lengths[i]);
        }
        ring.publish();
        return PostResult.POSTED;
    }

    /** Copies requests to a ring, up to the first for which there is no room. */
    static int post(ReceiveRing ring, List<ReceiveRequest> requests) {
        for (int i = 0; i < requests.size(); i++) {
            try {
                if (requests.get(i).post(ring) != PostResult.POSTED) {
                    return i;
                }
            } catch (IllegalArgumentException e) {
                throw new BadRequestException(i, e);
            }
        }
        return requests.size();
    }

    /** Puts a request of one entry into a ring. */
    static PostResult post(ReceiveRing ring, long wrId, int key, long offset, int length) {
        checkLength(length);
        int slot = ring.claim();
        if (slot < 0) {
            return PostResult.QUEUE_FULL;
        }
        UnsafeBuffer b = ring.buffer();
        header(b, slot, wrId, 1, length);
        entry(b, slot + ReceiveWqeDescriptor.DATA, key, offset, length);
        ring.publish();
        return PostResult.POSTED;
    }

    private static void header(UnsafeBuffer b, int slot, long wrId, int entries, int length) {
        b.putLong(slot + ReceiveWqeDescriptor.WR_ID, wrId);
        b.putInt(slot + ReceiveWqeDescriptor.SGE_COUNT, entries);
        b.putInt(slot + ReceiveWqeDescriptor.LENGTH, length);
    }

    private static void entry(UnsafeBuffer b, int entry, int key, long offset, int length) {
        b.putInt(entry + SendWqeDescriptor.SGE_KEY, key);
        b.putInt(entry + SendWqeDescriptor.SGE_BYTES, length);
        b.putLong(entry + SendWqeDescriptor.SGE_OFFSET, offset);
    }
}
