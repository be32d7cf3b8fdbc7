package io.verbena.fabric.shm;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fabric.ParkWaiter;
import io.verbena.fabric.TestNode;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.port.Segment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LocalFabricTest {
    @Test
    void carriesPacketsBothWaysBetweenTwoThreads() throws Exception {
        try (TestNode a = new TestNode(1, new ParkWaiter()).start();
                TestNode b = new TestNode(2, new ParkWaiter()).start()) {
            LocalFabric.connect(a.endpoint, b.endpoint);
            Link ab = a.nextLink();
            Link ba = b.nextLink();
            assertThat(ab.peerNic()).isEqualTo(2);
            assertThat(ba.peerNic()).isEqualTo(1);
            TestNode.Sending there = a.send(ab, 20_000);
            TestNode.Sending back = b.send(ba, 20_000);
            await().atMost(java.time.Duration.ofSeconds(30)).until(() -> {
                assertThat(a.failure).isNull();
                assertThat(b.failure).isNull();
                return a.received == 20_000 && b.received == 20_000;
            });
            assertThat(there.refused + back.refused)
                    .as("the test must have met a full ring")
                    .isPositive();
        }
    }

    @Test
    void opensEachSidesMemoryToTheOther() throws Exception {
        TestNode a = new TestNode(1, new ParkWaiter());
        TestNode b = new TestNode(2, new ParkWaiter());
        b.endpoint.memory().allocateControl(4096).putLong(64, 42);
        Segment segment = b.endpoint.memory().allocate(1024);
        LocalFabric.connect(a.endpoint, b.endpoint);

        PeerMemory memory = a.nextLink().peerMemory();
        assertThat(memory).isNotNull();
        assertThat(memory.control().getLong(64)).isEqualTo(42);
        memory.segment(segment.id()).putLong(8, 7);
        assertThat(segment.buffer().getLong(8)).isEqualTo(7);
        assertThat(memory.segment(segment.id())).isSameAs(memory.segment(segment.id()));
        assertThat(memory.segment(99)).isNull();
        assertThat(memory.segment(-1)).isNull();
        assertThat(memory.segment(Integer.MAX_VALUE)).isNull();

        Segment late = b.endpoint.memory().allocate(64);
        assertThat(memory.segment(late.id())).isSameAs(late.buffer());
    }

    @Test
    void wakesThePeersWaiter() throws Exception {
        ParkWaiter waiter = new ParkWaiter();
        TestNode a = new TestNode(1, new ParkWaiter());
        TestNode b = new TestNode(2, waiter);
        LocalFabric.connect(a.endpoint, b.endpoint);
        waiter.woken = 0;
        a.nextLink().wakePeer(0);
        assertThat(waiter.woken).isEqualTo(1);
    }

    @Test
    void aClosedSideIsDeadToTheOtherWhichStillReadsWhatCame() throws Exception {
        ParkWaiter waiter = new ParkWaiter();
        TestNode a = new TestNode(1, new ParkWaiter());
        TestNode b = new TestNode(2, waiter);
        LocalFabric.connect(a.endpoint, b.endpoint);
        Link ab = a.nextLink();
        Link ba = b.nextLink();
        assertThat(TestNode.offer(ab, 0)).isTrue();
        waiter.woken = 0;
        ab.close();
        ab.close();
        assertThat(ab.state()).isEqualTo(Link.State.CLOSED);
        assertThat(ba.state()).isEqualTo(Link.State.DEAD);
        assertThat(waiter.woken).isEqualTo(1);
        assertThat(ab.claim(100)).isEqualTo(Link.NO_ROOM);
        assertThat(ba.claim(100)).isEqualTo(Link.NO_ROOM);
        List<Integer> got = new ArrayList<>();
        assertThat(ba.poll((link, buffer, offset, length) -> got.add(length), 10))
                .isEqualTo(1);
        ba.close();
        assertThat(ba.state()).isEqualTo(Link.State.CLOSED);
        assertThat(ba.poll((link, buffer, offset, length) -> got.add(length), 10))
                .isZero();
    }

    @Test
    void aLoopbackIsOneLinkThatLeadsBack() throws Exception {
        TestNode a = new TestNode(1, new ParkWaiter());
        LocalFabric.connect(a.endpoint, a.endpoint);
        Link link = a.nextLink();
        assertThat(a.links).isEmpty();
        assertThat(link.peerNic()).isEqualTo(1);
        assertThat(TestNode.offer(link, 5)).isTrue();
        assertThat(link.hasInbound()).isTrue();
        assertThat(link.poll(
                        (l, buffer, offset, length) ->
                                TestNode.verify(buffer, offset, length, TestNode.lengthOf(5, link.maxPacket())),
                        10))
                .isEqualTo(1);
        link.close();
        assertThat(link.state()).isEqualTo(Link.State.CLOSED);
    }

    @Test
    void refusesARingThatHoldsTooFewPackets() {
        TestNode a = new TestNode(1, new ParkWaiter());
        assertThatThrownBy(() -> LocalFabric.connect(a.endpoint, a.endpoint, 4096, 4000))
                .hasMessageContaining("holds less than 4 packets of 4000");
    }
}
