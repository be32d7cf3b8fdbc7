package io.verbena;

/** Told how an operation on a {@link RemoteRegion} ended. */
@FunctionalInterface
public interface OperationHandler {
    /**
     * An operation ended.
     *
     * @param correlationId what the caller gave
     * @param outcome {@link Outcome#DONE} or {@link Outcome#CLOSED}
     * @param value what an atomic operation found there, if it is done; otherwise 0
     */
    void onOperation(long correlationId, Outcome outcome, long value);
}
