package io.verbena.nic.append;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of one sender's messages may lie in a NIC's append queues, over all of its queue pairs: from the claim
 * of a message until a consumer has taken it. What is more waits at the sender, as if the queue were full. Only what
 * comes by packets counts: who has the queues mapped is trusted with them. What comes between the parts of a message
 * does not count against that message's bytes, which are free only behind it; so a sender that never ends its messages
 * may have twice as much.
 *
 * <p>Concurrency: any thread; engines take, consumers give back, a batch at a time.
 */
public final class SenderQuota implements AutoCloseable {
    /** Of senders that have none. */
    public static final SenderQuota NONE = new SenderQuota(new SenderQuotas(), 0, Long.MAX_VALUE);

    private final SenderQuotas quotas;
    private final int number;
    private final long limit;
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean closed;

    SenderQuota(SenderQuotas quotas, int number, long limit) {
        this.quotas = quotas;
        this.number = number;
        this.limit = limit;
    }

    /** What stands in the flags of records that count against it. */
    public int flags() {
        return number << RecordDescriptor.QUOTA_SHIFT;
    }

    /** Most bytes. */
    public long limit() {
        return limit;
    }

    /** Bytes that lie untaken, headers of records included. */
    public long bytes() {
        return bytes.get();
    }

    /** As {@link #tryTake(long, long)}, and all that was taken counts. */
    public boolean tryTake(long count) {
        return tryTake(count, 0);
    }

    /**
     * Takes bytes of it.
     *
     * @param apart bytes that were taken and do not count here: of a message that ends only behind this one
     * @return false if they are not available now; nothing is taken then
     */
    public boolean tryTake(long count, long apart) {
        if (number == 0) {
            return true;
        }
        if (bytes.addAndGet(count) - apart <= limit && !closed) {
            return true;
        }
        giveBack(count);
        return false;
    }

    /** Gives bytes back. */
    public void giveBack(long count) {
        if (number != 0 && bytes.addAndGet(-count) == 0 && closed) {
            quotas.free(this);
        }
    }

    /** Its sender appends nothing any more. Its number is used again when all that has come of it was taken. */
    @Override
    public void close() {
        if (number != 0) {
            closed = true;
            quotas.free(this);
        }
    }

    int number() {
        return number;
    }
}
