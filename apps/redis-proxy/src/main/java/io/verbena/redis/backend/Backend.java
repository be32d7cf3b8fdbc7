package io.verbena.redis.backend;

import io.netty.channel.ManualIoEventLoop;
import io.verbena.SendResult;
import io.verbena.kv.client.ReplyHandler;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A worker's way to the shards. Requests are written where they travel from ({@link #claim}), go out together with
 * {@link #flush}, and their replies come back, in any order, from {@link #poll}.
 *
 * <p>A backend belongs to the thread that drives its event loop; all methods but {@link #wake} are for that thread. No
 * method blocks but {@link #await}.
 */
public interface Backend extends AutoCloseable {
    /**
     * Number of shards.
     *
     * @return at least 1, constant
     */
    int shards();

    /**
     * The shard that owns a key.
     *
     * @param buffer that holds the key
     * @param offset of its first byte
     * @param length in bytes
     * @return 0 to {@link #shards()} - 1
     */
    int shardOf(DirectBuffer buffer, int offset, int length);

    /**
     * Reserves room for a request. Each successful claim is followed by {@link #commit} or {@link #abort} before
     * anything else is called. Runs nothing of the loop.
     *
     * @param shard that is to execute the request
     * @param length of the request in bytes
     * @return SENT if there is room; BACK_PRESSURED if the way to the shard is full: poll and try again; CLOSED if the
     *     shard cannot be reached
     */
    SendResult claim(int shard, int length);

    /**
     * Where the claimed room lies.
     *
     * @return buffer; valid until {@link #commit}
     */
    MutableDirectBuffer claimBuffer();

    /**
     * Where the claimed room starts.
     *
     * @return offset in {@link #claimBuffer()}
     */
    int claimOffset();

    /** Completes the claimed request. It may stay behind until {@link #flush}. */
    void commit();

    /**
     * Sends a request in two parts, of which the second is copied no more often than it must be. Nothing is claimed. It
     * may stay behind until {@link #flush}.
     *
     * @param shard that is to execute the request
     * @param head the first part, from offset 0
     * @param headLength in bytes
     * @param body holds what follows
     * @param bodyOffset of its first byte
     * @param bodyLength in bytes
     * @return SENT; BACK_PRESSURED: not now; CLOSED: the shard cannot be reached
     */
    SendResult send(int shard, DirectBuffer head, int headLength, DirectBuffer body, int bodyOffset, int bodyLength);

    /** Gives the claimed room back. */
    void abort();

    /**
     * Tells which shard was lost since the last call, once all its replies are polled, and has it connected again soon.
     * Requests that it has not answered will not be.
     *
     * @return number of the shard; -1 if none was lost
     */
    int takeLost();

    /** Sends what was committed. */
    void flush();

    /**
     * Hands over replies that have arrived.
     *
     * @param handler called for each
     * @param limit most replies
     * @return number of replies
     */
    int poll(ReplyHandler handler, int limit);

    /**
     * The loop on which client connections are registered; {@link #await} drives it.
     *
     * @return always the same
     */
    ManualIoEventLoop loop();

    /**
     * Runs what is ready: sockets and their handlers, tasks and the way to the shards. Blocks if there is nothing,
     * until there is, or a reply arrives, or {@link #wake} is called, or the time is over.
     *
     * @param nanos longest wait; 0 does not block
     * @return amount of work done
     */
    int await(long nanos);

    /** Ends a running or the next {@link #await}. Any thread. */
    void wake();

    @Override
    void close();
}
