package io.verbena.tier;

import io.verbena.RemoteOptions;
import io.verbena.RemoteRegion;
import io.verbena.RemoteSession;
import io.verbena.Tenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The peers of a {@link PagedMemory}, what donors among them lend, and the session with all of them. Immutable.
 *
 * @param leases of the donors
 * @param session with the regions of all peers
 * @param peers in the order of the options
 */
record Remote(Leases leases, RemoteSession session, List<PeerStore> peers) implements AutoCloseable {
    /** Connects to all peers, or to none. */
    static Remote open(Tenant tenant, PagedOptions options, Duration limit) {
        Leases leases = new Leases(tenant);
        RemoteSession session = null;
        boolean opened = false;
        try {
            RemoteOptions wanted = options.session();
            List<Leases.@Nullable Lease> lent = new ArrayList<>();
            for (PagedOptions.Place peer : options.peers) {
                lent.add(add(wanted, peer, leases, limit));
            }
            session = tenant.remote(wanted, limit);
            tryOut(session, limit);
            Remote remote = new Remote(leases, session, peers(session, options, lent));
            opened = true;
            return remote;
        } finally {
            if (!opened) {
                if (session != null) {
                    session.close();
                }
                leases.close();
            }
        }
    }

    /** Adds the regions of a peer. @return what it lends; null if it shares a region */
    private static Leases.@Nullable Lease add(
            RemoteOptions session, PagedOptions.Place peer, Leases leases, Duration limit) {
        if (!peer.lends()) {
            session.peer(peer.address());
            return null;
        }
        Leases.Lease lease = leases.take(peer.address(), limit);
        for (int i = 0; i < lease.regions().count(); i++) {
            session.peer(peer.address(), lease.prefix() + i);
        }
        return lease;
    }

    /** What may be read and not written, or the other way round, is of no use: it is refused now, not in the middle. */
    private static void tryOut(RemoteSession session, Duration limit) {
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
        for (int i = 0; i < session.peers(); i++) {
            RemoteRegion region = session.region(i, 0, Long.BYTES);
            region.read(0, bytes, 0, Long.BYTES, limit);
            region.write(0, bytes, 0, Long.BYTES, limit);
        }
    }

    private static List<PeerStore> peers(
            RemoteSession session, PagedOptions options, List<Leases.@Nullable Lease> lent) {
        List<PeerStore> peers = new ArrayList<>();
        int first = 0;
        for (int i = 0; i < lent.size(); i++) {
            Leases.@Nullable Lease lease = lent.get(i);
            int regions = lease == null ? 1 : lease.regions().count();
            peers.add(new PeerStore(
                    session,
                    i,
                    options.peers.get(i).address(),
                    first,
                    regions,
                    lease == null ? null : lease.channel(),
                    options.blockLength));
            first += regions;
        }
        return List.copyOf(peers);
    }

    /** Gives the donors' memory back, too. */
    @Override
    public void close() {
        session.close();
        leases.close();
    }
}
