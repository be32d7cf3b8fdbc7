package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.LinkProfile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Peers that fill an append queue for each other have equal parts of it, and the groups of one peer have parts by their
 * weights, however often each of them asks for room.
 */
@Timeout(180)
@Tag("computed")
class SharedQueueTest {
    private static final long MILLI = 1_000_000L;
    private static final int LENGTH = 900;
    private static final int RUN = 1000; // ms, in which the queue is filled thirteen times
    private static final int RUN_IN = 300;
    private static final int OUTSTANDING = 64;
    private static final int TAKEN_PER_MILLI = 16;
    private static final int EAGER = 1; // RNR timer, 0.01 ms
    private static final int LESS_OFTEN = 12; // 0.64 ms
    private static final int SELDOM = 20; // 10.24 ms

    private final VerbsPair p = new VerbsPair();
    private final AppendQueue queue = p.b.pd.createAppendQueue(
            new AppendQueueAttributes().chunkLength(64 << 10).maxMessage(LENGTH).memoryLimit(1 << 20));
    private Sender[] senders = {};

    /** An initiator and how many messages it keeps posted. */
    private final class Sender {
        final VerbsPair.End end;
        final QueuePair qp;
        final QueuePair peer;
        final MemoryRegion data;
        final int outstanding;
        int posted;
        int completed;
        int seen; // of the completions of its end
        int taken;

        Sender(VerbsPair.End end, int rnrTimer, int outstanding) {
            this(end, end.nic.defaultGroup(), rnrTimer, outstanding);
        }

        Sender(VerbsPair.End end, PerformanceGroup group, int rnrTimer, int outstanding) {
            this.end = end;
            this.outstanding = outstanding;
            ProtectionDomain pd = end.nic.allocateProtectionDomain(group);
            qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(end.cq));
            peer = p.b.newQueuePair();
            data = pd.allocate(LENGTH, Access.ALL);
            ConnectAttributes attributes =
                    new ConnectAttributes().pathMtu(1024).minRnrTimer(rnrTimer).rnrRetry(7);
            qp.connect(p.b.nic.id(), peer.number(), attributes);
            peer.connect(end.nic.id(), qp.number(), attributes.peerGroup(group.index()));
        }

        private int underWay() {
            for (; seen < end.wcs.size(); seen++) {
                completed += end.wcs.get(seen).qp() == qp.number() ? 1 : 0;
            }
            return posted - completed;
        }

        void offer() {
            for (int left = outstanding - underWay(); left > 0; left--, posted++) {
                qp.postSend(
                        end.request.append(queue.id(), queue.key()).wrId(posted).local(data.key(), 0, LENGTH));
            }
        }
    }

    private VerbsPair.End linked(String name, long id) {
        VerbsPair.End end = p.new End(name, id, new DirectMemoryProvider());
        p.fabric.connect(end.nic.engine(0).endpoint(), p.b.nic.engine(0).endpoint(), new LinkProfile());
        return end;
    }

    @AfterEach
    void close() {
        p.close();
        for (Sender sender : senders) {
            sender.end.nic.close();
        }
    }

    private void run(int millis) {
        for (int i = 0; i < millis; i++) {
            for (Sender sender : senders) {
                sender.offer();
            }
            p.simulation.runFor(MILLI);
            queue.poll(this::take, TAKEN_PER_MILLI);
        }
    }

    private void take(org.agrona.DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags) {
        for (Sender sender : senders) {
            sender.taken += sender.peer.number() == qpNumber ? 1 : 0;
        }
    }

    @Test
    void floodersHaveEqualPartsAndWhoSendsLittleGoesOn() {
        p.settle();
        senders = new Sender[] {
            new Sender(p.a, EAGER, OUTSTANDING),
            new Sender(linked("c", 0xC0), SELDOM, OUTSTANDING),
            new Sender(linked("d", 0xD0), EAGER, 1)
        };
        p.settle();
        run(RUN);
        int eager = senders[0].taken;
        int seldom = senders[1].taken;
        assertThat(eager + seldom + senders[2].taken).isEqualTo(RUN * TAKEN_PER_MILLI);
        assertThat(seldom).as("beside %d of the eager", eager).isBetween(eager * 8 / 10, eager * 12 / 10);
        assertThat(senders[2].taken).isGreaterThan(100);
    }

    @Test
    void groupsOfOnePeerHavePartsByWeight() {
        PerformanceGroup heavy =
                p.a.nic.createGroup(new GroupAttributes().name("heavy").weight(3));
        PerformanceGroup light = p.a.nic.createGroup(new GroupAttributes().name("light"));
        p.settle();
        senders = new Sender[] {
            new Sender(p.a, heavy, LESS_OFTEN, OUTSTANDING),
            new Sender(p.a, light, EAGER, OUTSTANDING),
            new Sender(p.a, light, EAGER, OUTSTANDING), // as many as it likes: it is the group that has a part
            new Sender(linked("c", 0xC0), EAGER, OUTSTANDING)
        };
        p.settle();
        runFilled();
        assertParts(3, 1);
        heavy.set(new GroupAttributes().weight(1));
        runFilled();
        assertParts(1, 1);
    }

    /** Counts from when what was there has been taken: of a queue that fills, or at other weights. */
    private void runFilled() {
        run(RUN_IN);
        for (Sender sender : senders) {
            sender.taken = 0;
        }
        run(RUN);
    }

    private void assertParts(int heavyWeight, int lightWeight) {
        int heavy = senders[0].taken;
        int light = senders[1].taken + senders[2].taken;
        int both = heavy + light;
        int entitled = both * heavyWeight / (heavyWeight + lightWeight);
        assertThat(heavy).as("beside %d", light).isBetween(entitled * 9 / 10, entitled * 11 / 10);
        assertThat(senders[3].taken).as("beside %d", both).isBetween(both * 8 / 10, both * 12 / 10);
    }

    @Test
    void whoIsAloneHasAllOfIt() {
        p.settle();
        senders = new Sender[] {new Sender(p.a, EAGER, OUTSTANDING)};
        p.settle();
        run(100);
        assertThat(queue.depth() * LENGTH).isGreaterThan((1 << 20) * 8 / 10);
    }
}
