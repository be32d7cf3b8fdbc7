package io.verbena.bench.check.redis;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Who uses a connection: decides what is sent next whenever nothing is outstanding. All of it runs on its loop's
 * thread.
 */
abstract class Player {
    /** Databases that players use. */
    static final int DATABASES = 4;

    private final Run run;
    private final int id;
    private final String group;
    private final SplittableRandom random;
    private final int database;
    private final int protocol;
    private final @Nullable Histogram latency;
    private @Nullable ClientLoop loop;
    private @Nullable PlayerConnection connection;
    private boolean greeted;
    private volatile boolean done;

    Player(Run run, int id, String group, boolean timed) {
        this.run = run;
        this.id = id;
        this.group = group;
        this.random = Seeds.random(run.context().seed(), id);
        this.database = random.nextInt(DATABASES);
        this.protocol = random.nextBoolean() ? 3 : 2;
        this.latency = timed ? run.latencies().of(group) : null;
    }

    /** Nothing is outstanding: send something, wait, reconnect or be done. */
    abstract void next();

    /**
     * The connection died on purpose.
     *
     * @param inDoubt commands that may have been executed, in their order; no later one was
     */
    void lost(List<PlayerRequest> inDoubt) {
        for (PlayerRequest each : inDoubt) {
            each.outcome().lost();
        }
    }

    final void start(ClientLoop on) {
        loop = on;
        reconnect();
    }

    /** Closes the connection, if there is one, and opens another. */
    final void reconnect() {
        if (connection != null) {
            connection.close();
            run.tally().reconnects.increment();
        }
        greeted = false;
        connection = new PlayerConnection(loop(), this);
        connection.open();
    }

    /** The connection is open, or has brought all replies. */
    final void idle() {
        if (greeted) {
            next();
            return;
        }
        greeted = true;
        Batch greeting = new Batch();
        String password = run.context().password;
        List<String> users = run.context().users;
        String user = users.isEmpty() ? "default" : users.get(id % users.size());
        if (protocol == 3) {
            if (password.isEmpty() && users.isEmpty()) {
                greeting.add("HELLO", Expected::anything, "3");
            } else {
                greeting.add("HELLO", Expected::anything, "3", "AUTH", user, password);
            }
        } else if (!users.isEmpty()) {
            greeting.add("AUTH", Expected::ok, user, password);
        } else if (!password.isEmpty()) {
            greeting.add("AUTH", Expected::ok, password);
        }
        send(greeting.add("SELECT", Expected::ok, database()));
    }

    /** The connection has ended as it was told to. */
    final void ended(List<PlayerRequest> inDoubt) {
        lost(inDoubt);
        reconnect();
    }

    /** Sends a batch; {@link #next} is called when its replies are there. */
    final void send(Batch batch) {
        PlayerConnection to = connection;
        if (to == null) {
            throw new IllegalStateException("not started");
        }
        to.submit(batch);
    }

    /** Calls {@link #next} later. */
    final void wait(double seconds) {
        loop().after((long) (seconds * TimeUnit.SECONDS.toNanos(1)), this::next);
    }

    /** Has nothing more to do. */
    final void finish() {
        done = true;
        if (connection != null) {
            connection.close();
        }
    }

    final boolean isDone() {
        return done;
    }

    final Run run() {
        return run;
    }

    final int id() {
        return id;
    }

    final SplittableRandom random() {
        return random;
    }

    int database() {
        return database;
    }

    final ClientLoop loop() {
        if (loop == null) {
            throw new IllegalStateException("not started");
        }
        return loop;
    }

    @Nullable
    final PlayerConnection connection() {
        return connection;
    }

    @Nullable
    final Histogram latency() {
        return latency;
    }

    /** Self-describing bytes of this player's. */
    final ValueContent value(int key, int version, int length) {
        return ValueContent.generated(run.tag(), id, key, version, length);
    }

    @Override
    public String toString() {
        return id + " (" + group + ", database " + database() + ", RESP" + protocol + ")";
    }
}
