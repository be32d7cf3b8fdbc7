package io.verbena.papers.avatar;

import io.verbena.nic.sim.SimThread;
import org.jspecify.annotations.Nullable;

/** A connection of an application's thread, which sends messages by it. They complete in order. */
abstract class Connection {
    static final long MAX_SLEEP_NANOS = 1_000_000_000;

    private final int number;
    private @Nullable SimThread sleeper;
    private long finished;

    Connection(int number) {
        this.number = number;
    }

    /** Names it at both ends. */
    final int number() {
        return number;
    }

    /** A thread sends a message; it pays. */
    abstract void send(SimThread self, int bytes);

    /** A thread that waits looks whether something is complete; it pays. */
    abstract void look(SimThread self);

    /** A thread sleeps until the connection may have something to see; it pays. Only one thread does that. */
    void await(SimThread self) {
        sleeper = self;
        self.park(MAX_SLEEP_NANOS);
    }

    /** So many messages more are complete. */
    final void finish(int messages) {
        finished += messages;
        SimThread waits = sleeper;
        if (waits != null) {
            waits.wake();
        }
    }

    /** Messages complete. */
    final long finished() {
        return finished;
    }
}
