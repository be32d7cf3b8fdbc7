package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.AfterEach;

/** A NIC in front of a peer that says what no correct peer would, and sees each packet that the NIC answers. */
@SuppressWarnings("NullAway.Init") // before each test
abstract class WireTest extends ConformanceTest {
    private static final int MANY = 10_000;

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
            bytes[i] = TestNic.pattern(seed, i);
        }
        return bytes;
    }

    final WirePeer.Packet awaitOnly(Opcode opcode) {
        p.until(() -> !peer.all(opcode).isEmpty());
        return peer.only(opcode);
    }

    /** Begins an append of 5 bytes more; comes again while the receiver has no buffer for its parts. */
    final void appendFirst(AppendQueue queue, int psn, byte[] payload) {
        int told = 0;
        for (int before = -1; told > before; before = told, told = timesNotReady(psn)) {
            assertThat(told).as("RNR NAKs").isLessThan(MANY);
            peer.append(Opcode.APPEND_FIRST, psn, queue.id(), queue.key(), payload.length + 5, payload);
            p.settle();
        }
    }

    private int timesNotReady(int psn) {
        return (int) peer.all(Opcode.ACKNOWLEDGE).stream()
                .filter(x -> x.psn() == psn && AethSyndrome.isRnrNak(x.syndrome()))
                .count();
    }
}
