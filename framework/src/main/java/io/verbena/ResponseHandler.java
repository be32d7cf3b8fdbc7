package io.verbena;

/** Told how a call of a {@link Requester} ended. */
@FunctionalInterface
public interface ResponseHandler {
    /**
     * A call ended: once for each.
     *
     * @param response a cursor, valid during the call only; it and the memory that it points to are reused
     */
    void onResponse(Response response);
}
