package io.verbena.nic;

/** Takes completions from {@link CompletionQueue#poll}. */
@FunctionalInterface
public interface CompletionHandler {
    /**
     * A request has ended.
     *
     * @param completion a cursor, valid during the call only
     */
    void onCompletion(Completion completion);
}
