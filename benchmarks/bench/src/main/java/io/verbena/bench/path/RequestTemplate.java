package io.verbena.bench.path;

import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.MemoryRegion;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The request of one verb that is posted over and over. Short data goes inline, long data from slots of a registered
 * region, which hold the message already but for its number: as an application would have composed it there.
 */
final class RequestTemplate {
    /** Whether data goes inline. */
    final boolean inline;

    private final PathVerb verb;
    private final int length;
    private final RegionLayout layout;
    private final int key;
    private final UnsafeBuffer message;
    private final UnsafeBuffer memory;
    private final SendRequest request = new SendRequest();

    private int remoteQueue;
    private int remoteQueueKey;
    private int remoteKey;

    RequestTemplate(PathVerb verb, int length, boolean inline, RegionLayout layout, MemoryRegion region) {
        this.verb = verb;
        this.length = length;
        this.inline = inline;
        this.layout = layout;
        this.key = region.key();
        this.memory = new UnsafeBuffer(region.buffer(), 0, (int) region.length());
        memory.setMemory(0, memory.capacity(), (byte) 0); // every page is there before it is timed
        this.message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
    }

    /** What requests name at the other end: its append queue, or its region. */
    void remote(int queue, int queueKey, int regionKey) {
        remoteQueue = queue;
        remoteQueueKey = queueKey;
        remoteKey = regionKey;
    }

    /**
     * Fills the request.
     *
     * @param slot of the message
     * @param stamp that the message carries
     * @param signaled whether a request without a message at the other end completes here
     */
    SendRequest fill(int slot, long stamp, boolean signaled) {
        if (verb.isMessage()) {
            message(slot, stamp);
        } else {
            access(slot, stamp);
            request.wrId(stamp).signaled(signaled);
        }
        return request;
    }

    private void message(int slot, long stamp) {
        if (verb == PathVerb.APPEND) {
            request.append(remoteQueue, remoteQueueKey);
        } else {
            request.send();
        }
        request.signaled(false);
        put(slot, stamp);
    }

    /** Puts the message where it is sent from. */
    private void put(int slot, long stamp) {
        if (inline) {
            Stamp.put(message, 0, length, stamp);
            request.inline(message, 0, length);
        } else {
            int source = layout.source(slot);
            Stamp.put(memory, source, length, stamp);
            request.local(key, source, length);
        }
    }

    private void access(int slot, long stamp) {
        int source = layout.source(slot);
        switch (verb) {
            case WRITE -> {
                request.write(remoteKey, layout.target(slot));
                put(slot, stamp);
            }
            case READ -> {
                memory.putLong(source, ~stamp);
                memory.putLong(source + length - Long.BYTES, ~stamp);
                request.read(remoteKey, layout.target(slot)).local(key, source, length);
            }
            default -> { // all of a queue pair add to one word
                int first = slot & -layout.slots();
                request.fetchAdd(remoteKey, layout.target(first), 1).local(key, source, length);
            }
        }
    }

    /** A READ of the other's memory to the scratch, for what is not measured. */
    SendRequest readBack(int remoteOffset, long wrId) {
        return request.read(remoteKey, remoteOffset)
                .local(key, layout.scratch(), length)
                .wrId(wrId)
                .signaled(true);
    }
}
