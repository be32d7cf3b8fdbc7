package io.verbena;

/** Options of a {@link Requester}: fluent setters over defaults. Mutable; not thread-safe. */
public final class RequesterOptions {
    private static final int MAX_OUTSTANDING = 1 << 20;

    int maxOutstanding = 4096;
    InboxOptions responses = new InboxOptions();

    /** Creates the defaults: 4096 calls at a time, and an inbox with its defaults for the responses. */
    public RequesterOptions() {}

    /** Calls that may be outstanding at a time, a power of two, 1 to 1048576. */
    public RequesterOptions maxOutstanding(int calls) {
        maxOutstanding = Limits.powerOfTwo("maxOutstanding", calls, 1, MAX_OUTSTANDING);
        return this;
    }

    /** Options of the inbox for the responses; its longest message bounds the longest response. */
    public RequesterOptions responses(InboxOptions options) {
        responses = options;
        return this;
    }
}
