package io.verbena.connection;

import io.verbena.dispatch.DutyCycleAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Attempts to connect again, each of which waits until its pause is over.
 *
 * <p>Under the lock of {@link Connections}; the attempts are run outside of it.
 */
final class Redials implements DutyCycleAgent {
    private record Redial(long due, Runnable attempt) {}

    private final Consumer<Runnable> runner;
    private final List<Redial> waiting = new ArrayList<>();
    private long nextDeadline = NEVER;

    /** Creates it; {@code runner} runs an attempt soon, without the lock. */
    Redials(Consumer<Runnable> runner) {
        this.runner = runner;
    }

    /** An attempt is to be made at a time. */
    void add(long due, Runnable attempt) {
        waiting.add(new Redial(due, attempt));
        nextDeadline = DutyCycleAgent.earlier(nextDeadline, due);
    }

    @Override
    public int doWork(long now) {
        if (nextDeadline == NEVER || now - nextDeadline < 0) {
            return 0;
        }
        nextDeadline = NEVER;
        int before = waiting.size();
        waiting.removeIf(redial -> {
            if (now - redial.due < 0) {
                nextDeadline = DutyCycleAgent.earlier(nextDeadline, redial.due);
                return false;
            }
            runner.accept(redial.attempt);
            return true;
        });
        return before - waiting.size();
    }

    @Override
    public long nextDeadline() {
        return nextDeadline;
    }
}
