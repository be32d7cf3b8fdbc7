package io.verbena.nic.verbs;

/** Who runs a NIC's engine. */
public enum EngineMode {
    /** A thread of the engine's own. */
    THREAD,
    /**
     * The application: it calls {@code doWork}; a thread that posts runs the engine for its requests. Where packets go
     * by a socket, the thread that calls {@code doWork} sends them, or whoever posts while it sleeps; and if the queue
     * pair waits for answers already, {@code QueuePair.postSend} may leave a request to that thread's next
     * {@code doWork}, {@code QueuePair.doorbell} or post, so that several share a system call.
     */
    INVOKER,
    /**
     * A thread of the engine's own, and any thread that posts or polls runs a bounded turn if nobody else does. Where
     * packets go by a socket, whoever posts leaves them to the engine's thread, unless it sleeps and no answer is due.
     */
    ASSISTED
}
