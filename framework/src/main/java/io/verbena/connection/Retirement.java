package io.verbena.connection;

import io.verbena.dispatch.DutyCycleAgent;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Connections that are over: each keeps its queue pair for a while, so that nobody else gets what is still on its way
 * to that number.
 *
 * <p>Under the lock of {@link Connections}.
 */
final class Retirement implements DutyCycleAgent {
    private static final long RETIRE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Consumer<Connection> retire;
    private final ArrayDeque<Connection> waiting = new ArrayDeque<>(); // in the order of their deadlines

    /** Creates it; {@code retire} gives a queue pair back. */
    Retirement(Consumer<Connection> retire) {
        this.retire = retire;
    }

    /** A connection is over. */
    void add(Connection c, long now) {
        c.exchange.deadline = now + RETIRE_NANOS;
        waiting.add(c);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Retires all, at once. */
    void retireAll() {
        for (Connection c = waiting.poll(); c != null; c = waiting.poll()) {
            retire.accept(c);
        }
    }

    @Override
    public int doWork(long now) {
        int work = 0;
        for (Connection c = waiting.peek(); c != null && c.exchange.deadline - now <= 0; c = waiting.peek()) {
            waiting.remove();
            retire.accept(c);
            work++;
        }
        return work;
    }

    @Override
    public long nextDeadline() {
        Connection next = waiting.peek();
        return next == null ? NEVER : next.exchange.deadline;
    }
}
