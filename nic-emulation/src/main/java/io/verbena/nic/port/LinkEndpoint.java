package io.verbena.nic.port;

/**
 * What a fabric knows of the engine that it brings links to.
 *
 * @param nicId 64-bit identity of the NIC, sent in the hello
 * @param engine index of the engine in its NIC
 * @param waiter how that engine's owner sleeps
 * @param memory the NIC's memory, for fabrics with a direct path
 * @param listener told of links and rejections
 */
public record LinkEndpoint(long nicId, int engine, Waiter waiter, MemoryProvider memory, LinkListener listener) {}
