package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Receives that several queue pairs share. */
@SuppressWarnings("NullAway.Init") // before each test
final class SharedReceiveQueueTest extends ConformanceTest {
    private static final int PAIRS = 3;

    private SharedReceiveQueue srq;
    private final QueuePair[] from = new QueuePair[PAIRS];
    private final QueuePair[] to = new QueuePair[PAIRS];

    @BeforeEach
    void share() {
        srq = b.pd.createSharedReceiveQueue(64, 2);
        for (int i = 0; i < PAIRS; i++) {
            from[i] = a.newQueuePair();
            to[i] = b.pd.createQueuePair(b.attributes().sharedReceiveQueue(srq));
            p.connect(from[i], to[i], attributes().rnrRetry(1));
        }
    }

    private void post(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(srq.postReceive(i, b.key(), i * 100L, 100)).isEqualTo(PostResult.POSTED);
        }
    }

    private void send(int pair) {
        int before = a.sends.size();
        from[pair].postSend(a.request.send().wrId(before).local(a.key(), 0, 50));
        p.untilSent(before + 1);
        p.settle();
    }

    @Proves(Row.SRQ_SHARED)
    @Test
    void severalTakeFromOne() {
        post(30);
        for (int i = 0; i < 30; i++) {
            a.fill(0, 50, i);
            send(i % PAIRS);
            assertThat(b.receives.get(i).wrId()).isEqualTo(i);
            assertThat(b.receives.get(i).qp()).isEqualTo(to[i % PAIRS].number());
            assertThat(b.holds(i * 100, 50, i)).isTrue();
        }
        assertThat(srq.size()).isZero();
        send(0);
        assertThat(a.sends.get(30).status()).isEqualTo(WcStatus.RNR_RETRY_EXC_ERR);
    }

    @Proves({Row.SRQ_LIMIT_EVENT, Row.EV_SRQ_LIMIT})
    @Test
    void theLimitEventComesOnceAndCanBeArmedAgain() {
        post(10);
        srq.modify(8);
        send(0);
        send(1);
        assertThat(b.count(AsyncEventType.SRQ_LIMIT))
                .as("8 are left, 8 is the limit")
                .isZero();
        send(2);
        assertThat(b.count(AsyncEventType.SRQ_LIMIT)).isEqualTo(1);
        send(0);
        send(1);
        assertThat(b.count(AsyncEventType.SRQ_LIMIT)).as("once").isEqualTo(1);
        assertThat(srq.limit()).as("disarmed").isZero();
        srq.modify(5);
        assertThat(srq.limit()).isEqualTo(5);
        send(2);
        assertThat(b.events.stream()
                        .filter(e -> e.type() == AsyncEventType.SRQ_LIMIT)
                        .map(AsyncEvent::element)
                        .toList())
                .containsExactly((long) srq.number(), (long) srq.number());
        refused(() -> srq.modify(-1), -1);
        refused(() -> srq.modify(srq.depth() + 1), srq.depth() + 1);
    }

    @Proves({Row.SRQ_NOT_FLUSHED, Row.EV_LAST_WQE_REACHED})
    @Test
    void aQueuePairInErrLeavesItToTheOthers() {
        post(5);
        to[0].modify(new QpAttributes().state(QpState.ERR));
        p.settle();
        assertThat(b.receives).isEmpty();
        assertThat(srq.size()).isEqualTo(5);
        assertThat(b.events.stream()
                        .filter(e -> e.type() == AsyncEventType.LAST_WQE_REACHED)
                        .map(AsyncEvent::element)
                        .toList())
                .containsExactly((long) to[0].number());
        send(1);
        assertThat(b.receiveIds()).containsExactly(0L);
    }

    @Proves(Row.SRQ_DOMAIN)
    @Test
    void regionsMustBeOfItsOwnDomain() {
        ProtectionDomain other = b.nic.allocateProtectionDomain();
        MemoryRegion foreign = other.allocate(100, Access.ALL);
        srq.postReceive(7, foreign.key(), 0, 100);
        send(0);
        assertThat(a.sendStatuses()).containsExactly(WcStatus.REM_OP_ERR);
        assertThat(b.receiveIds()).containsExactly(7L);
        assertThat(b.receiveStatuses()).containsExactly(WcStatus.LOC_PROT_ERR);
        assertThat(foreign.buffer().getLong(0)).isZero();
    }

    @Proves(Row.SRQ_TRANSPORTS)
    @Test
    void forReliableConnectionsAndDatagramsOnly() {
        refused(() -> b.pd.createQueuePair(b.attributes().type(QpType.UC).sharedReceiveQueue(srq)), "UC");
        QueuePair datagrams =
                b.pd.createQueuePair(b.attributes().type(QpType.UD).sharedReceiveQueue(srq));
        datagrams.activate(5);
        QueuePair sender = a.pd.createQueuePair(a.attributes().type(QpType.UD));
        sender.activate(5);
        post(1);
        sender.postSend(a.request
                .send()
                .to(a.pd.createAddressHandle(b.nic.id()), datagrams.number(), 5)
                .local(a.key(), 0, 8));
        p.until(() -> b.receives.size() == 1);
        assertThat(b.receives.get(0).qp()).isEqualTo(datagrams.number());
        assertThat(b.receives.get(0).isSuccess()).isTrue();
    }

    @Proves(Row.SRQ_RESIZE)
    @Test
    void resizeKeepsWhatIsPostedAndIsNotBelowIt() {
        post(10);
        refused(() -> srq.resize(8), 8, 10);
        refused(() -> srq.resize(0), 0);
        srq.resize(16);
        assertThat(srq.depth()).isEqualTo(16);
        PostResult result = PostResult.POSTED;
        int more = 0;
        while (result == PostResult.POSTED && more < 100) {
            result = srq.postReceive(10 + more++, b.key(), 0, 100);
        }
        assertThat(more - 1).isEqualTo(6);
        srq.resize(32);
        for (int i = 0; i < 16; i++) {
            send(i % PAIRS);
        }
        assertThat(b.receiveIds()).isSorted().hasSize(16);
    }

    @Proves(Row.SRQ_BUSY)
    @Test
    void destroyWithQueuePairsIsBusy() {
        refused(srq::close, "EBUSY");
        for (QueuePair qp : to) {
            qp.close();
        }
        srq.close();
        srq.close();
        refused(() -> srq.postReceive(1, b.key(), 0, 1), srq.number());
    }
}
