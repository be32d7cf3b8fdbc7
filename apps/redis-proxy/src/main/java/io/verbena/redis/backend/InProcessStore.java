package io.verbena.redis.backend;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.store.Shard;
import java.util.List;
import org.agrona.DirectBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shards that the workers call directly, with no node and no queue pair in between: requests and replies as they are, without
 * the way, to test with and to measure the way against. A shard is locked while a worker runs it.
 */
public final class InProcessStore implements Store {
    private static final Logger LOG = LoggerFactory.getLogger(InProcessStore.class);
    private static final int HOUSEKEEPING_WORK = 1000;

    private final ShardSettings settings;
    private final Shard[] shards;
    private final boolean nativeTransport;

    /**
     * Creates empty shards.
     *
     * @param count number of shards
     * @param maxMemory bytes of all shards together, 0 for no limit
     * @param policy name of what happens when memory is full
     * @param nativeTransport whether epoll is used where there is one
     */
    public InProcessStore(int count, long maxMemory, String policy, boolean nativeTransport) {
        this.settings = new ShardSettings(count, maxMemory, policy);
        this.shards = new Shard[count];
        this.nativeTransport = nativeTransport;
        for (int i = 0; i < count; i++) {
            shards[i] = new Shard(settings.context(i), System::currentTimeMillis);
        }
    }

    @Override
    public Backend open(int worker, Thread owner) {
        final IoHandlerFactory factory =
                nativeTransport && Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new InProcessBackend(this, new ManualIoEventLoop(owner, factory));
    }

    void execute(int shard, DirectBuffer buffer, int offset, int length, ReplyEncoder reply) {
        final Shard executing = shards[shard];
        synchronized (executing) {
            try {
                executing.execute(buffer, offset, length, reply);
            } catch (ProtocolException e) {
                throw e;
            } catch (RuntimeException e) {
                // A bug in one operation: its client is told, the others are served.
                LOG.error("shard {}: {}", shard, e.toString(), e);
                reply.discard();
                reply.error("ERR internal error of the shard, see its log");
            }
        }
    }

    /** Does what need not be done within a request; true if there is more. */
    boolean housekeep() {
        boolean more = false;
        for (final Shard shard : shards) {
            synchronized (shard) {
                more |= shard.housekeep(System.currentTimeMillis(), HOUSEKEEPING_WORK) >= HOUSEKEEPING_WORK;
            }
        }
        return more;
    }

    @Override
    public int shards() {
        return shards.length;
    }

    @Override
    public void maxMemory(long bytes) {
        for (final Shard shard : shards) {
            synchronized (shard) {
                settings.maxMemory(bytes);
            }
        }
    }

    @Override
    public void maxMemoryPolicy(String policy) {
        for (final Shard shard : shards) {
            synchronized (shard) {
                settings.policy(policy);
            }
        }
    }

    @Override
    public List<String> policies() {
        return ShardSettings.POLICIES;
    }

    @Override
    public long usedMemory() {
        long sum = 0;
        for (final Shard shard : shards) {
            synchronized (shard) {
                sum += shard.usedMemory();
            }
        }
        return sum;
    }

    @Override
    public long keys(int database) {
        long sum = 0;
        for (final Shard shard : shards) {
            synchronized (shard) {
                sum += shard.keys(database);
            }
        }
        return sum;
    }

    @Override
    public long expiringKeys(int database) {
        long sum = 0;
        for (final Shard shard : shards) {
            synchronized (shard) {
                sum += shard.expiringKeys(database);
            }
        }
        return sum;
    }

    @Override
    public long expiredKeys() {
        long sum = 0;
        for (final Shard shard : shards) {
            synchronized (shard) {
                sum += shard.statistics().expired();
            }
        }
        return sum;
    }

    @Override
    public long evictedKeys() {
        long sum = 0;
        for (final Shard shard : shards) {
            synchronized (shard) {
                sum += shard.statistics().evicted();
            }
        }
        return sum;
    }

    @Override
    public void close() {
        for (final Shard shard : shards) {
            synchronized (shard) {
                shard.close();
            }
        }
    }
}
