package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.engine.EngineAgent;
import io.verbena.nic.verbs.EngineMode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Who sends in the mode ASSISTED: a thread that posts does, while its group is alone; beside another group the engine's
 * own thread does, so that who posts has something queued when room comes. The engine's thread is held here, so it is
 * seen who did not wait for it.
 */
@Timeout(180)
class AssistedSharingTest {
    private final Nic near = Nic.open(new NicContext().mode(EngineMode.ASSISTED));
    private final Nic far = Nic.open(new NicContext().mode(EngineMode.INVOKER));
    private final CompletionQueue farCompletions = far.createCompletionQueue(16);
    private final ProtectionDomain farDomain = far.allocateProtectionDomain();
    private final AppendQueue queue = farDomain.createAppendQueue(new AppendQueueAttributes());
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    private int taken;

    @BeforeEach
    void link() {
        LocalFabric.connect(near.engine(0).endpoint(), far.engine(0).endpoint());
    }

    @AfterEach
    void close() {
        over.countDown();
        near.close();
        far.close();
    }

    private QueuePair queuePair(String group, TrafficClass trafficClass) {
        ProtectionDomain domain = near.allocateProtectionDomain(near.createGroup(new GroupAttributes().name(group)));
        QueuePair qp =
                domain.createQueuePair(new QueuePairAttributes().completionQueue(near.createCompletionQueue(16)));
        QueuePair peer = farDomain.createQueuePair(new QueuePairAttributes().completionQueue(farCompletions));
        qp.connect(far.id(), peer.number(), new ConnectAttributes());
        peer.connect(near.id(), qp.number(), new ConnectAttributes());
        qp.modify(new QpAttributes().trafficClass(trafficClass));
        return qp;
    }

    private void post(QueuePair qp) {
        SendRequest request = new SendRequest().append(queue.id(), queue.key()).signaled(false);
        assertThat(qp.postSend(request.inline(message, 0, 8))).isEqualTo(PostResult.POSTED);
    }

    private int taken() {
        far.engine(0).doWork();
        taken += queue.poll((buffer, offset, length, qp, immediate, flags) -> {}, 16);
        return taken;
    }

    private void awaitTaken(int count) {
        while (taken() < count) {
            Thread.onSpinWait();
        }
    }

    /** Twice, for the first to send is alone then. */
    private void sendInTurn(QueuePair one, QueuePair other) {
        for (int i = 0; i < 2; i++) {
            post(one);
            awaitTaken(2 * i + 1);
            post(other);
            awaitTaken(2 * i + 2);
        }
    }

    /** The engine's own thread does no turn from here on. */
    private void hold() throws InterruptedException {
        near.engine(0).agent(new EngineAgent() {
            @Override
            public int doWork() {
                inside.countDown();
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return 0;
            }

            @Override
            public long nextDeadline() {
                return Long.MAX_VALUE;
            }
        });
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aGroupThatIsAloneSendsAtOnce() throws InterruptedException {
        QueuePair qp = queuePair("alone", TrafficClass.BULK);
        post(qp);
        awaitTaken(1);
        hold();

        post(qp);
        assertThat(qp.mayAssist()).isTrue();
        assertThat(taken()).isEqualTo(2);
    }

    @Test
    void besideAnotherTheEnginesThreadSends() throws InterruptedException {
        QueuePair qp = queuePair("one", TrafficClass.BULK);
        QueuePair other = queuePair("another", TrafficClass.BULK);
        sendInTurn(qp, other);
        hold();

        post(qp);
        assertThat(qp.mayAssist()).isFalse();
        assertThat(taken()).isEqualTo(4);
        assertThat(qp.outstanding()).isEqualTo(1);
        over.countDown();
        awaitTaken(5);
    }

    @Test
    void whatIsUrgentDoesNotWait() throws InterruptedException {
        QueuePair qp = queuePair("one", TrafficClass.URGENT);
        QueuePair other = queuePair("another", TrafficClass.BULK);
        sendInTurn(qp, other);
        hold();

        post(qp);
        assertThat(taken()).isEqualTo(5);
    }
}
