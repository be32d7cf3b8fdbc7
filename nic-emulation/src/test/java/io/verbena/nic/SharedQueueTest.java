package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.LinkProfile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that fill an append queue for each other have equal parts of it, however often each of them asks for room. */
@Timeout(60)
class SharedQueueTest {
    private static final long MILLI = 1_000_000L;
    private static final int LENGTH = 900;
    private static final int OUTSTANDING = 64;
    private static final int TAKEN_A_MILLI = 16;
    private static final int EAGER = 1; // RNR timer, 0.01 ms
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
        int taken;

        Sender(VerbsPair.End end, int rnrTimer, int outstanding) {
            this.end = end;
            this.outstanding = outstanding;
            qp = end.newQueuePair();
            peer = p.b.newQueuePair();
            data = end.pd.allocate(LENGTH, Access.ALL);
            ConnectAttributes attributes =
                    new ConnectAttributes().pathMtu(1024).minRnrTimer(rnrTimer).rnrRetry(7);
            qp.connect(p.b.nic.id(), peer.number(), attributes);
            peer.connect(end.nic.id(), qp.number(), attributes);
        }

        void offer() {
            for (; posted - end.wcs.size() < outstanding; posted++) {
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
            queue.poll(this::take, TAKEN_A_MILLI);
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
        run(4000);
        int eager = senders[0].taken;
        int seldom = senders[1].taken;
        assertThat(eager + seldom + senders[2].taken).isEqualTo(4000 * TAKEN_A_MILLI);
        assertThat(seldom).as("beside %d of the eager", eager).isBetween(eager * 8 / 10, eager * 12 / 10);
        assertThat(senders[2].taken).isGreaterThan(100);
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
