package io.verbena;

/** Receives the outcome of a call of a {@link Requester}. */
@FunctionalInterface
public interface ResponseHandler {
    /**
     * A call ended; called once for each.
     *
     * @param response a cursor, valid during the call only; it and the memory that it points to are reused
     */
    void onResponse(Response response);
}
