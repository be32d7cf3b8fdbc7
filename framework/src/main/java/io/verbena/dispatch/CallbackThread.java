package io.verbena.dispatch;

/** Runs callbacks of a tenant in place of the node's thread: what these refuse in a callback is refused here too. */
final class CallbackThread extends Thread {
    private final Turns turns;

    CallbackThread(Turns turns, Runnable task, String name) {
        super(task, name);
        this.turns = turns;
        setDaemon(true);
    }

    /** Whether the caller is such a thread of a node, by its turns. */
    static boolean isCurrent(Turns turns) {
        return currentThread() instanceof CallbackThread thread && thread.turns == turns;
    }
}
