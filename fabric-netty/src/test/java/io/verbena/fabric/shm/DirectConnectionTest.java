package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whoever does not belong to a connection gets as little through mapped memory as by packets: another NIC whose queue
 * pair happens to have the same number, the peer of before, one that begins with another PSN.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class DirectConnectionTest {
    private final List<Side> sides = new ArrayList<>();
    private Side owner;
    private Side friend;
    private Side stranger;

    @BeforeEach
    void open() {
        owner = new Side();
        friend = new Side();
        stranger = new Side();
        for (Side side : List.of(friend, stranger)) {
            LocalFabric.connect(
                    side.nic.engine(0).endpoint(), owner.nic.engine(0).endpoint());
        }
        friend.connectTo(owner, 0);
        owner.connectTo(friend, 0);
    }

    @AfterEach
    void close() {
        sides.forEach(side -> side.nic.close());
    }

    @Test
    void theConnectedOneGetsThrough() {
        assertThat(all(friend)).containsOnly(WcStatus.SUCCESS).hasSize(4);
        assertThat(friend.nic.counter(NicCounter.DIRECT_OPERATIONS)).isEqualTo(4);
    }

    @Test
    void anotherNicWithTheSameNumberDoesNot() {
        assertThat(stranger.qp.number()).isEqualTo(friend.qp.number());
        stranger.connectTo(owner, 0);
        assertNothingGetsThrough(stranger);
    }

    @Test
    void theOneOfBeforeDoesNot() {
        owner.qp.modify(new QpAttributes().state(QpState.RESET));
        stranger.connectTo(owner, 0);
        owner.connectTo(stranger, 0);
        assertNothingGetsThrough(friend);
        assertThat(all(stranger)).containsOnly(WcStatus.SUCCESS).hasSize(4);
    }

    @Test
    void theOneThatBeginsWithAnotherPsnDoesNot() {
        friend.qp.modify(new QpAttributes().state(QpState.RESET));
        friend.connectTo(owner, 100);
        assertNothingGetsThrough(friend);
    }

    private void assertNothingGetsThrough(Side side) {
        owner.region.buffer().setMemory(0, 64, (byte) 7);
        assertThat(all(side)).doesNotContain(WcStatus.SUCCESS).hasSize(4);
        for (int i = 0; i < 64; i++) {
            assertThat(owner.region.buffer().getByte(i)).isEqualTo((byte) 7);
        }
        assertThat(owner.queue.poll((buffer, offset, length, qp, immediate, flags) -> {}, 1))
                .isZero();
    }

    /** How a request of each kind ends. */
    private List<WcStatus> all(Side side) {
        List<WcStatus> statuses = new ArrayList<>();
        SendRequest request = new SendRequest();
        int key = owner.region.key();
        side.qp.postSend(request.write(key, 0).local(side.region.key(), 0, 8));
        side.qp.postSend(request.read(key, 8).local(side.region.key(), 0, 8));
        side.qp.postSend(request.fetchAdd(key, 16, 1).local(side.region.key(), 0, 8));
        side.qp.postSend(request.append(owner.queue.id(), owner.queue.key()).local(side.region.key(), 0, 8));
        while (statuses.size() < 4) {
            sides.forEach(each -> each.nic.engine(0).doWork());
            side.cq.poll(wc -> statuses.add(wc.status()), 16);
        }
        return statuses;
    }

    private final class Side {
        final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER));
        final CompletionQueue cq = nic.createCompletionQueue(16);
        final MemoryRegion region;
        final AppendQueue queue;
        final QueuePair qp;

        Side() {
            ProtectionDomain pd = nic.allocateProtectionDomain();
            region = pd.allocate(64, Access.ALL);
            queue = pd.createAppendQueue(new AppendQueueAttributes());
            qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(cq));
            sides.add(this);
        }

        void connectTo(Side peer, int psn) {
            ConnectAttributes attributes =
                    new ConnectAttributes().sendPsn(psn).timeout(10).retryCount(1);
            qp.connect(peer.nic.id(), peer.qp.number(), attributes);
        }
    }
}
