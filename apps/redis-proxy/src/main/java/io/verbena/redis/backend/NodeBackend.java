package io.verbena.redis.backend;

import io.netty.channel.ManualIoEventLoop;
import io.verbena.Node;
import io.verbena.SendResult;
import io.verbena.kv.KeyHash;
import io.verbena.kv.client.KvClient;
import io.verbena.kv.client.ReplyHandler;
import io.verbena.kv.server.KvServer;
import java.time.Duration;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A worker's way to the shards by queue pairs: a node that lives on the worker's thread and event loop, and a client of
 * the store, connected when that thread first waits. The worker runs the shards that it has sent to and that nobody else
 * runs, so a command needs no thread hop.
 */
final class NodeBackend implements Backend {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private static final long OUTSTANDING_WAIT_NANOS = 1_000_000;

    private final Node node;
    private final KvServer server;
    private @Nullable KvClient client;

    NodeBackend(Node node, KvServer server) {
        this.node = node;
        this.server = server;
    }

    @Override
    public int shards() {
        return server.shards();
    }

    @Override
    public int shardOf(DirectBuffer buffer, int offset, int length) {
        return KeyHash.shardOf(buffer, offset, length, server.shards());
    }

    @Override
    public boolean claim(int shard, int length) {
        final SendResult result = client().claim(shard, length);
        if (result == SendResult.CLOSED) {
            throw new IllegalStateException("shard " + shard + " cannot be reached");
        }
        return result == SendResult.SENT;
    }

    @Override
    public MutableDirectBuffer claimBuffer() {
        return client().claimBuffer();
    }

    @Override
    public int claimOffset() {
        return client().claimOffset();
    }

    @Override
    public void commit() {
        if (client().commit() != SendResult.SENT) {
            throw new IllegalStateException("a shard of this process has gone"); // no reply would ever come
        }
    }

    @Override
    public void flush() {
        client().flush();
    }

    @Override
    public int poll(ReplyHandler handler, int limit) {
        return client().poll(handler, limit);
    }

    @Override
    public ManualIoEventLoop loop() {
        return node.eventLoop();
    }

    @Override
    public int await(long nanos) {
        client();
        int work = node.doWork();
        if (nanos > 0 && work == 0) {
            // A shard that waits for room is run by whoever waits for it.
            node.await(client().outstanding() > 0 ? Math.min(nanos, OUTSTANDING_WAIT_NANOS) : nanos);
            work = node.doWork();
        }
        return work;
    }

    @Override
    public void wake() {
        node.wake();
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
        node.close();
    }

    private KvClient client() {
        KvClient connected = client;
        if (connected == null) {
            connected = KvClient.connect(node, server, CONNECT_TIMEOUT);
            client = connected;
        }
        return connected;
    }
}
