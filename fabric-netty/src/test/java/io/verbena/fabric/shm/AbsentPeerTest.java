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
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests to a peer that is not there wait for its link, cost others nothing meanwhile, and are not forgotten. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class AbsentPeerTest {
    private static final int QUEUE_PAIRS = 100;

    /** As the timeout of a connection: 4.096 us x 2^20, 4.3 s. */
    private static final int LONG = 20;

    /** 4.096 us x 2^10, 4.2 ms. */
    private static final int SHORT = 10;

    private final Side sender = new Side();
    private final Side present = new Side();
    private final Side absent = new Side();
    private final List<QueuePair> waiting = new ArrayList<>();
    private final List<WcStatus> ended = new ArrayList<>();

    @BeforeEach
    void connect() {
        link(present);
        sender.connect(sender.qp, present, present.qp, LONG);
        present.connect(present.qp, sender, sender.qp, LONG);
    }

    @AfterEach
    void close() {
        List.of(sender, present, absent).forEach(side -> side.nic.close());
    }

    @Test
    void othersGoTheShortWay() {
        postToAbsent(LONG);
        SendRequest write = new SendRequest().write(present.region.key(), 0).local(sender.region.key(), 0, 8);
        for (int i = 0; i < 3; i++) {
            turn();
            assertThat(sender.qp.executeNow(write)).isTrue();
        }
    }

    @Test
    void whenThePeerComesTheyAreExecuted() {
        postToAbsent(LONG);
        turn();
        link(absent);
        await(QUEUE_PAIRS);
        assertThat(ended).containsOnly(WcStatus.SUCCESS);
    }

    @Test
    void whenItDoesNotComeTheyFail() {
        postToAbsent(SHORT);
        await(QUEUE_PAIRS);
        assertThat(ended).containsOnly(WcStatus.RETRY_EXC_ERR);
    }

    @Test
    void inErrTheyAreFlushed() {
        postToAbsent(LONG);
        turn();
        SendRequest write = new SendRequest().write(absent.region.key(), 0).local(sender.region.key(), 0, 8);
        for (QueuePair qp : waiting) {
            qp.modify(new QpAttributes().state(QpState.ERR));
            qp.postSend(write);
        }
        await(2 * QUEUE_PAIRS);
        assertThat(ended).containsOnly(WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void connectedAnewTheyGoThere() {
        postToAbsent(LONG);
        turn();
        for (QueuePair qp : waiting) {
            qp.modify(new QpAttributes().state(QpState.RESET));
            QueuePair other = present.newQueuePair();
            sender.connect(qp, present, other, LONG);
            present.connect(other, sender, qp, LONG);
            qp.postSend(new SendRequest().write(present.region.key(), 0).local(sender.region.key(), 0, 8));
        }
        await(QUEUE_PAIRS);
        assertThat(ended).containsOnly(WcStatus.SUCCESS);
    }

    private void postToAbsent(int timeout) {
        SendRequest write = new SendRequest().write(absent.region.key(), 0).local(sender.region.key(), 0, 8);
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            QueuePair qp = sender.newQueuePair();
            QueuePair other = absent.newQueuePair();
            sender.connect(qp, absent, other, timeout);
            absent.connect(other, sender, qp, timeout);
            qp.postSend(write);
            waiting.add(qp);
        }
    }

    private void link(Side side) {
        LocalFabric.connect(sender.nic.engine(0).endpoint(), side.nic.engine(0).endpoint());
        turn();
    }

    private void turn() {
        List.of(sender, present, absent).forEach(side -> side.nic.engine(0).doWork());
    }

    private void await(int completions) {
        while (ended.size() < completions) {
            turn();
            sender.cq.poll(wc -> ended.add(wc.status()), 16);
        }
    }

    private static final class Side {
        final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER));
        final CompletionQueue cq = nic.createCompletionQueue(4 * QUEUE_PAIRS);
        final ProtectionDomain pd = nic.allocateProtectionDomain();
        final MemoryRegion region = pd.allocate(64, Access.ALL);
        final QueuePair qp = newQueuePair();

        QueuePair newQueuePair() {
            return pd.createQueuePair(new QueuePairAttributes().completionQueue(cq));
        }

        void connect(QueuePair own, Side peer, QueuePair its, int timeout) {
            own.connect(
                    peer.nic.id(),
                    its.number(),
                    new ConnectAttributes().timeout(timeout).retryCount(1));
        }
    }
}
