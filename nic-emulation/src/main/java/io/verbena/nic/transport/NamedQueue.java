package io.verbena.nic.transport;

import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a reliable connection's last {@link AppendEthFlyweight} has named: an append after it that is for the same
 * queue, stream and weight need not say so again, and is as short as a SEND.
 *
 * <pre>
 *   sent     A:q1   A:q1    A:q2   A:q2   | back to the second |   A:q1   A:q2   A:q2   A:q2
 *   packets  ONLY   AGAIN   ONLY   AGAIN                           ONLY   ONLY   ONLY   AGAIN
 *                                                                  again  again  again  new: two behind it
 * </pre>
 *
 * <p>The peer executes packets in the order of their PSNs, each once. So what it remembers is what was named last,
 * provided that the packet which named it was executed: one that is sent again may be a duplicate, which is not. Hence
 * packets that are sent again have the header and name nothing.
 *
 * <p>A run names what its last message is for. So what is named before a message is what the one before it is for, in
 * whichever packet that was executed: what is sent again may go in another, and a late copy of the first one may come
 * before or behind it.
 *
 * <p>Pure state: used under the engine's baton.
 */
final class NamedQueue {
    private final QpContext qp;
    private final UnsafeBuffer wqes;

    private boolean isNamed;
    private long queueAndStream;
    private int queueKey;
    private int weight;

    NamedQueue(QpContext qp) {
        this.qp = qp;
        this.wqes = qp.requests().buffer();
    }

    /** Nothing is named: the connection begins, or goes back to packets that the peer may have executed. */
    void forget() {
        isNamed = false;
    }

    /**
     * The opcode of a packet: that without the header, if the peer knows what it would say.
     *
     * @param opcode the packet's, with the header
     * @param fresh whether the packet was not sent before
     */
    Opcode shortest(Opcode opcode, int slot, boolean fresh) {
        if (!isNamed || !fresh || opcode.again() == opcode) {
            return opcode;
        }
        boolean same = wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET) == queueAndStream
                && wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY) == queueKey
                && qp.group().weight() == weight;
        return same ? opcode.again() : opcode;
    }

    /** A packet is sent; comes before its header is written, so that a weight that changes meanwhile is a new one. */
    void sends(Opcode opcode, int slot, boolean fresh) {
        if (fresh && opcode.appendEthOffset() != Opcode.ABSENT) {
            isNamed = true;
            queueAndStream = wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET);
            queueKey = wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY);
            weight = qp.group().weight();
        }
    }
}
