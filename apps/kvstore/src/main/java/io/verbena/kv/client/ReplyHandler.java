package io.verbena.kv.client;

import org.agrona.DirectBuffer;

/** Takes replies from {@link KvClient#poll}. */
@FunctionalInterface
public interface ReplyHandler {
    /**
     * A reply has come.
     *
     * @param buffer holds it, to be read with {@link io.verbena.kv.protocol.ReplyCursor}; valid during the call only
     * @param offset of its first byte
     * @param length in bytes
     */
    void onReply(DirectBuffer buffer, int offset, int length);
}
