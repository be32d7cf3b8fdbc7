package io.verbena.redis.backend;

import org.agrona.DirectBuffer;

/** Takes a reply of the store. */
@FunctionalInterface
public interface ReplyHandler {
    /**
     * Takes a reply.
     *
     * @param buffer that holds it, valid during the call only
     * @param offset of its first byte
     * @param length in bytes
     */
    void onReply(DirectBuffer buffer, int offset, int length);
}
