package io.verbena.redis.backend;

import io.netty.channel.ManualIoEventLoop;
import io.verbena.kv.KeyHash;
import io.verbena.kv.client.ReplyHandler;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyEncoder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A worker's queue of requests to shards in the same process; {@link #poll} executes them. */
final class InProcessBackend implements Backend {
    private static final int CAPACITY = 1 << 20;
    private static final int ALIGNMENT = 8;
    private static final int FIRST_REQUESTS = 256;

    private final InProcessStore store;
    private final ManualIoEventLoop loop;
    private final ReplyEncoder reply = new ReplyEncoder();
    private final UnsafeBuffer queue = new UnsafeBuffer(ByteBuffer.allocateDirect(CAPACITY));
    private UnsafeBuffer large = new UnsafeBuffer(0, 0);
    private int[] shards = new int[FIRST_REQUESTS];
    private int[] lengths = new int[FIRST_REQUESTS];
    private int[] offsets = new int[FIRST_REQUESTS];
    private int requests;
    private int flushed;
    private int next;
    private int tail;
    private int claimShard;
    private int claimLength;
    private boolean claimLarge;
    private boolean moreHousekeeping;

    InProcessBackend(InProcessStore store, ManualIoEventLoop loop) {
        this.store = store;
        this.loop = loop;
    }

    @Override
    public int shards() {
        return store.shards();
    }

    @Override
    public int shardOf(DirectBuffer buffer, int offset, int length) {
        return KeyHash.shardOf(buffer, offset, length, store.shards());
    }

    @Override
    public boolean claim(int shard, int length) {
        claimLarge = length > CAPACITY;
        if (claimLarge) {
            // Too large for the queue: travels alone.
            if (requests > 0) {
                return false;
            }
            large = new UnsafeBuffer(ByteBuffer.allocateDirect(length));
        } else if (length > CAPACITY - tail || large.capacity() > 0) {
            return false;
        }
        claimShard = shard;
        claimLength = length;
        return true;
    }

    @Override
    public MutableDirectBuffer claimBuffer() {
        return claimLarge ? large : queue;
    }

    @Override
    public int claimOffset() {
        return claimLarge ? 0 : tail;
    }

    @Override
    public void commit() {
        if (requests == shards.length) {
            shards = Arrays.copyOf(shards, requests * 2);
            lengths = Arrays.copyOf(lengths, requests * 2);
            offsets = Arrays.copyOf(offsets, requests * 2);
        }
        shards[requests] = claimShard;
        lengths[requests] = claimLength;
        offsets[requests++] = claimOffset();
        if (!claimLarge) {
            tail += BitUtil.align(claimLength, ALIGNMENT);
        }
    }

    @Override
    public void flush() {
        flushed = requests;
    }

    @Override
    public int poll(ReplyHandler handler, int limit) {
        int done = 0;
        while (next < flushed && done < limit) {
            final UnsafeBuffer buffer = large.capacity() > 0 ? large : queue;
            final int index = next++;
            try {
                store.execute(shards[index], buffer, offsets[index], lengths[index], reply);
            } catch (ProtocolException e) {
                throw new IllegalStateException("the proxy made a request that a shard cannot read", e);
            }
            handler.onReply(reply.buffer(), 0, reply.length());
            done++;
        }
        if (next == requests) {
            requests = 0;
            flushed = 0;
            next = 0;
            tail = 0;
            if (large.capacity() > 0) {
                large = new UnsafeBuffer(0, 0);
            }
        }
        return done;
    }

    @Override
    public ManualIoEventLoop loop() {
        return loop;
    }

    @Override
    public int await(long nanos) {
        if (nanos <= 0 || next < requests || moreHousekeeping) {
            moreHousekeeping = store.housekeep();
            return loop.runNow();
        }
        final int work = loop.run(nanos);
        if (work == 0) {
            moreHousekeeping = store.housekeep();
        }
        return work;
    }

    @Override
    public void wake() {
        loop.wakeup();
    }

    @Override
    public void close() {
        reply.close();
    }
}
