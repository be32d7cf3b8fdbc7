package io.verbena;

/** Takes the requests of a {@link Responder}. */
@FunctionalInterface
public interface RequestHandler {
    /**
     * One request. It is answered by {@link Request#reply}, now, or by {@link Responder#reply} later. If this throws,
     * the caller gets {@link Outcome#FAILED} with the exception's message.
     *
     * @param request a cursor, valid during the call only; it and the memory that it points to are reused
     */
    void onRequest(Request request);
}
