package io.verbena.nic.memory;

import io.verbena.nic.port.MemoryExhaustedException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many bytes of a NIC's memory what belongs to one group may take, and how many it has taken: allocated regions,
 * chunks of append queues, long messages and those that arrive in parts.
 *
 * <p>Thread-safe; not for the data path.
 */
public final class MemoryQuota {
    private final String group;
    private final AtomicLong used = new AtomicLong();
    private final LongAdder refusals = new LongAdder();
    private volatile long limit;

    /**
     * Creates a quota of which nothing is taken.
     *
     * @param group whose it is, for messages
     * @param limit bytes
     */
    public MemoryQuota(String group, long limit) {
        this.group = group;
        this.limit = limit;
    }

    /** Sets the limit; what is taken beyond a lower one stays until it is given back. */
    public void limit(long bytes) {
        limit = bytes;
    }

    /** Bytes that are taken. */
    public long used() {
        return used.get();
    }

    /** How often memory was refused. */
    public long refusals() {
        return refusals.sum();
    }

    /** Counts a refusal for another reason than bytes. */
    public void refused() {
        refusals.increment();
    }

    /** Whether this many bytes would be granted now. */
    public boolean hasRoom(long bytes) {
        return bytes <= limit - used.get();
    }

    /** The limit. */
    public long limit() {
        return limit;
    }

    /** Takes bytes; false if the limit does not let it. */
    public boolean tryReserve(long bytes) {
        long is = used.get();
        while (bytes <= limit - is) {
            if (used.compareAndSet(is, is + bytes)) {
                return true;
            }
            is = used.get();
        }
        refusals.increment();
        return false;
    }

    /**
     * Takes bytes.
     *
     * @throws MemoryExhaustedException if the limit does not let it; names group and limit
     */
    public void reserve(long bytes) {
        if (!tryReserve(bytes)) {
            throw exhausted(bytes);
        }
    }

    /** Says why bytes are not available. */
    public MemoryExhaustedException exhausted(long bytes) {
        return new MemoryExhaustedException("group " + group + " wanted " + bytes + " bytes, and has " + used.get()
                + " of its " + limit + "; raise its maxMemory");
    }

    /** Corrects what was taken by what it really came to, or gives back. */
    public void adjust(long difference) {
        used.addAndGet(difference);
    }
}
