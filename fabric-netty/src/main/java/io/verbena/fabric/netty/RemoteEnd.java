package io.verbena.fabric.netty;

import io.verbena.fabric.PeerProcess;
import io.verbena.fabric.security.PeerIdentity;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a link.
 *
 * @param nic that it says it is
 * @param address as far as the socket knows it
 * @param process that it runs in, if that is on this host
 * @param identity as it was authenticated
 */
record RemoteEnd(long nic, String address, @Nullable PeerProcess process, PeerIdentity identity) {
    @Override
    public String toString() {
        return address;
    }
}
