package io.verbena.bench.check.redis;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * One thread of the client with its connections. Everything but {@link #execute} and {@link #stop} is for its thread.
 */
final class ClientLoop implements Runnable {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Between two turns: longer than any of them takes. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int READ_SIZE = 256 << 10;

    private final Run run;
    private final Thread thread;
    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Set<PlayerConnection> connections = new HashSet<>();
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(READ_SIZE);
    private final ReplyParser parser = new ReplyParser();
    private final Map<String, LongAdder> counts = new HashMap<>();
    private long nowNanos = System.nanoTime();
    private long lastTick = nowNanos;
    private long timersMade;
    private volatile boolean stopping;

    ClientLoop(Run run, int number) throws IOException {
        this.run = run;
        this.selector = Selector.open();
        this.thread = new Thread(this, "check-redis-" + number);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Runs a task on the loop's thread. */
    void execute(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    /** Calls back on this thread after a time. */
    void after(long nanos, Runnable task) {
        timers.add(new Timer(System.nanoTime() + nanos, timersMade++, task));
    }

    @Override
    public void run() {
        try {
            while (!stopping && !run.hasFailed()) {
                turn();
            }
        } catch (CheckFailure e) {
            run.fail(e.text());
        } catch (Throwable e) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace, true));
            run.fail("the check itself failed: " + trace);
        } finally {
            end();
        }
    }

    private void turn() throws IOException {
        Timer first = timers.peek();
        long wait = first == null ? TICK_NANOS : Math.min(TICK_NANOS, first.at - System.nanoTime());
        if (wait <= 0) {
            selector.selectNow();
        } else {
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(wait)));
        }
        long before = nowNanos;
        nowNanos = System.nanoTime();
        if (nowNanos - before > PAUSE_NANOS) { // this thread was away, and not the server
            long away = nowNanos - before;
            connections.forEach(each -> each.paused(away));
        }
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        while (!timers.isEmpty() && timers.peek().at - nowNanos <= 0) {
            timers.remove().task.run();
        }
        for (SelectionKey key : selector.selectedKeys()) {
            ((PlayerConnection) key.attachment()).ready();
        }
        selector.selectedKeys().clear();
        if (nowNanos - lastTick >= TICK_NANOS) {
            lastTick = nowNanos;
            for (PlayerConnection each : new ArrayList<>(connections)) {
                each.tick(nowNanos);
            }
        }
    }

    private void end() {
        for (PlayerConnection each : new ArrayList<>(connections)) {
            each.close();
        }
        try {
            selector.close();
        } catch (IOException e) {
            run.fail("cannot close a selector: " + e.getMessage());
        }
    }

    /** Ends the thread, and waits for that. */
    void stop() throws InterruptedException {
        stopping = true;
        selector.wakeup();
        thread.join(TimeUnit.SECONDS.toMillis(10));
    }

    /** Opens a socket; the key's connection is told when something can be done. */
    SelectionKey connect(PlayerConnection connection) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        InetSocketAddress address = run.context().socketAddress();
        channel.connect(address);
        connections.add(connection);
        run.tally().connections.increment();
        return channel.register(selector, SelectionKey.OP_CONNECT, connection);
    }

    void closed(PlayerConnection connection) {
        if (connections.remove(connection)) {
            run.tally().connections.decrement();
        }
    }

    /** Time of the present turn. */
    long nowNanos() {
        return nowNanos;
    }

    /** One buffer for all connections: what is read is taken out at once. */
    ByteBuffer readBuffer() {
        return readBuffer;
    }

    ReplyParser parser() {
        return parser;
    }

    void count(String command) {
        LongAdder sum = counts.get(command);
        if (sum == null) {
            sum = run.tally().of(command);
            counts.put(command, sum);
        }
        sum.increment();
        run.tally().replies.increment();
    }

    private record Timer(long at, long number, Runnable task) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return at != other.at ? Long.compare(at - other.at, 0) : Long.compare(number, other.number);
        }
    }
}
