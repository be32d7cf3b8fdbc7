package io.verbena;

/** Takes the requests of a {@link Responder}. */
@FunctionalInterface
public interface RequestHandler {
    /**
     * Takes one request. Answer it now by {@link Request#reply}, or later by {@link Responder#reply}. If this throws,
     * the caller gets {@link Outcome#FAILED} with the exception's message.
     *
     * @param request a cursor, valid during the call only; it and the memory that it points to are reused
     */
    void onRequest(Request request);
}
