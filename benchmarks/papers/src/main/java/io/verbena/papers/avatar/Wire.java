package io.verbena.papers.avatar;

import io.verbena.nic.Completion;
import io.verbena.nic.SendRequest;

/**
 * What the 32 bits of immediate data carry: the connection's number, as in the paper (3), and whether the message ends
 * there, which the paper does not say. A segment's offset follows from the order, which the queue pair keeps.
 */
final class Wire {
    private Wire() {}

    /** A SEND of a connection; its work request id says the same as its immediate data. */
    static SendRequest request(int connection, boolean isLast) {
        int data = connection << 1 | (isLast ? 1 : 0);
        return new SendRequest().sendImmediate(data).wrId(data);
    }

    static int connection(int data) {
        return data >>> 1;
    }

    static boolean isLast(int data) {
        return (data & 1) != 0;
    }

    /** A completion that must have succeeded. */
    static Completion checked(Completion completion) {
        if (!completion.isSuccess()) {
            throw new IllegalStateException("a request failed: " + completion);
        }
        return completion;
    }
}
