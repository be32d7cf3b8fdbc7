package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.RegisterHistory.Operation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A register that many connections read, write and exchange. After some hundred operations the connections go on with
 * another key, and the history of the old one is judged when its last operation has ended. Thread-safe.
 */
final class SharedRegister {
    private static final int WINDOW = 300;

    private final String stem;
    private final List<String> keys = new ArrayList<>();
    private Window window;
    private long values;
    private int judged;

    SharedRegister(String stem) {
        this.stem = stem;
        this.window = new Window(stem + ":0");
        keys.add(window.key);
    }

    /** Adds an operation to a batch. */
    synchronized void add(Batch batch, Player player, int choice) {
        if (window.history.size() == WINDOW) {
            window.closed = true;
            if (window.underWay == 0) {
                judge(window);
            }
            window = new Window(stem + ":" + keys.size());
            keys.add(window.key);
        }
        String who = "connection " + player.id();
        if (choice == 0) {
            batch.add("GET", operation(window, new Operation(who, System.nanoTime(), null)), window.key);
            return;
        }
        String value = "v" + ++values;
        Operation operation = new Operation(who, System.nanoTime(), value);
        if (choice == 1) {
            batch.add("SET", operation(window, operation), window.key, value);
        } else {
            batch.add("GETSET", operation(window, operation), window.key, value);
        }
    }

    private ExpectedReply operation(Window in, Operation operation) {
        in.underWay++;
        in.history.add(operation);
        return new ExpectedReply() {
            @Override
            public Expected apply() {
                return Expected.when("a value that some order of all operations explains", reply -> {
                    ended(in, operation, reply);
                    return reply.type() == Reply.BULK
                            || reply.type() == Reply.NIL
                            || reply.string().equals("OK");
                });
            }

            @Override
            public void lost() {
                ended(in, operation, null);
            }

            @Override
            public void dropped() {
                ended(in, operation, null);
            }
        };
    }

    private synchronized void ended(Window in, Operation operation, @Nullable Reply reply) {
        if (reply != null) {
            boolean reads = reply.type() != Reply.STATUS;
            operation.end(System.nanoTime(), reads, reply.type() == Reply.BULK ? reply.string() : null);
        }
        in.underWay--;
        if (in.closed && in.underWay == 0) {
            judge(in);
        }
    }

    private void judge(Window in) {
        String wrong = in.history.violation();
        if (wrong != null) {
            throw new CheckFailure("not linearizable\n  register    " + in.key + "\n  why         " + wrong);
        }
        judged++;
    }

    /** Judges what has not been; nothing is under way any more. */
    synchronized void judgeLast() {
        judge(window);
    }

    /** Histories judged. */
    synchronized int judged() {
        return judged;
    }

    /** All keys used. */
    synchronized List<String> keys() {
        return List.copyOf(keys);
    }

    private static final class Window {
        private final String key;
        private final RegisterHistory history = new RegisterHistory();
        private int underWay;
        private boolean closed;

        Window(String key) {
            this.key = key;
        }
    }
}
