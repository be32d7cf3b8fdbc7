package io.verbena.papers.rdmabox;

import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.SimThread;

/** A way to a peer's memory for threads of the simulated host, which pay for it. */
interface RemoteAccess {
    /** Told when an operation has ended. */
    @FunctionalInterface
    interface Ending {
        /** It has ended in success; {@code by} is the thread that has found it, and goes on with it. */
        void ended(SimThread by);
    }

    /**
     * A thread reads or writes bytes that lie one after the other, as the last thing it is told to do.
     *
     * @param bytes of an operation
     * @param count of operations, at least 1, which are posted together
     * @param ending told once an operation, by who takes completions
     */
    void move(SimThread by, boolean reads, long offset, int bytes, int count, Ending ending);

    /** What has to be taken for it to end. */
    HostCompletionQueue completions();
}
