package io.verbena.nic.port;

import org.agrona.concurrent.AtomicBuffer;

/**
 * A piece of a NIC's data memory, mapped as one.
 *
 * @param id names it to peers; unique for the provider's life
 * @param buffer its bytes, aligned to 64
 */
public record Segment(int id, AtomicBuffer buffer) {}
