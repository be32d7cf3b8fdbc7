package io.verbena;

/** Receives the outcome of an operation on a {@link RemoteRegion}. */
@FunctionalInterface
public interface OperationHandler {
    /**
     * An operation ended.
     *
     * @param correlationId what the caller gave
     * @param outcome {@link Outcome#DONE} or {@link Outcome#CLOSED}
     * @param value the previous value, of an atomic operation that is done; otherwise 0
     */
    void onOperation(long correlationId, Outcome outcome, long value);
}
