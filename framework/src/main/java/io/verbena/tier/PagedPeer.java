package io.verbena.tier;

/**
 * A peer of a {@link PagedMemory}.
 *
 * @param address of its node
 * @param alive whether its memory is used: once it was lost, it never is again
 * @param bytes of blocks that are at the peer, or were until it was lost
 * @param capacity bytes of its region, in whole blocks
 */
public record PagedPeer(String address, boolean alive, long bytes, long capacity) {}
