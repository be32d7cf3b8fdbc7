package io.verbena.connection;

/**
 * Where a peer's messages go: the append queue of an inbox.
 *
 * @param id of the queue
 * @param key that lets a peer append to it
 * @param maxMessage bytes of the longest message
 */
public record MessageQueue(int id, int key, int maxMessage) {}
