package io.verbena.nic.memory;

/** How a deregistration ended. The key is invalid in either case. */
public enum DeregisterResult {
    /** Nothing uses the memory any more. */
    DONE,
    /**
     * A direct initiator is still in the middle of an operation under the key (EBUSY). The memory must not be reused
     * until {@link MemoryTable#isSettled} says so.
     */
    BUSY
}
