package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which link's output a queue pair counts at: that of the peer it is connected to, and of none before and after. */
@Timeout(180)
class OutputOfQueuePairTest {
    private static final int NO_URGENT = Integer.MAX_VALUE;

    private final Simulation simulation = new Simulation(3);
    private final SimFabric fabric = new SimFabric(simulation);
    private final SimNode here = new SimNode(simulation, fabric, "here", 1);
    private final Peer first = new Peer("first", 2);
    private final Peer second = new Peer("second", 3);

    private final class Peer {
        final SimNode node;
        final ProtectionDomain pd;
        final MemoryRegion region;
        final QueuePair qp;

        Peer(String name, long id) {
            node = new SimNode(simulation, fabric, name, id);
            fabric.connect(
                    "here",
                    here.nic().engine(0).endpoint(),
                    name,
                    node.nic().engine(0).endpoint(),
                    new LinkProfile(),
                    new LinkProfile());
            simulation.runFor(0);
            Nic nic = node.nic();
            CompletionQueue queue = nic.createCompletionQueue(16);
            pd = nic.allocateProtectionDomain();
            region = pd.allocate(4096, Access.ALL);
            qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(queue));
        }

        OutputQueue output() {
            OutputQueue[] output = new OutputQueue[1];
            here.nic()
                    .engine(0)
                    .call(() ->
                            output[0] = here.nic().engine(0).path(node.nicId()).output());
            return output[0];
        }
    }

    private static void toPeer(QueuePair qp, Peer peer) {
        qp.modify(new QpAttributes()
                .state(QpState.RTR)
                .peerNic(peer.node.nicId())
                .peerQp(peer.qp.number())
                .pathMtu(ConnectAttributes.DEFAULT_MTU)
                .receivePsn(0)
                .maxDestRdAtomic(16)
                .minRnrTimer(1));
        qp.modify(new QpAttributes()
                .state(QpState.RTS)
                .sendPsn(0)
                .timeout(14)
                .retryCount(7)
                .rnrRetry(7)
                .maxRdAtomic(16));
        peer.qp.connect(1, qp.number());
    }

    private static void toInit(QueuePair qp) {
        qp.modify(new QpAttributes().state(QpState.INIT).access(0).trafficClass(TrafficClass.URGENT));
    }

    @Test
    void aQueuePairTakenToAnotherPeerIsForgottenByTheOutputOfTheFirst() {
        CompletionQueue queue = here.nic().createCompletionQueue(16);
        ProtectionDomain pd = here.nic().allocateProtectionDomain();
        MemoryRegion region = pd.allocate(4096, Access.ALL);
        QueuePair qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(queue));
        here.watch(qp);
        toInit(qp);
        assertThat(first.output().bulkWindow()).isEqualTo(NO_URGENT);
        toPeer(qp, first);
        assertThat(first.output().bulkWindow()).isLessThan(NO_URGENT);

        qp.modify(new QpAttributes().state(QpState.RESET));
        toInit(qp);
        assertThat(first.output().bulkWindow())
                .as("in INIT, before it has a peer")
                .isEqualTo(NO_URGENT);
        toPeer(qp, second);
        assertThat(first.output().bulkWindow()).isEqualTo(NO_URGENT);
        assertThat(second.output().bulkWindow()).isLessThan(NO_URGENT);

        long before = qp.statistics().bytes();
        qp.postSend(new SendRequest().write(second.region.key(), 0).local(region.key(), 0, 3000));
        simulation.runFor(10_000_000);
        List<WcStatus> statuses = new ArrayList<>();
        here.act(() -> queue.poll(c -> statuses.add(c.status()), 16));
        assertThat(statuses).containsExactly(WcStatus.SUCCESS);
        assertThat(qp.statistics().bytes() - before).isGreaterThanOrEqualTo(3000);
        qp.close();
        assertThat(second.output().bulkWindow()).isEqualTo(NO_URGENT);
    }
}
