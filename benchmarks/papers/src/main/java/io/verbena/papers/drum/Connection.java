package io.verbena.papers.drum;

import io.verbena.nic.sim.SimThread;

/**
 * A connection as the thread of its application uses it: how its requests reach the NIC and its completions come back
 * is what DRUM's evaluation compares.
 */
interface Connection {
    /**
     * A thread posts a batch: what is told here is carried out in its order. One completion is asked for, with the
     * last.
     *
     * @param bytes of each request, at least one
     */
    void post(SimThread self, int[] bytes);

    /**
     * A thread looks for the completion of a batch, and takes one at most.
     *
     * @param completed called for it
     */
    void poll(SimThread self, Runnable completed);
}
