package io.verbena.nic;

/** Who runs a NIC's engine. */
public enum EngineMode {
    /** A thread of the engine's own. */
    THREAD,
    /** The application: it calls {@code doWork}; a thread that posts runs the engine for its requests. */
    INVOKER,
    /** A thread of the engine's own, and any thread that posts or polls runs a bounded turn if nobody else does. */
    ASSISTED
}
