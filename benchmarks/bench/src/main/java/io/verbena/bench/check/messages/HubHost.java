package io.verbena.bench.check.messages;

/** The hub that a round's clients talk to, here or in another process. */
interface HubHost extends AutoCloseable {
    /** How it is reached. */
    FabricName fabric();

    /** The address of something of it by name. */
    String address(String name);

    /** Messages of a stream that have come, as far as is known now; asks on. For any thread. */
    long received(int stream);

    /** Whether what breaks may be its death, which was on purpose. */
    boolean isDisturbed();

    /** Reports what is missing of a stream of which so many messages were sent and acknowledged. */
    void finish(HubInbox place, int stream, long sent);

    /** What was done to its region so far. */
    RegionSums sums();

    /** Compares its region with that. When all operations have ended. */
    void judgeTable();

    /** What it is doing, for a report. */
    String state();

    /** Ends it. */
    @Override
    void close();
}
