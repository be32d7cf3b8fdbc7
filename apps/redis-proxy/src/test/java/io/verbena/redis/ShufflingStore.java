package io.verbena.redis;

import io.netty.channel.ManualIoEventLoop;
import io.verbena.SendResult;
import io.verbena.kv.client.ReplyHandler;
import io.verbena.redis.backend.Backend;
import io.verbena.redis.backend.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Shards whose replies come late and in any order between shards, and whose ways are full at times: what a worker sees
 * of shards that have threads of their own, from a seed.
 */
final class ShufflingStore implements Store {
    private final Store store;
    private final long seed;
    /** Times that there was no room. */
    final AtomicLong refusals = new AtomicLong();
    /** Replies that were handed over before one that was there earlier. */
    final AtomicLong overtakings = new AtomicLong();

    ShufflingStore(Store store, long seed) {
        this.store = store;
        this.seed = seed;
    }

    @Override
    public Backend open(int worker, Thread owner) {
        return new Shuffling(store.open(worker, owner), new SplittableRandom(seed + worker));
    }

    private final class Shuffling implements Backend {
        private final Backend backend;
        private final SplittableRandom random;
        private final List<byte[]> held = new ArrayList<>();
        private long outstanding;

        Shuffling(Backend backend, SplittableRandom random) {
            this.backend = backend;
            this.random = random;
        }

        @Override
        public int shards() {
            return backend.shards();
        }

        @Override
        public int shardOf(DirectBuffer buffer, int offset, int length) {
            return backend.shardOf(buffer, offset, length);
        }

        @Override
        public SendResult claim(int shard, int length) {
            // Only while replies are outstanding, as a full queue would be.
            if (outstanding > 0 && random.nextInt(8) == 0) {
                refusals.incrementAndGet();
                return SendResult.BACK_PRESSURED;
            }
            return backend.claim(shard, length);
        }

        @Override
        public MutableDirectBuffer claimBuffer() {
            return backend.claimBuffer();
        }

        @Override
        public int claimOffset() {
            return backend.claimOffset();
        }

        @Override
        public void commit() {
            backend.commit();
            outstanding++;
        }

        @Override
        public SendResult send(
                int shard, DirectBuffer head, int headLength, DirectBuffer body, int bodyOffset, int bodyLength) {
            if (outstanding > 0 && random.nextInt(8) == 0) {
                refusals.incrementAndGet();
                return SendResult.BACK_PRESSURED;
            }
            SendResult sent = backend.send(shard, head, headLength, body, bodyOffset, bodyLength);
            if (sent == SendResult.SENT) {
                outstanding++;
            }
            return sent;
        }

        @Override
        public void abort() {
            backend.abort();
        }

        @Override
        public int takeLost() {
            return backend.takeLost();
        }

        @Override
        public void flush() {
            backend.flush();
        }

        @Override
        public int poll(ReplyHandler handler, int limit) {
            backend.poll(
                    (buffer, offset, length) -> {
                        byte[] copy = new byte[length];
                        buffer.getBytes(offset, copy);
                        held.add(copy);
                    },
                    limit);
            int due = held.size() > 1000 ? held.size() / 2 : random.nextInt(held.size() + 1);
            for (int i = 0; i < due; i++) {
                int index = random.nextInt(held.size());
                if (index > 0) {
                    overtakings.incrementAndGet();
                }
                byte[] reply = held.remove(index);
                handler.onReply(new UnsafeBuffer(reply), 0, reply.length);
            }
            outstanding -= due;
            return due;
        }

        @Override
        public ManualIoEventLoop loop() {
            return backend.loop();
        }

        @Override
        public int await(long nanos) {
            return backend.await(held.isEmpty() ? nanos : 0);
        }

        @Override
        public void wake() {
            backend.wake();
        }

        @Override
        public void close() {
            backend.close();
        }
    }

    @Override
    public int shards() {
        return store.shards();
    }

    @Override
    public void maxMemory(long bytes) {
        store.maxMemory(bytes);
    }

    @Override
    public void maxMemoryPolicy(String policy) {
        store.maxMemoryPolicy(policy);
    }

    @Override
    public List<String> policies() {
        return store.policies();
    }

    @Override
    public long usedMemory() {
        return store.usedMemory();
    }

    @Override
    public long committedMemory() {
        return store.committedMemory();
    }

    @Override
    public long memoryBudget() {
        return store.memoryBudget();
    }

    @Override
    public long keys(int database) {
        return store.keys(database);
    }

    @Override
    public long expiringKeys(int database) {
        return store.expiringKeys(database);
    }

    @Override
    public long expiredKeys() {
        return store.expiredKeys();
    }

    @Override
    public long evictedKeys() {
        return store.evictedKeys();
    }

    @Override
    public void close() {
        store.close();
    }
}
