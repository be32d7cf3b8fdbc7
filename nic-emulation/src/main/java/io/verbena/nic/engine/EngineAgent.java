package io.verbena.nic.engine;

/**
 * Work that shares an engine's owner: connection management, callbacks of the application, timers. It runs between the
 * engine's turns and never under its baton. What makes work for it while the owner sleeps must {@link Engine#wake}.
 */
public interface EngineAgent {
    /**
     * Does a bounded amount of work without blocking.
     *
     * @return the amount of work done, 0 if there was none
     */
    int doWork();

    /** Whether {@link #doWork} would find something now; looked at before the owner blocks. Cheap. */
    default boolean hasWork() {
        return false;
    }

    /** Time of the engine's clock at which {@link #doWork} is needed at the latest, or {@link Long#MAX_VALUE}. */
    long nextDeadline();
}
