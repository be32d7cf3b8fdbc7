package io.verbena.rate.agent;

import org.agrona.DirectBuffer;

/** Carries datagrams between nodes that share by utility. */
@FunctionalInterface
public interface RateNetwork {
    /**
     * Sends a datagram, which may be lost.
     *
     * @param peerNic of the peer
     * @param buffer that holds it from index 0 on; not to be kept
     * @param length bytes
     * @return false if there is no link to the peer
     */
    boolean send(long peerNic, DirectBuffer buffer, int length);
}
