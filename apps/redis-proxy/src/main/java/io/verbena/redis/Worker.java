package io.verbena.redis;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ManualIoEventLoop;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.backend.Backend;
import io.verbena.redis.backend.ReplyHandler;
import io.verbena.redis.backend.Store;
import io.verbena.redis.resp.RespLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that serves clients and drives its way to the shards. A turn waits for sockets and replies, executes what the
 * sockets brought, sends the requests of all connections together, takes the replies that are there, and writes each
 * connection's replies once.
 *
 * <pre>
 *   sockets -> parse, dispatch -> {@link Backend#claim} ... -> {@link Backend#flush} -> {@link Backend#poll} -> sockets
 * </pre>
 *
 * <p>Everything but {@link #stop} and the getters of shared objects is for the worker's thread.
 */
final class Worker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final int REPLIES_A_POLL = 1024;
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int number;
    private final ProxyServer server;
    private final Settings settings;
    private final Thread thread;
    private final Backend backend;
    private final ManualIoEventLoop loop;
    private final WorkerStatistics statistics = new WorkerStatistics();
    private final ReadBuffer readBuffer = new ReadBuffer();
    private final WriterPool writers = new WriterPool(PooledByteBufAllocator.DEFAULT);
    private final Dispatcher dispatcher;
    private final ReplyHandler replyHandler;
    private final List<Connection> connections = new ArrayList<>();

    private List<Connection> dirty = new ArrayList<>();
    private List<Connection> batch = new ArrayList<>();
    private List<Connection> waiting = new ArrayList<>();
    private List<Connection> retried = new ArrayList<>();
    private long nowNanos = System.nanoTime();
    private long lastTick = nowNanos;
    private volatile long stopDeadline;
    private volatile boolean stopping;
    private volatile double commandsPerSecond;
    private long commandsAtTick;

    Worker(int number, ProxyServer server, Store store) {
        this.number = number;
        this.server = server;
        this.settings = server.settings();
        this.thread = new Thread(this, "verbena-redis-" + number);
        this.backend = store.open(number, thread);
        this.loop = backend.loop();
        this.dispatcher = new Dispatcher(this, backend);
        this.replyHandler = dispatcher::onReply;
    }
}
