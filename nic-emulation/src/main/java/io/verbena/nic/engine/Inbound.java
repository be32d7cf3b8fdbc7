package io.verbena.nic.engine;

import io.verbena.nic.engine.ReceiveSchedule.Source;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.agrona.DirectBuffer;

/**
 * What arrives at an engine: links are asked in their order, and each packet goes to the responder or the requester of
 * its queue pair, if it is one that may come there. Used under the baton.
 */
final class Inbound implements PacketHandler {
    /** Number of the queue pair that management datagrams are sent to, as QP1 is InfiniBand's. */
    static final int MANAGEMENT_QP = 1;

    private final LinkTable links;
    private final QueuePairTable queuePairs;
    private final NicEvents events;
    private final TransportServices services;
    private boolean delivered;

    /**
     * Creates it.
     *
     * @param services told of the paths that something came on, and of queue pairs that break
     */
    Inbound(LinkTable links, QueuePairTable queuePairs, NicEvents events, TransportServices services) {
        this.links = links;
        this.queuePairs = queuePairs;
        this.events = events;
        this.services = services;
    }

    /** Whether something came since the last call that a sleeping application thread may wait for. */
    boolean takeDelivered() {
        boolean was = delivered;
        delivered = false;
        return was;
    }

    /**
     * Asks the links that may have something, each for a bounded number of packets.
     *
     * @return packets, and links that are gone
     */
    int receive() {
        int work = 0;
        links.begin();
        int limit = links.visit();
        for (Source source = links.next(); source != null; source = links.next()) {
            Link link = source.link;
            int packets;
            try {
                packets = link.poll(this, limit);
            } catch (RuntimeException | Error e) {
                links.broken(link, e);
                detach(source);
                continue;
            }
            boolean up = link.state() == Link.State.UP;
            if (packets > 0) {
                work += packets;
                services.count(NicCounter.PACKETS_RECEIVED, packets);
                Path path = links.find(link.peerNic());
                if (path != null) {
                    services.touch(path); // the peer may sleep until there is room
                }
                if (path == null || path.link() != link) {
                    link.flush(); // the other end of a link to itself, or one that another has replaced
                }
                links.received(source, packets == limit || !up);
            } else if (!up) {
                detach(source);
                work++;
            }
        }
        return work;
    }

    /** The link that the round has come to is not up any more. */
    private void detach(Source source) {
        try {
            links.detach(source);
        } catch (RuntimeException | Error e) {
            links.broken(source.link, e);
        }
    }

    @Override
    public void onPacket(Link link, DirectBuffer b, int offset, int length) {
        // Whatever is read of a packet that a peer has mapped is read once.
        Opcode opcode = length < BthFlyweight.LENGTH ? null : Opcode.of(BthFlyweight.opcode(b, offset));
        int headers = Opcode.check(opcode, b, offset, length);
        if (opcode == null || headers < 0) {
            rejected(length);
            return;
        }
        int number = BthFlyweight.destinationQp(b, offset);
        if (number == MANAGEMENT_QP && opcode == Opcode.UD_SEND_ONLY) {
            links.charge(null, length);
            events.datagram(link.peerNic(), b, offset + headers, length - headers);
            delivered = true;
            return;
        }
        QpContext qp = queuePairs.find(number);
        if (qp == null || !qp.type().takes(opcode) || !isFromPeer(qp, link, BthFlyweight.sourceQp(b, offset))) {
            rejected(length);
            return;
        }
        links.charge(qp.group(), length);
        try {
            if (opcode.isRequest()) {
                qp.responder().onRequest(link.peerNic(), opcode, b, offset, length, headers);
                delivered |= opcode.family() == Opcode.Family.APPEND;
            } else {
                qp.requester().onResponse(opcode, b, offset, length, headers);
            }
        } catch (RuntimeException | Error e) {
            services.broken(qp, e);
        }
    }

    private void rejected(int length) {
        services.count(NicCounter.PACKETS_REJECTED);
        links.charge(null, length);
    }

    /** Whether a queue pair takes packets from that one; datagrams may come from anybody. */
    private static boolean isFromPeer(QpContext qp, Link link, int sourceQp) {
        Path path = qp.path();
        return qp.type() == QpType.UD || (qp.peerQp() == sourceQp && path != null && path.peerNic() == link.peerNic());
    }
}
