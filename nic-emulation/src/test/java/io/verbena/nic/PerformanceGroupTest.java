package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class PerformanceGroupTest {
    private final Nic nic =
            Nic.open(new NicContext().mode(EngineMode.INVOKER).maxGroups(4).capacity(1_000_000));

    @AfterEach
    void close() {
        nic.close();
    }

    @Test
    void thereIsADefaultGroup() {
        PerformanceGroup all = nic.defaultGroup();
        assertThat(nic.groups()).containsExactly(all);
        assertThat(all.name()).isEqualTo("default");
        assertThat(all.index()).isZero();
        try (ProtectionDomain pd = nic.allocateProtectionDomain()) {
            assertThat(pd.limits().name()).isEqualTo("default");
        }
        assertThatThrownBy(all::close).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void createsSetsQueriesAndDestroys() {
        PerformanceGroup a = nic.createGroup(new GroupAttributes().name("a").weight(3));
        assertThat(a.index()).isEqualTo(1);
        assertThat(a.query().weight()).isEqualTo(3);
        a.set(a.query()
                .weight(65_535)
                .maxQueuePairWeight(7)
                .ceiling(5000)
                .floor(10)
                .mayBeUrgent(false)
                .urgentLimit(1));
        GroupAttributes now = a.query();
        assertThat(now.weight()).isEqualTo(65_535);
        assertThat(now.maxQueuePairWeight()).isEqualTo(7);
        assertThat(now.ceiling()).isEqualTo(5000);
        assertThat(now.floor()).isEqualTo(10);
        assertThat(now.mayBeUrgent()).isFalse();
        assertThat(now.urgentLimit()).isEqualTo(1);
        assertThat(a.flows().weight()).isEqualTo(65_535);
        assertThat(a.flows().ceilingBytesPerSecond()).isEqualTo(5000);
        assertThat(a.flows().floorBytesPerSecond()).isEqualTo(10);
        a.close();
        a.close();
        assertThat(nic.groups()).hasSize(1);
        assertThatThrownBy(() -> a.set(now)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> nic.allocateProtectionDomain(a)).isInstanceOf(IllegalStateException.class);
        assertThat(nic.createGroup(new GroupAttributes().name("a")).index()).isEqualTo(1);
    }

    @Test
    void whatItGivesOutIsACopy() {
        PerformanceGroup a = nic.createGroup(new GroupAttributes().name("a").weight(3));
        a.query().weight(9);
        try (ProtectionDomain pd = nic.allocateProtectionDomain(a)) {
            pd.limits().weight(9).maxQueuePairs(1);
        }
        assertThat(a.query().weight()).isEqualTo(3);
        assertThat(a.query().maxQueuePairs()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void aRefusedCallChangesNothing() {
        PerformanceGroup a = nic.createGroup(new GroupAttributes().name("a").weight(3));
        PerformanceGroup b = nic.createGroup(new GroupAttributes().name("b").floor(600_000));
        assertThatThrownBy(() -> a.set(a.query().weight(5).floor(400_001)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1000001")
                .hasMessageContaining("1000000");
        assertThat(a.query().weight()).isEqualTo(3);
        assertThat(a.flows().weight()).isEqualTo(3);
        b.set(b.query().floor(1_000_000)); // its own earlier floor does not count
        assertThatThrownBy(() -> a.set(a.query().ceiling(10).floor(11))).hasMessageContaining("floor 11 > ceiling 10");
        assertThatThrownBy(() -> a.set(new GroupAttributes().name("b"))).hasMessageContaining("a name is for good");
        assertThatThrownBy(() -> nic.createGroup(new GroupAttributes())).hasMessageContaining("needs a name");
        assertThatThrownBy(() -> nic.createGroup(new GroupAttributes().name("a")))
                .hasMessage("there is a group a of weight 3, number 1; the new one has weight 1");
        assertThat(nic.groups()).hasSize(3);
    }

    @Test
    void isBusyWhileAProtectionDomainIsInIt() {
        PerformanceGroup a = nic.createGroup(new GroupAttributes().name("a"));
        ProtectionDomain pd = nic.allocateProtectionDomain(a);
        assertThatThrownBy(a::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("EBUSY")
                .hasMessageContaining("1 protection domains");
        pd.close();
        pd.close();
        a.close();
    }

    @Test
    void aBusyEngineHoldsUpNeitherTheCallNorTheOthers() throws Exception {
        try (Nic two = Nic.open(new NicContext().mode(EngineMode.INVOKER).engines(2))) {
            PerformanceGroup a = two.createGroup(new GroupAttributes().name("a").weight(3));
            ProtectionDomain pd = two.allocateProtectionDomain(a);
            QueuePair free = urgent(pd, two, 0);
            QueuePair held = urgent(pd, two, 1);
            CountDownLatch busy = new CountDownLatch(1);
            CountDownLatch done = new CountDownLatch(1);
            Thread holder = new Thread(() -> two.engine(1).call(() -> {
                busy.countDown();
                awaitQuietly(done);
            }));
            holder.start();
            busy.await();

            a.set(a.query().weight(5).mayBeUrgent(false));

            assertThat(a.query().weight()).isEqualTo(5);
            assertThat(a.flows().weight()).isEqualTo(5);
            assertThat(free.trafficClass()).isEqualTo(TrafficClass.BULK);
            assertThat(held.trafficClass()).isEqualTo(TrafficClass.URGENT);
            assertThat(a.urgentQueuePairs()).isEqualTo(1);
            two.engine(0).call(() -> {}); // nobody has kept it
            done.countDown();
            holder.join();
            two.engine(1).doWork();
            assertThat(held.trafficClass()).isEqualTo(TrafficClass.BULK);
        }
    }

    @Test
    void whatABusyEngineHearsLateComesInOrder() throws Exception {
        PerformanceGroup a = nic.createGroup(new GroupAttributes().name("a"));
        QueuePair qp = urgent(nic.allocateProtectionDomain(a), nic, 0);
        CountDownLatch told = new CountDownLatch(1);
        Thread other = new Thread(() -> {
            a.set(a.query().mayBeUrgent(false));
            a.set(a.query().mayBeUrgent(true));
            told.countDown();
        });
        nic.engine(0).call(() -> {
            other.start();
            awaitQuietly(told);
        });
        other.join();
        assertThat(qp.trafficClass()).isEqualTo(TrafficClass.URGENT); // has not heard of it
        qp.modify(new QpAttributes().trafficClass(TrafficClass.URGENT));
        assertThat(qp.trafficClass()).isEqualTo(TrafficClass.URGENT);
        nic.engine(0).doWork();
        assertThat(qp.trafficClass()).isEqualTo(TrafficClass.URGENT);
    }

    private static QueuePair urgent(ProtectionDomain pd, Nic nic, int engine) {
        QueuePair qp = pd.createQueuePair(new QueuePairAttributes()
                .completionQueue(nic.createCompletionQueue(16, engine))
                .engine(engine));
        qp.modify(new QpAttributes().state(QpState.INIT).access(0).trafficClass(TrafficClass.URGENT));
        return qp;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void numbersOfProtectionDomainsComeAgain() {
        ProtectionDomain stays = nic.allocateProtectionDomain();
        ProtectionDomain last = nic.allocateProtectionDomain();
        for (int i = 0; i < 70_000; i++) { // of 65,535 numbers
            last.close();
            int before = last.number();
            last = nic.allocateProtectionDomain();
            assertThat(last.number()).isNotIn(stays.number(), before);
        }
        assertThat(nic.defaultGroup().queuePairs()).isZero();
    }

    @Test
    void thereAreNoMoreThanAreAllowed() {
        for (int i = 0; i < 3; i++) {
            nic.createGroup(new GroupAttributes().name("g" + i));
        }
        assertThatThrownBy(() -> nic.createGroup(new GroupAttributes().name("g3")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("groups 5 > maximum 4");
    }

    @Test
    void limitsQueuePairs() {
        PerformanceGroup a = nic.createGroup(new GroupAttributes().name("a").maxQueuePairs(2));
        ProtectionDomain one = nic.allocateProtectionDomain(a);
        ProtectionDomain other = nic.allocateProtectionDomain(a);
        CompletionQueue cq = nic.createCompletionQueue(16);
        QueuePair first = one.createQueuePair(new QueuePairAttributes().completionQueue(cq));
        other.createQueuePair(new QueuePairAttributes().completionQueue(cq));
        assertThatThrownBy(() -> other.createQueuePair(new QueuePairAttributes().completionQueue(cq)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("queue pairs 3 > maximum 2");
        first.close();
        other.createQueuePair(new QueuePairAttributes().completionQueue(cq));
        assertThat(a.queuePairs()).isEqualTo(2);
    }

    @Test
    void aGroupOfAnotherNicIsRefused() {
        try (Nic stranger = Nic.open(new NicContext().mode(EngineMode.INVOKER))) {
            PerformanceGroup theirs = stranger.createGroup(new GroupAttributes().name("x"));
            assertThatThrownBy(() -> nic.allocateProtectionDomain(theirs)).hasMessageContaining("of another NIC");
        }
    }

    @Test
    void namesMayStandInALine() {
        for (String bad : new String[] {"", "a b", "a\n", "\"", "\\", "ü", "x".repeat(65)}) {
            assertThatThrownBy(() -> new GroupAttributes().name(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new GroupAttributes().weight(0)).hasMessageContaining("weight 0 outside 1..65535");
        assertThatThrownBy(() -> new GroupAttributes().weight(65_536)).hasMessageContaining("65536 outside 1..65535");
        assertThatThrownBy(() -> new GroupAttributes().urgentLimit(65_537)).hasMessageContaining("65537");
    }
}
