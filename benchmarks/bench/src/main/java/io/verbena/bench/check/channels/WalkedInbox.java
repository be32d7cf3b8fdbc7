package io.verbena.bench.check.channels;

import io.verbena.nic.append.AppendQueue;

/** An inbox of the node that receives, which its consumer may leave unread, or which is closed. */
final class WalkedInbox {
    final int number;
    final AppendQueue queue;

    /** Nobody reads it. */
    boolean stuck;

    private boolean closed;

    WalkedInbox(int number, AppendQueue queue) {
        this.number = number;
        this.queue = queue;
    }

    /** Closes it, with all that is in it. */
    void close() {
        closed = true;
        queue.destroy(true);
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public String toString() {
        return "inbox " + number + (closed ? ", closed" : stuck ? ", stuck" : "");
    }

    /** What it holds. */
    String state() {
        return this + " has " + queue.query();
    }
}
