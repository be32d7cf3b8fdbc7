package io.verbena.nic.sim;

import org.agrona.MutableDirectBuffer;

/** Decides the fate of chosen packets: a fault at an exact place, where chance would take many seeds to hit it. */
@FunctionalInterface
public interface Tamper {
    /** What is to become of a packet. */
    enum Verdict {
        /** As the link's profile says. */
        PASS,
        /** Delivered, whatever the profile says. */
        DELIVER,
        /** Lost. */
        DROP,
        /** Delivered twice. */
        DUPLICATE,
        /** Held back for the longest time that the profile's reordering names. */
        HOLD
    }

    /**
     * Looks at a packet that goes on the wire, and may rewrite it (a peer that misbehaves, as the receiver sees it).
     *
     * @param buffer holds the packet
     * @param offset of its first header
     * @param length in bytes
     * @return its fate
     */
    Verdict onPacket(MutableDirectBuffer buffer, int offset, int length);
}
