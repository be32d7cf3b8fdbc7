package io.verbena;

/** Runs callbacks of a tenant in place of the node's thread: what these refuse in a callback is refused here too. */
final class CallbackThread extends Thread {
    private final Node node;

    CallbackThread(Node node, Runnable task, String name) {
        super(task, name);
        this.node = node;
        setDaemon(true);
    }

    /** Whether the caller is such a thread of a node. */
    static boolean isCurrent(Node of) {
        return currentThread() instanceof CallbackThread thread && thread.node == of;
    }
}
