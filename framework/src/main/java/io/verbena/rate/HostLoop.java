package io.verbena.rate;

/** Runs work for all hosts, in ranges and in any order; returns when all of it is done. */
@FunctionalInterface
public interface HostLoop {
    /** By the calling thread. */
    HostLoop SEQUENTIAL = (hosts, work) -> work.run(0, hosts);

    /** Something to be done for hosts. */
    @FunctionalInterface
    interface Work {
        /**
         * Does it.
         *
         * @param from first host
         * @param to host after the last one
         */
        void run(int from, int to);
    }

    /**
     * Does the work for the hosts from 0 on.
     *
     * @param hosts their number
     * @param work touches nothing but what belongs to the hosts of its range
     */
    void forAll(int hosts, Work work);
}
