package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What random walks have found, reduced: nothing is done twice, and a duplicate harms nobody. */
@Timeout(180)
class ExactlyOnceTest {
    private static final long A = 0xA0;
    private static final long B = 0xB0;
    private static final long MILLI = 1_000_000L;

    private final Simulation simulation = new Simulation(1);
    private final SimFabric fabric = new SimFabric(simulation);
    private final Side a = new Side("a", A);
    private final Side b = new Side("b", B);
    private final SendRequest request = new SendRequest();

    /** Who polls drives the engine too, so only the side that never stands still does. */
    ExactlyOnceTest() {
        simulation.add("a.app", () -> a.queue.poll(c -> a.statuses.add(c.status()), 8));
    }

    private final class Side {
        final SimNode node;
        final CompletionQueue queue;
        final ProtectionDomain pd;
        final MemoryRegion region;
        final QueuePair qp;
        final List<WcStatus> statuses = new ArrayList<>();

        Side(String name, long id) {
            node = new SimNode(simulation, fabric, name, id);
            queue = node.nic().createCompletionQueue(64);
            pd = node.nic().allocateProtectionDomain();
            region = pd.allocate(4096, Access.ALL);
            qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(queue));
        }
    }

    private SimConnection connected(LinkProfile profile, int maxRdAtomic) {
        SimConnection link = fabric.connect(
                a.node.nic().engine(0).endpoint(), b.node.nic().engine(0).endpoint(), profile);
        simulation.runFor(0);
        ConnectAttributes attributes = new ConnectAttributes().timeout(5).maxRdAtomic(maxRdAtomic);
        a.qp.connect(B, b.qp.number(), attributes);
        b.qp.connect(A, a.qp.number(), attributes);
        return link;
    }

    /**
     * A READ that comes once more together with the next one, as a network may deliver it, must not cost the
     * connection.
     */
    @Test
    void aDuplicateOfAnAnsweredReadLeavesRoomForTheNext() {
        SimConnection link = connected(new LinkProfile(), 1);
        UnsafeBuffer copy = new UnsafeBuffer(new byte[64]);
        int[] length = new int[1];
        link.a().tamper((buffer, offset, bytes) -> {
            if (length[0] == 0 && BthFlyweight.opcode(buffer, offset) == Opcode.READ_REQUEST.code()) {
                length[0] = bytes;
                copy.putBytes(0, buffer, offset, bytes);
            }
            return Tamper.Verdict.PASS;
        });
        a.qp.postSend(request.read(b.region.key(), 0).local(a.region.key(), 0, 8));
        simulation.runUntil(() -> a.statuses.size() == 1, MILLI);
        Simulation.Participant busy = b.node.participant();
        assertThat(busy).isNotNull();
        busy.pauseFor(50_000);
        link.a().inject(copy, 0, length[0]);
        a.qp.postSend(request.read(b.region.key(), 8).local(a.region.key(), 8, 8));
        simulation.runUntil(() -> a.statuses.size() == 2, 10 * MILLI);
        assertThat(a.statuses).containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS);
    }

    /** A late copy of a READ, whose key is void by now, must not cost the connection: its asker has had its answer. */
    @Test
    void aLateCopyOfAReadOfWhatIsGoneHarmsNobody() {
        SimConnection link = connected(new LinkProfile(), 4);
        MemoryRegion passing = b.pd.allocate(4096, Access.ALL);
        UnsafeBuffer copy = new UnsafeBuffer(new byte[64]);
        int[] length = new int[1];
        link.a().tamper((buffer, offset, bytes) -> {
            if (length[0] == 0 && BthFlyweight.opcode(buffer, offset) == Opcode.READ_REQUEST.code()) {
                length[0] = bytes;
                copy.putBytes(0, buffer, offset, bytes);
            }
            return Tamper.Verdict.PASS;
        });
        a.qp.postSend(request.read(passing.key(), 0).local(a.region.key(), 0, 8));
        simulation.runUntil(() -> a.statuses.size() == 1, MILLI);
        b.pd.deregister(passing);
        link.a().inject(copy, 0, length[0]);
        simulation.runFor(100_000);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        a.qp.postSend(request.read(b.region.key(), 8).local(a.region.key(), 8, 8));
        simulation.runUntil(() -> a.statuses.size() == 2, 10 * MILLI);
        assertThat(a.statuses).containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS);
    }

    /** A request that has gone as a packet, to a peer that stands still, is not done directly as well. */
    @Test
    void whatHasGoneAsAPacketIsNotDoneDirectlyToo() {
        SimConnection link = connected(new LinkProfile().direct(true), 4);
        link.breakLink();
        simulation.runFor(1_000);
        a.qp.postSend(request.fetchAdd(b.region.key(), 0, 1).local(a.region.key(), 0, 8));
        simulation.runFor(1_000);
        link.reconnect();
        Simulation.Participant busy = b.node.participant();
        assertThat(busy).isNotNull();
        busy.pauseFor(400_000); // some timeouts of 131 us
        simulation.runUntil(() -> a.statuses.size() == 1, 10 * MILLI);
        simulation.runFor(10 * MILLI);
        assertThat(a.statuses).containsExactly(WcStatus.SUCCESS);
        assertThat(link.a().counters().sent()).isPositive();
        assertThat(b.region.buffer().getLong(0)).isEqualTo(1);
    }

    /** An unreliable connection may lose, but a copy or an overtaken packet is not a message. */
    @Test
    void anUnreliableMessageComesAtMostOnceAndInOrder() {
        LinkProfile profile = new LinkProfile().duplication(0.3).reordering(0.3, 20_000);
        fabric.connect(a.node.nic().engine(0).endpoint(), b.node.nic().engine(0).endpoint(), profile);
        simulation.runFor(0);
        QueuePair from =
                a.pd.createQueuePair(new QueuePairAttributes().type(QpType.UC).completionQueue(a.queue));
        QueuePair to =
                b.pd.createQueuePair(new QueuePairAttributes().type(QpType.UC).completionQueue(b.queue));
        from.connect(B, to.number());
        to.connect(A, from.number());
        int messages = 200;
        for (int i = 0; i < messages; i++) {
            to.postReceive(i, b.region.key(), 0, 8);
        }
        List<Integer> received = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            from.postSend(request.sendImmediate(i).signaled(false));
            simulation.runFor(1_000);
            b.queue.poll(c -> received.add(c.immediate()), 64);
        }
        simulation.runFor(MILLI);
        b.queue.poll(c -> received.add(c.immediate()), 512);
        assertThat(received).doesNotHaveDuplicates().isSorted().hasSizeBetween(messages / 2, messages);
    }
}
