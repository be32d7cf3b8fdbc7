package io.verbena.nic.sim;

/** Which entry a full cache of a NIC gives up. */
public enum Replacement {
    /** The least recently used. */
    LRU,
    /** The one that came first. */
    FIFO,
    /** Any; the same in each run. */
    RANDOM
}
