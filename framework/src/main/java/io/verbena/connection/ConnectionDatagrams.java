package io.verbena.connection;

import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.memory.Access;
import org.jspecify.annotations.Nullable;

/** Writes what a {@link Handshake} says. Immutable. */
final class ConnectionDatagrams {
    private final ConnectionSettings settings;
    private final byte[] token;

    ConnectionDatagrams(ConnectionSettings settings, byte[] token) {
        this.settings = settings;
        this.token = token;
    }

    /** The request for a connection; answers go to an inbox, or nowhere. */
    ConnectionFlyweight request(Connection c, @Nullable MessageQueue answersTo, int maxPacket) {
        ConnectionFlyweight request = ConnectionFlyweight.of(ConnectionFlyweight.REQUEST, c.transaction)
                .kind(c.kind)
                .status(Shares.isFounder(c) ? ConnectionFlyweight.SHARED : 0)
                .queuePairs(c.number(), Shares.peerQp(c))
                .streams(c.stream(), 0)
                .group(c.group)
                .psn(c.exchange().firstPsn)
                .pathMtu(Math.min(settings.pathMtu(), ConnectionMaker.mtuOf(maxPacket)))
                .text(c.name, token)
                .node(settings.node());
        if (answersTo != null) {
            request.queue(answersTo.id(), answersTo.key(), answersTo.maxMessage());
        }
        return request;
    }

    /** The answer to a request that was accepted. */
    ConnectionFlyweight reply(Connection c, int mtu, Target target, int regionKey, SenderQuota messages) {
        ConnectionFlyweight reply = ConnectionFlyweight.of(ConnectionFlyweight.REPLY, c.transaction)
                .kind(c.kind)
                .queuePairs(c.number(), c.peer.qp())
                .streams(c.stream(), c.peerStream)
                .group(c.group)
                .psn(c.exchange().firstPsn)
                .pathMtu(mtu)
                .node(settings.node());
        MessageQueue queue = target.queue();
        if (queue != null) {
            reply.queue(queue.id(), queue.key(), (int) Math.min(queue.maxMessage(), longest(messages)));
        }
        if (c.kind == ConnectionFlyweight.REGION) {
            reply.region(regionKey, target.regionLength()).status(Access.REMOTE & ~c.rights);
        }
        return reply;
    }

    /** Payload bytes of the longest message that a quota has room for. */
    private static long longest(SenderQuota messages) {
        return messages.limit() / RecordDescriptor.ALIGNMENT * RecordDescriptor.ALIGNMENT
                - RecordDescriptor.HEADER_LENGTH;
    }

    /** The answer to a request that was refused. */
    ConnectionFlyweight reject(ConnectionFlyweight request, int status, String reason) {
        return ConnectionFlyweight.of(ConnectionFlyweight.REJECT, request.transaction())
                .kind(request.kind())
                .queuePairs(0, request.senderQp())
                .streams(0, request.senderStream())
                .status(status)
                .text(reason, new byte[0]);
    }
}
