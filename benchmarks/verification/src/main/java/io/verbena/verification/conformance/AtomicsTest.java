package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.memory.Access;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Atomics: each is one, whoever else is at the word. */
final class AtomicsTest extends ConformanceTest {
    @Proves(Row.ATOMIC_AMONG_QPS)
    @Test
    void amongAllQueuePairsOfTheNic() {
        int pairs = 8;
        int each = 40;
        List<QueuePair> from = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            QueuePair qpA = a.newQueuePair();
            QueuePair qpB = b.newQueuePair();
            p.connect(qpA, qpB, attributes());
            from.add(qpA);
        }
        for (int i = 0; i < each; i++) {
            for (int k = 0; k < pairs; k++) {
                a.request.fetchAdd(b.key(), 0, 1).local(a.key(), 8L * (i * pairs + k), 8);
                from.get(k).post(a.request);
            }
        }
        from.forEach(QueuePair::doorbell);
        p.untilSent(pairs * each);
        assertThat(b.word(0)).isEqualTo((long) pairs * each);
        Set<Long> originals = new HashSet<>();
        for (int i = 0; i < pairs * each; i++) {
            originals.add(a.word(8 * i));
        }
        assertThat(originals).hasSize(pairs * each);
    }

    @Proves(Row.ATOMIC_AMONG_QPS)
    @Test
    void aLockByCompareAndSwapIsTakenByOne() {
        QueuePair[] from = new QueuePair[4];
        for (int i = 0; i < from.length; i++) {
            from[i] = a.newQueuePair();
            p.connect(from[i], b.newQueuePair(), attributes());
            from[i].post(a.request.compareSwap(b.key(), 64, 0, i + 1).local(a.key(), 8L * i, 8));
        }
        for (QueuePair qp : from) {
            qp.doorbell();
        }
        p.untilSent(4);
        long winner = b.word(64);
        assertThat(winner).isBetween(1L, 4L);
        for (int i = 0; i < from.length; i++) {
            assertThat(a.word(8 * i)).isEqualTo(i + 1 == winner ? 0 : winner);
        }
    }

    @Proves(Row.ATOMIC_WITH_CPU)
    @Test
    void withTheCpu() throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        long[] added = new long[1];
        Thread cpu = new Thread(() -> {
            while (!stop.get()) {
                b.region.buffer().getAndAddLong(0, 1);
                added[0]++;
            }
        });
        cpu.start();
        try {
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 100; i++) {
                    a.qp.post(a.request.fetchAdd(b.key(), 0, 1).local(a.key(), 0, 8));
                }
                a.qp.doorbell();
                p.untilSent((round + 1) * 100);
            }
        } finally {
            stop.set(true);
            cpu.join();
        }
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(b.word(0)).isEqualTo(2_000 + added[0]);
    }

    private void connect(int maxRdAtomic, int peersMaxDest) {
        p.close();
        use(Players.linked(fabric));
        connect(a, b.nic.id(), b.qp.number(), maxRdAtomic, 16);
        connect(b, a.nic.id(), a.qp.number(), 16, peersMaxDest);
    }

    private static void connect(TestNic player, long peerNic, int peerQp, int maxRdAtomic, int maxDest) {
        player.qp.modify(new QpAttributes()
                .state(QpState.INIT)
                .access(Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC));
        player.qp.modify(new QpAttributes()
                .state(QpState.RTR)
                .peerNic(peerNic)
                .peerQp(peerQp)
                .pathMtu(MTU)
                .receivePsn(0)
                .maxDestRdAtomic(maxDest)
                .minRnrTimer(1));
        player.qp.modify(new QpAttributes()
                .state(QpState.RTS)
                .sendPsn(0)
                .timeout(5)
                .retryCount(7)
                .rnrRetry(7)
                .maxRdAtomic(maxRdAtomic));
    }

    @Proves(Row.DEST_RD_ATOMIC_ZERO)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPeerWithoutResponderResourcesRefuses(boolean atomic) {
        connect(4, 0);
        if (atomic) {
            a.qp.postSend(a.request.fetchAdd(b.key(), 0, 1).local(a.key(), 0, 8));
        } else {
            a.qp.postSend(a.request.read(b.key(), 0).local(a.key(), 0, 8));
        }
        expectRemoteError(WcStatus.REM_INV_REQ_ERR);
    }

    @Proves(Row.DEST_RD_ATOMIC_ZERO)
    @Test
    void aWriteNeedsNone() {
        connect(4, 0);
        a.fill(0, 5_000, 1);
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 5_000));
        p.untilSent(1);
        assertThat(b.holds(0, 5_000, 1)).isTrue();
    }

    @Proves(Row.RD_ATOMIC_LIMIT)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void noMoreAreUnderWayThanTheLimit(int limit) {
        needsPackets();
        connect(limit, 16);
        p.toA.cut(true); // no answers: what is asked at first is the limit
        for (int i = 0; i < 10; i++) {
            a.qp.post(a.request.fetchAdd(b.key(), 0, 1).wrId(i).local(a.key(), 8L * i, 8));
        }
        a.qp.doorbell();
        p.runFor(50 * MICRO);
        assertThat(p.toB.sent).isEqualTo(limit);
        p.toA.cut(false);
        p.untilSent(10);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(b.word(0)).isEqualTo(10);
    }
}
