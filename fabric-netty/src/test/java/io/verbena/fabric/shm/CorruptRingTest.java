package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fabric.security.PeerIdentity;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.port.Link;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A peer writes into each word of the rings that it shares with a NIC what it likes: its link may end, a neighbour's
 * goes on.
 */
@Timeout(180)
class CorruptRingTest {
    private static final int CAPACITY = 8192;
    private static final int MAX_PACKET = 1024;
    private static final int LENGTH = 64;
    private static final int RECORD = PacketRingDescriptor.recordLength(LENGTH);
    private static final int PACKETS = 5;

    private static UnsafeBuffer ring() {
        UnsafeBuffer memory = new UnsafeBuffer(new byte[PacketRingDescriptor.totalLength(CAPACITY)]);
        PacketRingDescriptor.initialize(memory, CAPACITY, MAX_PACKET);
        return memory;
    }

    /** The peer's end, and the link of the NIC's. */
    private static final class Peer implements RingPeer {
        final UnsafeBuffer toNic = ring();
        final UnsafeBuffer fromNic = ring();
        final PacketRingWriter writer = new PacketRingWriter(toNic);
        final PacketRingReader reader = new PacketRingReader(fromNic);
        final List<String> faults = new ArrayList<>();
        final RingLink link;

        Peer(long nic) {
            link = new RingLink(
                    nic,
                    "peer " + nic,
                    new PacketRingWriter(fromNic),
                    new PacketRingReader(toNic),
                    null,
                    this,
                    PeerIdentity.SAME_PROCESS);
        }

        /** Sends packets that a NIC takes for sound, for a queue pair that there is not. */
        void send(int count) {
            for (int i = 0; i < count; i++) {
                int at = writer.claim(LENGTH);
                BthFlyweight.encode(writer.buffer(), at, Opcode.SEND_ONLY.code(), 0, 77, i, 9);
                writer.commit();
            }
            writer.publishPosition();
        }

        int receive() {
            return reader.poll(link, (from, buffer, offset, length) -> {}, 1000);
        }

        @Override
        public void wake(int engine) {}

        @Override
        public void linkEnded(@Nullable String fault) {
            if (fault != null) {
                faults.add(fault);
            }
        }

        @Override
        public void released() {}
    }

    /** A NIC with a link to a hostile peer and one to its neighbour. */
    private static final class Scene implements AutoCloseable {
        final Nic nic = Nic.open(new NicContext()
                .mode(EngineMode.INVOKER)
                .maxQueuePairs(16)
                .maxMemoryRegions(16)
                .maxAppendQueues(1));
        final Engine engine = nic.engine(0);
        final Peer hostile = new Peer(0x66);
        final Peer neighbour = new Peer(0x77);
        private final UnsafeBuffer datagram = new UnsafeBuffer(new byte[LENGTH]);

        Scene() {
            engine.endpoint().listener().onLink(hostile.link);
            engine.endpoint().listener().onLink(neighbour.link);
            turns(1);
        }

        void turns(int count) {
            for (int i = 0; i < count; i++) {
                engine.doWork();
            }
        }

        boolean sendTo(Peer peer) {
            return engine.sendDatagram(peer.link.peerNic(), datagram, 0, LENGTH);
        }

        /** Nothing but the hostile peer's link has suffered, and nobody is kept busy. */
        void expectContained(String what) {
            long before = nic.counter(NicCounter.PACKETS_RECEIVED);
            turns(100);
            assertThat(engine.hasWork()).as("%s: still busy", what).isFalse();
            assertThat(nic.counter(NicCounter.PACKETS_RECEIVED) - before)
                    .as(what)
                    .isLessThanOrEqualTo(CAPACITY / 8);
            before = nic.counter(NicCounter.PACKETS_RECEIVED);
            neighbour.send(3);
            turns(3);
            assertThat(nic.counter(NicCounter.PACKETS_RECEIVED) - before)
                    .as(what)
                    .isEqualTo(3);
            assertThat(sendTo(neighbour)).as(what).isTrue();
            assertThat(neighbour.receive()).as(what).isOne();
            assertThat(neighbour.link.state()).as(what).isEqualTo(Link.State.UP);
            assertThat(hostile.link.state()).as(what).isIn(Link.State.UP, Link.State.CLOSED);
            assertThat(hostile.faults).as(what).hasSizeLessThanOrEqualTo(1);
            for (AsyncEvent event = nic.pollAsyncEvent(); event != null; event = nic.pollAsyncEvent()) {
                assertThat(event.type()).as(what).isNotEqualTo(AsyncEventType.DEVICE_FATAL);
                event.acknowledge();
            }
        }

        @Override
        public void close() {
            nic.close();
        }
    }

    private static final int[] HEADER = {0, 8, 12, 16, 20, 24, 64, 128, 132, 256, 260};

    @ParameterizedTest
    @ValueSource(
            ints = {
                0,
                1,
                -1,
                7,
                8,
                -8,
                64,
                4096,
                -8192,
                8192,
                Integer.MAX_VALUE,
                Integer.MIN_VALUE,
                0x7FFF_FFF8,
                0xABCD1234
            })
    void anyWordOfTheRings(int value) {
        List<Integer> offsets = new ArrayList<>();
        for (int header : HEADER) {
            offsets.add(header);
        }
        for (int record = 0; record <= PACKETS; record += 2) { // the last is the word behind them
            for (int word = 0; (word < 24 && record < PACKETS) || word == 0; word += 4) {
                offsets.add(PacketRingDescriptor.HEADER_LENGTH + record * RECORD + word);
            }
        }
        for (int offset : offsets) {
            for (boolean inbound : new boolean[] {true, false}) {
                try (Scene scene = new Scene()) {
                    String what = value + " at " + offset + (inbound ? " of what comes" : " of what goes");
                    scene.hostile.send(PACKETS);
                    (inbound ? scene.hostile.toNic : scene.hostile.fromNic).putIntVolatile(offset, value);
                    for (int i = 0; i < 3 * CAPACITY / RECORD && scene.sendTo(scene.hostile); i++) {}
                    scene.turns(3);
                    scene.hostile.send(1);
                    scene.expectContained(what);
                }
            }
        }
    }

    /** Positions where its consumer cannot be end the link when room is looked for; those where it can be do not. */
    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40, CAPACITY + 8, -CAPACITY})
    void aFalsePositionOfTheConsumerEndsTheLink(long position) {
        try (Scene scene = new Scene()) {
            while (scene.sendTo(scene.hostile)) {}
            assertThat(scene.hostile.link.state()).isEqualTo(Link.State.UP);
            scene.hostile.fromNic.putLongVolatile(PacketRingDescriptor.CONSUMER_POSITION_OFFSET, position);
            assertThat(scene.sendTo(scene.hostile)).isFalse();
            scene.turns(2);
            assertThat(scene.hostile.link.state()).isEqualTo(Link.State.CLOSED);
            assertThat(scene.hostile.faults).singleElement().asString().contains("at position " + position);
            scene.expectContained("position " + position);
        }
    }

    @Test
    void aConsumerThatGoesOnMakesRoomAgain() {
        try (Scene scene = new Scene()) {
            int sent = 0;
            for (int lap = 0; lap < 20; lap++) {
                while (scene.sendTo(scene.hostile)) {
                    sent++;
                }
                sent -= scene.hostile.receive();
            }
            assertThat(sent).isZero();
            assertThat(scene.hostile.link.state()).isEqualTo(Link.State.UP);
        }
    }

    /** There may be no other look at the link for long: what is wrong behind packets is said with them. */
    @Test
    void aFalseRecordBehindPacketsEndsTheLinkAtOnce() {
        Peer peer = new Peer(1);
        peer.send(3);
        peer.toNic.putIntVolatile(PacketRingDescriptor.HEADER_LENGTH + 3 * RECORD, MAX_PACKET + 1);
        assertThat(peer.link.poll((from, buffer, offset, length) -> {}, 64)).isEqualTo(3);
        assertThat(peer.link.state()).isEqualTo(Link.State.DOWN);
        assertThat(peer.faults).hasSize(1);
    }
}
