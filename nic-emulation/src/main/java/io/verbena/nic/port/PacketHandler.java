package io.verbena.nic.port;

import org.agrona.DirectBuffer;

/** Takes the packets that {@link Link#poll} delivers. */
@FunctionalInterface
public interface PacketHandler {
    /**
     * One packet has arrived.
     *
     * @param link the link it came by
     * @param buffer holds the packet; valid during the call only
     * @param offset of the first header
     * @param length of the packet in bytes
     */
    void onPacket(Link link, DirectBuffer buffer, int offset, int length);
}
