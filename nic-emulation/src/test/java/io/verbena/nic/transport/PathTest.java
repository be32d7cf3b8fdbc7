package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.NIC_B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The way to a peer: its link, who waits for it, what is mapped, and what bounds the bytes under way. */
class PathTest {
    private static final long STUCK = 10_000_000;

    private final TransportPair pair = TransportPair.direct();
    private final Path path = pair.a.path(NIC_B);
    private final FlowGroup one = new FlowGroup(1, 1, 1);
    private final FlowGroup two = new FlowGroup(2, 1, 1);

    private void contest() {
        path.contention().isContended(one, pair.a);
        path.contention().isContended(two, pair.a);
    }

    // ---- links ---------------------------------------------------------------------------------------------------

    @Test
    void leadsToItsNicByTheLinkThatIsUp() {
        assertThat(path.peerNic()).isEqualTo(NIC_B);
        assertThat(path.link()).isSameAs(pair.ab);
        assertThat(path.isUp()).isTrue();
        pair.ab.state = Link.State.DOWN;
        assertThat(path.isUp()).isFalse();
        path.detach();
        assertThat(path.link()).isNull();
        assertThat(path.isUp()).isFalse();
    }

    @Test
    void linkBringsThePeersMemoryAndTakesItAway() {
        assertThat(path.peerControl()).isNotNull();
        assertThat(path.remoteKeys()).isNotNull();
        assertThat(path.remoteAppender()).isNotNull();
        assertThat(pair.qpA.hasDirectPath()).isTrue();
        path.detach();
        assertThat(path.peerControl()).isNull();
        assertThat(path.remoteKeys()).isNull();
        assertThat(path.remoteAppender()).isNull();
        assertThat(path.queue(0)).isNull();
        assertThat(pair.qpA.hasDirectPath()).isFalse();
    }

    @Test
    void peerThatShowsNoControlBlockChangesNothing() {
        FakeLink strange = new FakeLink(NIC_B, () -> 1);
        strange.peerMemory = new PeerMemory() {
            @Override
            public AtomicBuffer control() {
                return new UnsafeBuffer(new byte[4096]);
            }

            @Override
            public AtomicBuffer segment(int id) {
                return null;
            }
        };
        assertThatThrownBy(() -> path.attach(strange)).isInstanceOf(IllegalStateException.class);
        assertThat(path.link()).isSameAs(pair.ab);
    }

    @Test
    void mtuMustFitTheLinkIfThereIsOne() {
        pair.ab.maxPacket = 1000;
        assertThatCode(() -> path.checkMtu(1000 - Opcode.MAX_HEADER_LENGTH)).doesNotThrowAnyException();
        assertThatThrownBy(() -> path.checkMtu(1001 - Opcode.MAX_HEADER_LENGTH))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("path MTU 953 and headers of 48 bytes > largest packet of the link, 1000");
        path.detach();
        assertThatCode(() -> path.checkMtu(100_000)).doesNotThrowAnyException();
    }

    @Test
    void linkSaysWhatAPacketAndAFlushCost() {
        assertThat(path.isFlushCostly()).isFalse();
        pair.ab.flushCostly = true;
        pair.ab.overhead = 30;
        path.attach(pair.ab);
        assertThat(path.isFlushCostly()).isTrue();
        assertThat(path.overhead()).isEqualTo(30);
        assertThat(path.output().overhead()).isEqualTo(30);
    }

    @Test
    void linkWithoutRoomForLongIsStuckAndSaidOnce() {
        assertThat(path.takesPackets()).isTrue();
        assertThat(path.noRoom(5)).isFalse();
        assertThat(path.takesPackets()).isFalse();
        assertThat(path.isFlowing()).isTrue();
        assertThat(path.noRoom(5 + STUCK)).isFalse();
        assertThat(path.isFlowing()).isTrue();
        assertThat(path.noRoom(6 + STUCK)).isTrue();
        assertThat(path.isFlowing()).isFalse();
        assertThat(path.noRoom(7 + STUCK)).isFalse();
        path.settle(); // a packet has gone
        assertThat(path.isFlowing()).isTrue();
        assertThat(path.takesPackets()).isTrue();
        assertThat(path.noRoom(8 + 2 * STUCK)).isFalse();
        pair.ab.state = Link.State.DOWN;
        assertThat(path.isFlowing()).isFalse();
        path.settle();
        assertThat(path.takesPackets()).isFalse();
    }

    @Test
    void linkThatWasTouchedInThisTurnIsNotWithoutRoom() {
        assertThat(path.touch()).isTrue();
        assertThat(path.touch()).isFalse();
        assertThat(path.noRoom(5)).isFalse();
        assertThat(path.takesPackets()).isTrue();
        path.settle();
        assertThat(path.touch()).isTrue();
    }

    @Test
    void isUnusedWithoutLinkQueuePairsAndWaiters() {
        Path fresh = new Path(9);
        assertThat(fresh.isUnused()).isTrue();
        fresh.touch();
        assertThat(fresh.isUnused()).isFalse();
        fresh.settle();
        fresh.queuePairs().add(pair.qpA);
        assertThat(fresh.isUnused()).isFalse();
        fresh.queuePairs().clear();
        fresh.block(pair.qpA);
        assertThat(fresh.isUnused()).isFalse();
        fresh.unblock(pair.qpA);
        assertThat(fresh.isUnused()).isTrue();
        assertThat(path.isUnused()).isFalse();
    }

    // ---- who waits -----------------------------------------------------------------------------------------------

    @Test
    void whoWaitsLeavesInAnyOrder() {
        QpContext[] waiting = new QpContext[4];
        for (int i = 0; i < waiting.length; i++) {
            waiting[i] = pair.a.newQueuePair(QpType.RC, 6 + i);
            path.block(waiting[i]);
            assertThat(waiting[i].blockedOn).isSameAs(path);
        }
        path.unblock(waiting[0]);
        path.unblock(waiting[3]); // has moved to the first place
        assertThat(waiting[0].blockedOn).isNull();
        assertThat(waiting[3].blockedOn).isNull();
        assertThat(path.hasBlocked()).isTrue();
        assertThat(path.unblockOne()).isSameAs(waiting[1]);
        assertThat(path.unblockOne()).isSameAs(waiting[2]);
        assertThat(waiting[1].blockedOn).isNull();
        assertThat(path.unblockOne()).isNull();
        assertThat(path.hasBlocked()).isFalse();
    }

    // ---- mapped queues -------------------------------------------------------------------------------------------

    @Test
    void queueIsKnownFromItsFirstUse() {
        AppendQueue queue = pair.b.appendQueue(1000);
        AppendQueue second = pair.b.appendQueue(1000);
        MappedQueue mapped = path.queue(second.id());
        assertThat(path.queue(second.id())).isSameAs(mapped);
        assertThat(path.queue(queue.id())).isNotNull().isNotSameAs(mapped);
        assertThat(path.queue(4)).isNull(); // there cannot be so many
        assertThat(path.queue(Integer.MIN_VALUE)).isNull();
        path.attach(pair.ab);
        assertThat(path.queue(second.id())).isNotSameAs(mapped);
    }

    @Test
    void sharesAreOfEachQueue() {
        assertThat(path.share(2)).isSameAs(path.share(2)).isNotSameAs(path.share(0));
    }

    @Test
    void queueThatThePeersEngineTakesCountsWithItsLink() {
        AppendQueue queue = pair.b.appendQueue(1000);
        MappedQueue mapped = path.queue(queue.id());
        assertThat(mapped.isTakenByEngine()).isFalse();
        assertThat(path.window(mapped)).isSameAs(mapped.window()).isNotSameAs(path.window());
        queue.takenByEngine(true);
        assertThat(mapped.isTakenByEngine()).isTrue();
        assertThat(path.window(mapped)).isSameAs(path.window());
        assertThat(path.window(mapped)).isSameAs(path.window());
        pair.ab.unsent = 1000;
        assertThat(path.underWay(pair.now)).isEqualTo(1000);
        append(queue, 100);
        assertThat(path.underWay(pair.now)).isEqualTo(1000); // was empty at the last look: forgotten until the next use
        path.window(mapped);
        assertThat(path.underWay(pair.now)).isEqualTo(1000 + 120);
        assertThat(path.underWay(path.window(), mapped, pair.now)).isEqualTo(1000 + 120);
        assertThat(path.underWay(mapped.window(), mapped, pair.now)).isEqualTo(120);
        pair.b.messages(queue);
        assertThat(path.underWay(pair.now)).isEqualTo(1000);
        path.detach();
        assertThat(path.underWay(pair.now)).isZero();
    }

    @Test
    void severalQueuesCountTogether() {
        AppendQueue[] queues = new AppendQueue[3];
        for (int i = 0; i < 3; i++) {
            queues[i] = pair.b.appendQueue(1000);
            queues[i].takenByEngine(true);
            append(queues[i], 100 * (i + 1));
            path.window(path.queue(queues[i].id()));
        }
        assertThat(path.underWay(pair.now)).isEqualTo(120 + 216 + 320);
        pair.b.messages(queues[0]);
        assertThat(path.underWay(pair.now)).isEqualTo(216 + 320);
        pair.b.messages(queues[2]);
        queues[1].takenByEngine(false);
        assertThat(path.underWay(pair.now)).isZero();
    }

    private void append(AppendQueue queue, int length) {
        pair.run(Wr.append(1, queue.id(), queue.key()).entry(pair.a.region, 0, length));
    }

    @Test
    void unreadBytesOfAConsumerThatStandsStillDoNotCount() {
        AppendQueue queue = pair.b.appendQueue(1000);
        MappedQueue mapped = path.queue(queue.id());
        assertThat(mapped.unread(5)).isZero();
        append(queue, 100);
        assertThat(mapped.unread(10)).isEqualTo(120);
        assertThat(mapped.unread(5 + 100_000_000)).isEqualTo(120);
        assertThat(mapped.unread(6 + 100_000_000)).isZero();
        pair.b.messages(queue);
        append(queue, 10);
        assertThat(mapped.unread(7 + 100_000_000)).isEqualTo(32); // it has moved
        assertThat(mapped.unread(7 + 200_000_000)).isEqualTo(32);
        assertThat(mapped.unread(8 + 200_000_000)).isZero();
    }

    @Test
    void whoAppendsStandsBehindWhatIsShort() {
        AppendQueue queue = pair.b.appendQueue(1000);
        MappedQueue mapped = path.queue(queue.id());
        assertThat(path.output(mapped)).isNull();
        mapped.refused();
        assertThat(mapped.hasRefused()).isTrue();
        assertThat(path.output(mapped)).isSameAs(mapped.output()).isNotSameAs(path.output());
        queue.takenByEngine(true);
        assertThat(path.output(mapped)).isSameAs(mapped.output());
        contest();
        assertThat(path.output(mapped)).isSameAs(path.output());
        queue.takenByEngine(false);
        assertThat(path.output(mapped)).isSameAs(mapped.output());
    }

    @Test
    void contendedQueueHoldsItsAppendersToo() {
        AppendQueue queue = pair.b.appendQueue(1000);
        MappedQueue mapped = path.queue(queue.id());
        mapped.window().binds(one, pair.a);
        mapped.window().binds(two, pair.a);
        assertThat(path.output(mapped)).isSameAs(mapped.output());
    }

    @Test
    void segmentsThatThePeerGivesBackAreForgotten() {
        pair.run(Wr.write(1, pair.b.region, 0).entry(pair.a.region, 0, 8));
        AtomicBuffer segment = path.remoteKeys().buffer();
        assertThat(segment.capacity()).isEqualTo(FakeNic.REGION);
        List<Boolean> may = new ArrayList<>();
        OwnMemory own = new OwnMemory(pair.b.memory);
        PeerMemory memory = new PeerMemory() {
            @Override
            public AtomicBuffer control() {
                return own.control();
            }

            @Override
            public AtomicBuffer segment(int id) {
                return own.segment(id);
            }

            @Override
            public void letGo(Predicate<AtomicBuffer> mayGo) {
                may.add(mayGo.test(segment));
            }
        };
        path.letGo(memory); // of another link
        assertThat(may).isEmpty();
        pair.ab.peerMemory = memory;
        path.attach(pair.ab);
        pair.run(Wr.write(1, pair.b.region, 0).entry(pair.a.region, 0, 8));
        assertThat(path.remoteKeys().buffer()).isSameAs(segment);
        path.letGo(memory);
        assertThat(may).containsExactly(true);
        assertThat(path.remoteKeys().buffer()).isNotSameAs(segment);
        path.detach();
        path.letGo(memory);
        assertThat(may).hasSize(1);
    }

    @Test
    void anotherLinkForgetsWhatWasCounted() {
        AppendQueue queue = pair.b.appendQueue(1000);
        queue.takenByEngine(true);
        append(queue, 100);
        path.window(path.queue(queue.id()));
        assertThat(path.underWay(pair.now)).isEqualTo(120);
        path.attach(pair.ab);
        assertThat(path.underWay(pair.now)).isZero();
        path.window(path.queue(queue.id()));
        path.detach();
        assertThat(path.underWay(pair.now)).isZero();
    }

    // ---- contention ----------------------------------------------------------------------------------------------

    @Test
    void wayIsContendedFromTheSecondGroupOn() {
        Contention contention = path.contention();
        assertThat(contention.isContended(one, pair.a)).isFalse();
        assertThat(contention.isContended(one, pair.a)).isFalse();
        assertThat(contention.times()).isZero();
        assertThat(contention.isContended(two, pair.a)).isTrue();
        assertThat(contention.isContended()).isTrue();
        assertThat(contention.isContended(one, pair.a)).isTrue();
        assertThat(contention.times()).isOne();
    }

    @Test
    void wayIsFreeWhenOneGroupHasSentAloneForLongAndMuch() {
        Contention contention = path.contention();
        contest();
        contention.sent(Contention.CONTENDED_BYTES);
        pair.now += Contention.CONTENDED + 1;
        assertThat(contention.isContended(two, pair.a)).isTrue(); // not much enough
        contention.sent(1);
        pair.now -= 1;
        assertThat(contention.isContended(two, pair.a)).isTrue(); // not long enough
        pair.now += 1;
        assertThat(contention.isContended(two, pair.a)).isFalse();
        assertThat(contention.isContended()).isFalse();
        assertThat(contention.isContended(one, pair.a)).isTrue();
        assertThat(contention.times()).isEqualTo(2);
    }

    @Test
    void eachChangeOfTheSenderBeginsAnew() {
        Contention contention = path.contention();
        contest();
        contention.sent(2 * Contention.CONTENDED_BYTES);
        pair.now += 2 * Contention.CONTENDED;
        assertThat(contention.isContended(one, pair.a)).isTrue();
        assertThat(contention.isContended(one, pair.a)).isTrue();
        contention.sent(2 * Contention.CONTENDED_BYTES);
        assertThat(contention.isContended(one, pair.a)).isTrue();
        pair.now += Contention.CONTENDED + 1;
        assertThat(contention.isContended(one, pair.a)).isFalse();
    }
}
