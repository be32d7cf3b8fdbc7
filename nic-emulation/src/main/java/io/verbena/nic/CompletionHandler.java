package io.verbena.nic;

/** Takes completions from {@link CompletionQueue#poll}. */
@FunctionalInterface
public interface CompletionHandler {
    /**
     * Takes the completion of a request.
     *
     * @param completion a cursor, valid during the call only
     */
    void onCompletion(Completion completion);
}
