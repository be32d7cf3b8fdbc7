package io.verbena.nic.append;

/**
 * What lies in the reserve that the append queues of a NIC share. Each figure for itself: they are read one after the
 * other.
 *
 * @param mapped bytes that lie in it, clean or about to be zeroed
 * @param clean of these, bytes that are ready
 * @param target bytes that are to lie in it, for the queues that share it now
 * @param taken chunks that queues have taken
 * @param drained times that a queue wanted a chunk and there was none for it
 */
public record SharedReserveStatistics(long mapped, long clean, long target, long taken, long drained) {}
