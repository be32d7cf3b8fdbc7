package io.verbena.redis.backend;

import io.netty.channel.ManualIoEventLoop;
import io.verbena.ConnectionException;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's way to the shards by queue pairs: a node that lives on the worker's thread and event loop, and a client of
 * the store, connected when that thread first waits. The worker runs the shards that it has sent to and that nobody
 * else runs, so a command needs no thread hop.
 */
final class NodeBackend implements Backend {
    private static final Logger LOG = LoggerFactory.getLogger(NodeBackend.class);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration RECONNECT_TIMEOUT = Duration.ofMillis(100);
    private static final long RECONNECT_NANOS = 100_000_000;
    private static final int NONE = -1;

    private static final Duration OUTSTANDING_WAIT = Duration.ofMillis(1);

    private final Node node;
    private final KvServer server;
    private final boolean[] isLost;
    private boolean anyLost;
    private long nextReconnect = System.nanoTime();
    private @Nullable KvClient client;

    NodeBackend(Node node, KvServer server) {
        this.node = node;
        this.server = server;
        this.isLost = new boolean[server.shards()];
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
    public SendResult claim(int shard, int length) {
        return isLost[shard] ? SendResult.CLOSED : client().claim(shard, length);
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
        client().commit(); // if its shard has gone meanwhile, takeLost tells
    }

    @Override
    public SendResult send(
            int shard, DirectBuffer head, int headLength, DirectBuffer body, int bodyOffset, int bodyLength) {
        return isLost[shard] ? SendResult.CLOSED : client().send(shard, head, headLength, body, bodyOffset, bodyLength);
    }

    @Override
    public void abort() {
        client().abortClaim();
    }

    @Override
    public int takeLost() {
        KvClient connected = client;
        if (connected == null) {
            return NONE;
        }
        for (int shard = 0; shard < isLost.length; shard++) {
            if (!isLost[shard] && !connected.isConnected(shard)) {
                isLost[shard] = true;
                anyLost = true;
                return shard;
            }
        }
        return NONE;
    }

    /** Connects lost shards again, not too often. */
    private void reconnect(KvClient connected) {
        long now = System.nanoTime();
        if (now - nextReconnect < 0) {
            return;
        }
        nextReconnect = now + RECONNECT_NANOS;
        anyLost = false;
        for (int shard = 0; shard < isLost.length; shard++) {
            if (isLost[shard]) {
                try {
                    connected.reconnect(shard, RECONNECT_TIMEOUT);
                    isLost[shard] = false;
                } catch (ConnectionException e) {
                    anyLost = true;
                    LOG.warn("shard {} cannot be connected again: {}", shard, e.getMessage());
                }
            }
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
        KvClient connected = client();
        if (anyLost) {
            reconnect(connected);
        }
        int work = node.doWork();
        if (nanos > 0 && work == 0) {
            // A shard that waits for room is run by whoever waits for it.
            node.await(client().outstanding() > 0 ? OUTSTANDING_WAIT : Duration.ofNanos(nanos));
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
