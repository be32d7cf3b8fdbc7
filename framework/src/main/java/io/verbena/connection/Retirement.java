package io.verbena.connection;

import io.verbena.dispatch.DutyCycleAgent;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Connections that are over: each keeps its queue pair for a while, so that nobody else gets what is still on its way
 * to that number.
 *
 * <p>Under the lock of {@link Connections}.
 */
final class Retirement implements DutyCycleAgent {
    private static final long RETIRE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Predicate<Connection> isReleased;
    private final Consumer<Connection> retire;
    private final ArrayDeque<Connection> waiting = new ArrayDeque<>(); // in the order of their deadlines

    /**
     * Creates it.
     *
     * @param isReleased whether neither the NIC nor a thread uses anything of a connection any more
     * @param retire gives a queue pair back
     */
    Retirement(Predicate<Connection> isReleased, Consumer<Connection> retire) {
        this.isReleased = isReleased;
        this.retire = retire;
    }

    /** A connection is over. */
    void add(Connection c, long now) {
        c.exchange().deadline = now + RETIRE_NANOS;
        waiting.add(c);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Retires all that can be retired, at once; or all, where the NIC has been made to let go of them. */
    void retireAll(boolean released) {
        for (int i = waiting.size(); i > 0; i--) {
            Connection c = waiting.remove();
            if (released || isReleased.test(c)) {
                retire.accept(c);
            } else {
                waiting.add(c);
            }
        }
    }

    @Override
    public int doWork(long now) {
        int work = 0;
        for (Connection c = waiting.peek(); c != null && c.exchange().deadline - now <= 0; c = waiting.peek()) {
            waiting.remove();
            if (isReleased.test(c)) {
                retire.accept(c);
                work++;
            } else {
                add(c, now);
            }
        }
        return work;
    }

    @Override
    public long nextDeadline() {
        Connection next = waiting.peek();
        return next == null ? NEVER : next.exchange().deadline;
    }
}
