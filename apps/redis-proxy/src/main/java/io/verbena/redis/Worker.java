package io.verbena.redis;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.kv.client.ReplyHandler;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.backend.Backend;
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
    private static final long STOP_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ProxyServer server;
    private final Settings settings;
    private final Thread thread;
    private final Backend backend;
    private final ManualIoEventLoop loop;
    private final WorkerStatistics statistics = new WorkerStatistics();
    private final ReadBuffer readBuffer = new ReadBuffer();
    private final WriterPool writers = new WriterPool(ByteBufAllocator.DEFAULT);
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
        this.server = server;
        this.settings = server.settings();
        this.thread = new FastThreadLocalThread(this, "verbena-redis-" + number);
        this.backend = store.open(number, thread);
        this.loop = backend.loop();
        this.dispatcher = new Dispatcher(this, backend);
        this.replyHandler = dispatcher::onReply;
    }

    void start() {
        thread.start();
    }

    @Override
    public void run() {
        try {
            while (!isDone()) {
                turn();
            }
        } catch (RuntimeException | Error e) {
            LOG.error("a worker ends: {}", e.toString(), e);
            server.failed(e);
        } finally {
            end();
        }
    }

    private void turn() {
        backend.await(waitNanos());
        nowNanos = System.nanoTime();
        backend.flush();
        int replies;
        do {
            replies = backend.poll(replyHandler, REPLIES_A_POLL);
            retry();
            endBatch();
            // What was retried or read on has to go out too before this thread waits.
            backend.flush();
        } while (replies > 0);
        if (nowNanos - lastTick >= TICK_NANOS) {
            tick();
        }
    }

    private long waitNanos() {
        if (stopping || !dirty.isEmpty() || !waiting.isEmpty()) {
            return dirty.isEmpty() ? STOP_POLL_NANOS : 0;
        }
        return Math.max(0, TICK_NANOS - (nowNanos - lastTick));
    }

    /** Tries the commands again that found no room on their way. */
    private void retry() {
        if (waiting.isEmpty()) {
            return;
        }
        final List<Connection> list = waiting;
        waiting = retried;
        retried = list;
        for (int i = 0; i < list.size(); i++) {
            list.get(i).resume();
        }
        list.clear();
    }

    private void endBatch() {
        final List<Connection> list = dirty;
        dirty = batch;
        batch = list;
        for (int i = 0; i < list.size(); i++) {
            final Connection connection = list.get(i);
            try {
                connection.endOfBatch();
            } catch (RuntimeException e) {
                LOG.error("client {}: {}", connection.session().address(), e.toString(), e);
                connection.close(CloseReason.INTERNAL_ERROR, e.toString());
            }
        }
        list.clear();
    }

    private void tick() {
        final long commands = statistics.get(Counter.COMMANDS);
        // A cleared counter starts below where it was.
        commandsPerSecond = Math.max(0, commands - commandsAtTick) * 1e9 / (nowNanos - lastTick);
        commandsAtTick = commands;
        lastTick = nowNanos;
        for (int i = connections.size() - 1; i >= 0; i--) {
            connections.get(i).tick(nowNanos);
        }
    }

    /** Commands a second, as of the last second; 0 if that is long ago. */
    double commandsPerSecond() {
        return commandsPerSecond;
    }

    /**
     * Ends: executes nothing more, waits for the replies in flight, at most until the deadline. Any thread.
     *
     * @param deadlineNanos of {@link System#nanoTime()}
     */
    void stop(long deadlineNanos) {
        stopDeadline = deadlineNanos;
        stopping = true;
        backend.wake();
    }

    /** Waits until the thread has ended. */
    boolean join(long millis) throws InterruptedException {
        thread.join(millis);
        return !thread.isAlive();
    }

    private boolean isDone() {
        if (!stopping) {
            return false;
        }
        for (int i = connections.size() - 1; i >= 0; i--) {
            connections.get(i).closeAfterReplies(CloseReason.SHUTDOWN, "");
        }
        return connections.isEmpty() || System.nanoTime() - stopDeadline >= 0;
    }

    private void end() {
        for (int i = connections.size() - 1; i >= 0; i--) {
            connections.get(i).close(CloseReason.SHUTDOWN, "");
        }
        // Lets the loop run what closing has left to do, a bounded number of times.
        for (int i = 0; i < 100 && !connections.isEmpty(); i++) {
            backend.await(STOP_POLL_NANOS);
        }
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        for (int i = 0; i < 2000 && !loop.isTerminated(); i++) {
            backend.await(STOP_POLL_NANOS);
        }
        backend.close();
        writers.close();
        readBuffer.close();
    }

    void opened(Connection connection) {
        connections.add(connection);
        server.opened(connection);
        statistics.add(Counter.CONNECTIONS, 1);
    }

    void closed(Connection connection, CloseReason reason, String detail) {
        connections.remove(connection);
        server.closed(connection);
        statistics.closed(reason);
        dispatcher.closed(connection);
        if (reason.isLogged()) {
            LOG.warn("client {} closed: {}: {}", connection.session().address(), reason.text(), detail);
        }
    }

    void dirty(Connection connection) {
        dirty.add(connection);
    }

    /** A command of the connection found no room on its way; it is tried again when replies have come. */
    void waitsForRoom(Connection connection) {
        waiting.add(connection);
    }

    ManualIoEventLoop loop() {
        return loop;
    }

    ProxyServer server() {
        return server;
    }

    Settings settings() {
        return settings;
    }

    RespLimits limits() {
        return settings.context().limits();
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    WorkerStatistics statistics() {
        return statistics;
    }

    ReadBuffer readBuffer() {
        return readBuffer;
    }

    WriterPool writers() {
        return writers;
    }

    /** Time of the present turn. */
    long nowNanos() {
        return nowNanos;
    }
}
