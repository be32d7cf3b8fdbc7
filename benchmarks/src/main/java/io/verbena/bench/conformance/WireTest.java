package io.verbena.bench.conformance;

import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.AfterEach;

/** A NIC in front of a peer that says what no correct peer would, and sees each packet that the NIC answers. */
@SuppressWarnings("NullAway.Init") // before each test
abstract class WireTest extends ConformanceTest {
    WirePeer peer;

    @Override
    Players players() {
        needsPackets();
        return byHand(attributes().timeout(12));
    }

    final Players byHand(ConnectAttributes attributes) {
        Players players = Players.byHand(fabric, attributes);
        peer = players.peer();
        return players;
    }

    @AfterEach
    @Override
    void close() {
        if (p != null) { // where it was skipped there are none
            super.close();
        }
    }

    static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = Player.pattern(seed, i);
        }
        return bytes;
    }

    final WirePeer.Packet awaitOnly(Opcode opcode) {
        p.until(() -> !peer.all(opcode).isEmpty());
        return peer.only(opcode);
    }
}
