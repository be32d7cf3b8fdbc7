package io.verbena.nic;

/**
 * Something that happened outside any work request.
 *
 * @param type what happened
 * @param element number of the queue pair, completion queue or append queue concerned; the peer NIC's id for PORT events
 */
public record AsyncEvent(AsyncEventType type, long element) {}
