package io.verbena;

/**
 * What a {@link RemoteRegion} does with operations of several threads that meet in its queue, see
 * {@link RegionOptions#merge}. The names are those of the RDMAbox paper, figure 6.
 */
public enum Merging {
    /** There is no queue: one thread at a time posts, and each operation leaves as it is. The default. */
    OFF(false, false),

    /** A queue for all threads; each operation is a work request with a doorbell of its own. To compare with. */
    SINGLE(false, false),

    /** Each operation is a work request; those that are in the queue at a time leave with one doorbell. */
    DOORBELL(false, true),

    /** Operations that are adjacent in the region become one work request; each of these has a doorbell of its own. */
    MERGE(true, false),

    /** Adjacent operations become one work request, and all that are in the queue at a time leave with one doorbell. */
    HYBRID(true, true);

    final boolean merges;
    final boolean chains;

    Merging(boolean merges, boolean chains) {
        this.merges = merges;
        this.chains = chains;
    }
}
