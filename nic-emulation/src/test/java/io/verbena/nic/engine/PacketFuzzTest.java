package io.verbena.nic.engine;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** A peer that sends anything: see {@link HostileWire}. */
class PacketFuzzTest {
    /** The packets of one hostile peer, raw or half right, between the NIC's own requests. */
    @FuzzTest(maxDuration = "2m")
    void hostilePeer(byte[] script) {
        try (HostileWire wire = new HostileWire()) {
            wire.play(script);
            wire.assertGuardsHold();
            wire.assertOthersAreServed();
        }
    }
}
