package io.verbena.papers.avatar;

import io.verbena.nic.sim.SimThread;

/** A connection of an application's thread, which sends messages by it. They complete in order. */
abstract class Connection {
    private final int number;
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

    /** So many messages more are complete. */
    final void finish(int messages) {
        finished += messages;
    }

    /** Messages complete. */
    final long finished() {
        return finished;
    }
}
