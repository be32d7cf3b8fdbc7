package io.verbena.bench.tenants;

/**
 * What an adversary does with a thread of its own, beside tenants that send: to the NIC on which they do, or as a peer
 * of the one that takes. For one thread, but where it says otherwise.
 */
interface Attack extends AutoCloseable {
    /** Does a little more of it. @return the amount of work done */
    int turn();

    /** Ends it, and gives back what it has. */
    @Override
    void close();
}
