package io.verbena.redis;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.TurnShares;
import io.verbena.kv.client.ReplyHandler;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.backend.Backend;
import io.verbena.redis.backend.Store;
import io.verbena.redis.resp.RespLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that serves clients and drives its way to the shards. A turn waits for sockets and replies, executes what
 * the sockets brought, sends the requests of all connections together, takes the replies that are there, and writes
 * each connection's replies once.
 *
 * <pre>
 *   sockets ─▶ parse, dispatch ─▶ {@link Backend#claim} ... ─▶ {@link Backend#flush} ─▶ {@link Backend#poll} ─▶ sockets
 * </pre>
 *
 * <p>What a turn does is bounded: {@link InFlight} bounds the requests of all connections, and those that find no room,
 * or have had their share, wait in line for the next turns. Nothing is entered twice: only {@link Backend#await} runs
 * the event loop, and one connection at a time executes.
 *
 * <p>Everything but {@link #stop} and the getters of shared objects is for the worker's thread.
 */
final class Worker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final int REPLIES_PER_TURN = 2 * InFlight.MAX_REQUESTS;
    private static final int FAILED_TURNS = 1000;
    private static final long STOP_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ProxyServer server;
    private final Thread thread;
    private final Backend backend;
    private final WorkerStatistics statistics = new WorkerStatistics();
    private final ClientMemory memory;
    private final InputMemory inputs;
    private final ReadBuffer readBuffer = new ReadBuffer();
    private final WriterPool writers = new WriterPool(ByteBufAllocator.DEFAULT);
    private final Dispatcher dispatcher;
    private final ReplyHandler replyHandler;
    private final List<ClientConnection> connections = new ArrayList<>();

    private final ReadyConnections ready;
    private final BooleanSupplier hasRoom;
    private @Nullable ClientConnection executing;
    /** Pieces of values were asked for in this turn. */
    private boolean fetches;

    private boolean progress;
    private long nowNanos = System.nanoTime();
    private final CommandRate rate = new CommandRate(nowNanos);
    private volatile long stopDeadline;
    private volatile boolean stopping;

    Worker(int number, ProxyServer server, Store store) {
        this.server = server;
        this.thread = new FastThreadLocalThread(this, "verbena-redis-" + number);
        this.backend = store.open(number, thread);
        this.memory = new ClientMemory(settings(), statistics);
        this.inputs = new InputMemory(settings());
        this.dispatcher = new Dispatcher(this, backend);
        List<ProxyTenant> tenants = settings().context().tenants();
        TurnShares shares =
                new TurnShares(tenants.stream().map(ProxyTenant::party).toList(), server.workersOfTenants(), nowNanos);
        this.ready =
                new ReadyConnections(new TenantTurns<>(tenants.size(), shares, nowNanos, ClientConnection::takeTurn));
        this.hasRoom = dispatcher::hasRoom;
        this.replyHandler = dispatcher.replies()::onReply;
    }

    void start() {
        thread.start();
    }

    @Override
    public void run() {
        int failures = 0;
        try {
            while (!isDone()) {
                try {
                    turn();
                    failures = 0;
                } catch (RuntimeException | Error e) {
                    // What one client causes ends with that client; this is the worker's own, and most likely passes.
                    LOG.error("a worker's turn failed: {}", e.toString(), e);
                    if (++failures == FAILED_TURNS) {
                        server.failed(e);
                        return;
                    }
                }
            }
        } finally {
            end();
        }
    }

    private void turn() {
        progress = false;
        tenants().begin(nowNanos);
        backend.await(waitNanos());
        nowNanos = System.nanoTime();
        backend.flush();
        int replies = backend.poll(replyHandler, REPLIES_PER_TURN);
        progress |= replies > 0;
        if (replies < REPLIES_PER_TURN) {
            reconnectLost(); // all that the lost ones had answered is taken
        }
        dispatcher.goOn();
        ready.takeTurns(hasRoom);
        ready.endBatch();
        backend.flush(); // what was executed just now goes out before this thread waits
        if (fetches) { // a shard that this thread runs has answered already
            fetches = false;
            backend.poll(replyHandler, REPLIES_PER_TURN);
            ready.endBatch();
            backend.flush();
        }
        inputs.goOn(nowNanos);
        memory.enforce(connections);
        if (rate.sinceTick(nowNanos) >= TICK_NANOS) {
            tick();
        }
    }

    private long waitNanos() {
        if (progress || ready.isAnyDirty()) {
            return 0;
        }
        // Whatever waits, waits for replies, which wake this thread; the bound is for what nobody foresaw.
        return stopping || ready.isAnyWaiting() || dispatcher.waits()
                ? STOP_POLL_NANOS
                : Math.max(0, TICK_NANOS - rate.sinceTick(nowNanos));
    }

    /** A shard that cannot be reached any more fails the requests that it has not answered, and is connected again. */
    private void reconnectLost() {
        for (int shard = backend.takeLost(); shard >= 0; shard = backend.takeLost()) {
            LOG.error("shard {} was lost: it is connected again", shard);
            statistics.add(Counter.SHARDS_RECONNECTED, 1);
            dispatcher.replies().onLost(shard);
        }
    }

    private void tick() {
        rate.tick(nowNanos, statistics.get(Counter.COMMANDS));
        for (int i = connections.size() - 1; i >= 0; i--) {
            connections.get(i).tick(nowNanos);
        }
    }

    /** Commands a second, as of the last second; 0 if that is long ago. */
    double commandsPerSecond() {
        return rate.perSecond();
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
            connections.get(i).closeAfterReplies(ClientCloseReason.SHUTDOWN, "");
        }
        return connections.isEmpty() || System.nanoTime() - stopDeadline >= 0;
    }

    private void end() {
        for (int i = connections.size() - 1; i >= 0; i--) {
            connections.get(i).close(ClientCloseReason.SHUTDOWN, "");
        }
        // Lets the loop run what closing has left to do, a bounded number of times.
        for (int i = 0; i < 100 && !connections.isEmpty(); i++) {
            backend.await(STOP_POLL_NANOS);
        }
        tenants().end();
        ManualIoEventLoop loop = loop();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        for (int i = 0; i < 2000 && !loop.isTerminated(); i++) {
            backend.await(STOP_POLL_NANOS);
        }
        backend.close();
        writers.close();
        readBuffer.close();
    }

    void opened(ClientConnection connection) {
        connections.add(connection);
        server.opened(connection);
        statistics.add(Counter.CONNECTIONS, 1);
    }

    void closed(ClientConnection connection, ClientCloseReason reason, String detail) {
        connections.remove(connection);
        ready.remove(connection);
        server.closed(connection);
        statistics.closed(reason);
        dispatcher.closed(connection);
        if (reason.isLogged()) {
            LOG.warn("client {} closed: {}: {}", connection.session().address(), reason.text(), detail);
        }
    }

    void dirty(ClientConnection connection) {
        ready.dirty(connection);
    }

    /** A connection has something to execute, and goes on when its turn comes. */
    void waits(ClientConnection connection) {
        ready.waits(connection);
    }

    /** A connection asks for pieces of a value. */
    void fetches() {
        fetches = true;
    }

    /** A connection has pieces of a value to ask for, for which there was no room. */
    void fetchesLater(ClientConnection connection) {
        ready.fetchesLater(connection);
    }

    /**
     * A connection begins to execute what it has.
     *
     * @throws IllegalStateException if another one is in the middle of that: what both use would be torn
     */
    void enter(ClientConnection connection) {
        if (executing != null) {
            throw new IllegalStateException("commands of " + executing.session().address() + " are being executed");
        }
        executing = connection;
        progress = true;
    }

    @SuppressWarnings("ReferenceEquality")
    void leave(ClientConnection connection) {
        if (executing == connection) {
            executing = null;
        }
    }

    /** Whose turn it is. */
    TenantTurns<ClientConnection> tenants() {
        return ready.turns();
    }

    ClientMemory memory() {
        return memory;
    }

    InputMemory inputs() {
        return inputs;
    }

    ManualIoEventLoop loop() {
        return backend.loop();
    }

    ProxyServer server() {
        return server;
    }

    Settings settings() {
        return server.settings();
    }

    RespLimits limits() {
        return settings().context().limits();
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
