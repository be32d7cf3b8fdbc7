package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(180)
class SharedReceiveQueueTest {
    private final VerbsPair p = new VerbsPair();
    private final VerbsPair.End a = p.a;
    private final VerbsPair.End b = p.b;
    private SharedReceiveQueue srq;
    private QueuePair sender;

    @BeforeEach
    void connect() {
        srq = b.pd.createSharedReceiveQueue(16, 2);
        sender = a.newQueuePair();
        p.connect(sender, b.pd.createQueuePair(sharing()));
        p.settle();
        a.events();
        b.events();
    }

    @AfterEach
    void close() {
        p.close();
    }

    private QueuePairAttributes sharing() {
        return new QueuePairAttributes().completionQueue(b.cq).sharedReceiveQueue(srq);
    }

    private void post(long from, long to) {
        for (long i = from; i < to; i++) {
            assertThat(srq.postReceive(i, b.region.key(), i * 16, 16)).isEqualTo(PostResult.POSTED);
        }
    }

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            sender.postSend(a.request.send().local(a.region.key(), 0, 8));
        }
        p.settle();
    }

    @ParameterizedTest
    @CsvSource({"0,1", "-1,1", "32769,1", "16,0", "16,33"})
    void attributesOutOfRangeAreRefused(int depth, int maxSge) {
        assertThatIllegalArgumentException().isThrownBy(() -> b.pd.createSharedReceiveQueue(depth, maxSge));
    }

    @Test
    void itIsQueried() {
        post(0, 5);
        srq.modify(3);
        assertThat(srq.query()).isEqualTo(new SharedReceiveQueue.Status(16, 2, 3, 5, 1));
        assertThat(srq.limit()).isEqualTo(3);
    }

    @Test
    void theLimitIsToldOnceAndArmedAgainByModify() {
        srq.modify(4);
        post(0, 10);
        send(6);
        assertThat(srq.size()).isEqualTo(4);
        assertThat(b.event()).as("not below").isNull();
        send(1);
        AsyncEvent event = b.event();
        assertThat(event.type()).isEqualTo(AsyncEventType.SRQ_LIMIT);
        assertThat(event.element()).isEqualTo(srq.number());
        event.acknowledge();
        assertThat(srq.limit()).as("disarmed").isZero();
        send(1);
        post(10, 16);
        send(6);
        assertThat(b.event()).as("once").isNull();
        post(16, 20);
        srq.modify(5);
        send(1);
        assertThat(b.event()).as("five left").isNull();
        send(1);
        assertThat(b.events()).containsExactly(AsyncEventType.SRQ_LIMIT);
        srq.modify(5);
        srq.modify(0);
        send(1);
        assertThat(b.event()).as("taken back").isNull();
    }

    @Test
    void aLimitOutOfRangeIsRefused() {
        srq.modify(7);
        assertThatIllegalArgumentException().isThrownBy(() -> srq.modify(17)).withMessageContaining("17");
        assertThatIllegalArgumentException().isThrownBy(() -> srq.modify(-1));
        assertThat(srq.limit()).isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource({"16", "32", "12", "1000"})
    void aResizeKeepsWhatIsPosted(int depth) {
        post(0, 9);
        send(9);
        post(9, 21); // around the end of the ring
        srq.resize(depth);
        assertThat(srq.depth()).isGreaterThanOrEqualTo(depth);
        assertThat(srq.size()).isEqualTo(12);
        send(12);
        assertThat(b.wcs).hasSize(21);
        List<Long> ids = new ArrayList<>();
        for (long i = 0; i < 21; i++) {
            ids.add(i);
        }
        assertThat(b.ids()).isEqualTo(ids);
        int room = srq.depth();
        for (int i = 0; i < room; i++) {
            assertThat(srq.postReceive(i, b.region.key(), 0, 16)).isEqualTo(PostResult.POSTED);
        }
        assertThat(srq.postReceive(0, b.region.key(), 0, 16)).isEqualTo(PostResult.QUEUE_FULL);
    }

    @Test
    void aResizeBelowWhatIsPostedOrTheLimitIsRefused() {
        post(0, 5);
        assertThatIllegalStateException()
                .isThrownBy(() -> srq.resize(4))
                .withMessageContaining("4")
                .withMessageContaining("5");
        srq.modify(8);
        assertThatIllegalStateException().isThrownBy(() -> srq.resize(7)).withMessageContaining("limit 8");
        assertThatIllegalArgumentException().isThrownBy(() -> srq.resize(0));
        assertThatIllegalArgumentException().isThrownBy(() -> srq.resize(SharedReceiveQueue.MAX_DEPTH + 1));
        assertThat(srq.depth()).isEqualTo(16);
        send(5);
        assertThat(b.ids()).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void receivesAreOfTheQueuesOwnDomain() {
        ProtectionDomain other = b.nic.allocateProtectionDomain();
        MemoryRegion foreign = other.allocate(4096, Access.LOCAL_WRITE);
        QueuePair stranger = other.createQueuePair(sharing());
        QueuePair toStranger = a.newQueuePair();
        p.connect(toStranger, stranger);
        srq.postReceive(1, b.region.key(), 0, 16);
        srq.postReceive(2, foreign.key(), 0, 16);
        a.region.buffer().putLong(0, 42);
        toStranger.postSend(a.request.send().local(a.region.key(), 0, 8));
        p.settle();
        assertThat(b.wcs).containsExactly(new VerbsPair.Wc(1, WcStatus.SUCCESS, stranger.number(), 8));
        assertThat(b.region.buffer().getLong(0)).isEqualTo(42);
        toStranger.postSend(a.request.send().local(a.region.key(), 0, 8));
        p.settle();
        assertThat(b.wcs.get(1).wrId()).isEqualTo(2);
        assertThat(b.wcs.get(1).status())
                .as("of the queue pair's domain, not of the queue's")
                .isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(a.statuses()).containsExactly(WcStatus.SUCCESS, WcStatus.REM_OP_ERR);
    }

    @Test
    void severalEntriesAreFilledInOrder() {
        for (int i = 0; i < 100; i++) {
            a.region.buffer().putByte(i, (byte) i);
        }
        ReceiveRequest request = new ReceiveRequest();
        srq.postReceive(request.wrId(7).local(b.region.key(), 1000, 30).local(b.region.key(), 5000, 70));
        sender.postSend(a.request.send().local(a.region.key(), 0, 100));
        p.settle();
        assertThat(b.wcs.get(0).byteLength()).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            assertThat(b.region.buffer().getByte(i < 30 ? 1000 + i : 5000 + i - 30))
                    .isEqualTo((byte) i);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> srq.postReceive(request.local(b.region.key(), 0, 1)))
                .withMessageContaining("3 scatter/gather entries > maximum 2");
        ReceiveRequest good = new ReceiveRequest().wrId(1).local(b.region.key(), 0, 16);
        assertThat(srq.postReceive(List.of(good, good))).isEqualTo(2);
        assertThat(srq.size()).isEqualTo(2);
    }

    @Test
    void queuePairsOfTwoEnginesDoNotShare() {
        try (Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER).engines(2))) {
            ProtectionDomain pd = nic.allocateProtectionDomain();
            SharedReceiveQueue shared = pd.createSharedReceiveQueue(16, 1);
            QueuePair first = pd.createQueuePair(new QueuePairAttributes()
                    .completionQueue(nic.createCompletionQueue(16, 0))
                    .sharedReceiveQueue(shared));
            QueuePairAttributes onTheOther = new QueuePairAttributes()
                    .completionQueue(nic.createCompletionQueue(16, 1))
                    .engine(1)
                    .sharedReceiveQueue(shared);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pd.createQueuePair(onTheOther))
                    .withMessageContaining("engine");
            first.close();
            pd.createQueuePair(onTheOther);
        }
    }

    @Test
    void itIsNotDestroyedInUseNorWhileItsEventsAreNotAcknowledged() {
        srq.modify(1);
        post(0, 1);
        send(1);
        AsyncEvent event = b.event();
        assertThat(event.type()).isEqualTo(AsyncEventType.SRQ_LIMIT);
        assertThatIllegalStateException()
                .isThrownBy(srq::close)
                .withMessageContaining("EBUSY")
                .withMessageContaining("used by queue pairs [" + b.wcs.get(0).qp() + "]");
        event.acknowledge();
        SharedReceiveQueue unused = b.pd.createSharedReceiveQueue(4, 1);
        b.nic.events().raise(AsyncEventType.SRQ_LIMIT, unused.number());
        AsyncEvent its = b.nic.pollAsyncEvent();
        assertThatIllegalStateException()
                .isThrownBy(unused::close)
                .withMessageContaining("EBUSY")
                .withMessageContaining("1 asynchronous events");
        its.acknowledge();
        unused.close();
        unused.close();
        assertThatIllegalStateException().isThrownBy(() -> unused.postReceive(1, 2, 3, 4));
        assertThatIllegalStateException().isThrownBy(() -> unused.postReceive(new ReceiveRequest()));
        assertThatIllegalStateException().isThrownBy(() -> unused.modify(1));
        assertThatIllegalStateException().isThrownBy(() -> unused.resize(1));
        assertThatIllegalStateException().isThrownBy(unused::query);
        assertThatIllegalStateException()
                .isThrownBy(() -> b.pd.createQueuePair(
                        new QueuePairAttributes().completionQueue(b.cq).sharedReceiveQueue(unused)));
    }
}
