package io.verbena.nic.engine;

import io.verbena.nic.AsyncEventType;
import io.verbena.nic.NicCounter;
import io.verbena.nic.append.TailPointerTable;
import io.verbena.nic.port.Link;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An engine's links, and its paths: a path is what queue pairs know of a peer NIC, and outlives the links that come and go
 * under it. Used under the baton.
 */
final class LinkTable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkTable.class);

    private final long nicId;
    private final TransportServices services;
    private final TailPointerTable appendQueues;
    private final Long2ObjectHashMap<Path> paths = new Long2ObjectHashMap<>();
    private final List<Link> links = new ArrayList<>();
    private int socketLinks;

    /**
     * Creates an empty table.
     *
     * @param nicId of this NIC
     * @param services told what a link's coming and going means
     * @param appendQueues told of initiators that are dead
     */
    LinkTable(long nicId, TransportServices services, TailPointerTable appendQueues) {
        this.nicId = nicId;
        this.services = services;
        this.appendQueues = appendQueues;
    }

    /** The path to a NIC; made, without a link, if there is none. */
    Path path(long peerNic) {
        Path path = paths.get(peerNic);
        if (path == null) {
            path = new Path(peerNic);
            paths.put(peerNic, path);
        }
        return path;
    }

    /** The path to a NIC, or null if there is none. */
    @Nullable
    Path find(long peerNic) {
        return paths.get(peerNic);
    }

    /** Number of links. */
    int size() {
        return links.size();
    }

    /** The link at an index below {@link #size}. */
    Link get(int index) {
        return links.get(index);
    }

    /** Links whose bytes come through the waiter's I/O. */
    int socketLinks() {
        return socketLinks;
    }

    /** Whether a packet has arrived on any link, or a link has gone. */
    boolean hasInbound() {
        for (int i = 0; i < links.size(); i++) {
            Link link = links.get(i);
            if (link.hasInbound() || link.state() != Link.State.UP) {
                return true;
            }
        }
        return false;
    }

    /** A link is up: its peer's queue pairs go on over it. */
    void attach(Link link) {
        Path path = path(link.peerNic());
        Link before = path.link();
        try {
            path.attach(link);
        } catch (RuntimeException e) { // the peer's memory is not what it should be; that concerns this link alone
            LOG.warn("turned away NIC {}: {}", Long.toHexString(link.peerNic()), e.getMessage());
            services.count(NicCounter.LINKS_REJECTED);
            link.close();
            return;
        }
        links.add(link);
        if (link.peerMemory() == null) {
            socketLinks++;
        }
        boolean loopback = link.peerNic() == nicId; // both ends are here
        if (!loopback
                && before != null
                && before.state() == Link.State.UP
                && before != link
                && before.peerMemory() == null) {
            before.close(); // a peer that came back before its old link was seen to break
        }
        for (int i = 0; i < path.queuePairs().size(); i++) {
            services.schedule(path.queuePairs().get(i));
        }
        services.event(AsyncEventType.PORT_ACTIVE, link.peerNic());
    }

    /** The link at an index is not up any more: closes it; a dead peer's queue pairs fail, others wait for the next link. */
    void detach(int index) {
        Link link = links.remove(index);
        if (link.peerMemory() == null) {
            socketLinks--;
        }
        Path path = paths.get(link.peerNic());
        boolean dead = link.state() == Link.State.DEAD;
        link.close();
        if (path == null || path.link() != link) {
            return;
        }
        services.event(AsyncEventType.PORT_ERR, link.peerNic());
        if (dead) {
            for (int i = path.queuePairs().size() - 1; i >= 0; i--) {
                QpContext qp = path.queuePairs().get(i);
                appendQueues.abandon(qp.number());
                qp.requester().peerDied();
            }
        } else {
            for (int i = 0; i < path.queuePairs().size(); i++) {
                services.schedule(path.queuePairs().get(i)); // starts the timers of those that have work
            }
        }
    }

    /** Closes and forgets all links. */
    void closeAll() {
        for (Link link : links) {
            try {
                link.close();
            } catch (RuntimeException e) {
                LOG.error("link to NIC {} could not be closed", Long.toHexString(link.peerNic()), e);
            }
        }
        links.clear();
    }
}
