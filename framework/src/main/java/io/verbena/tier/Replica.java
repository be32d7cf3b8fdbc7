package io.verbena.tier;

/** A copy of a block in a store: which of its pages are up to date there. Guarded by the block's lock. */
final class Replica {
    final Store store;
    private final long offset;
    private final int pageLength;
    private long valid; // a bit for each page

    Replica(Store store, long block, Geometry geometry) {
        this.store = store;
        this.offset = block * geometry.blockLength;
        this.pageLength = geometry.pageLength;
    }

    /** Where a page is in the store. */
    long offset(int page) {
        return offset + (long) page * pageLength;
    }

    /** Runs what posts operations on the replica, so that they can merge. */
    void together(Runnable posts) {
        store.together(offset, posts);
    }

    boolean has(int page) {
        return (valid & (1L << page)) != 0;
    }

    void add(int page) {
        valid |= 1L << page;
    }

    void remove(int page) {
        valid &= ~(1L << page);
    }
}
