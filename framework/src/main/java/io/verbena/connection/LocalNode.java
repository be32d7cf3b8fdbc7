package io.verbena.connection;

import io.verbena.Address;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.link.Links;
import io.verbena.nic.port.LinkEndpoint;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A node as the others of its process reach it. Thread-safe. */
public final class LocalNode {
    private final String name;
    private final LinkEndpoint endpoint;
    private final int ringLength;
    private final Handshake handshake;
    private final Runnable wake;
    private final Set<Long> links = ConcurrentHashMap.newKeySet(); // NICs; changed under the lock of NodeRegistry

    /**
     * Creates it, without links.
     *
     * @param name its name
     * @param endpoint of its NIC
     * @param ringLength bytes of the rings of its links, as it wants them
     * @param handshake makes its connections
     * @param wake wakes who does its work
     */
    public LocalNode(String name, LinkEndpoint endpoint, int ringLength, Handshake handshake, Runnable wake) {
        this.name = name;
        this.endpoint = endpoint;
        this.ringLength = ringLength;
        this.handshake = handshake;
        this.wake = wake;
    }

    String name() {
        return name;
    }

    /**
     * "Listens" where it can be reached in any case. @return the address
     *
     * @throws IllegalArgumentException if that names another node
     */
    public String listen(Address address) {
        if (!address.target().equals(name)) {
            throw new IllegalArgumentException(
                    address + " names another node; node '" + name + "' can be reached as local:" + name);
        }
        return address.toString();
    }

    long nicId() {
        return endpoint.nicId();
    }

    /** What links come to. */
    public LinkEndpoint endpoint() {
        return endpoint;
    }

    int ringLength() {
        return ringLength;
    }

    Handshake handshake() {
        return handshake;
    }

    void wake() {
        wake.run();
    }

    /** NICs of this process that it is linked to. */
    Set<Long> links() {
        return links;
    }

    /** Who a NIC belongs to, as far as that was proven to this node. */
    public PeerIdentity peer(long nicId, Links remote) {
        PeerIdentity known = remote.peer(nicId);
        return known != null ? known : links.contains(nicId) ? PeerIdentity.SAME_PROCESS : PeerIdentity.ANONYMOUS;
    }

    @Override
    public String toString() {
        return "node '" + name + "'";
    }
}
