package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queue pairs with rate limits, whole NICs in virtual time, over a link of 10 Gb/s. */
@Timeout(180)
class RateLimitTest {
    private static final long MILLI = 1_000_000;
    private static final int LARGE = 1 << 20;

    private final Simulation simulation = new Simulation(5);
    private final SimFabric fabric = new SimFabric(simulation);
    private final SimNode near = new SimNode(simulation, fabric, "near", 1, new SimNode.Options());
    private final SimNode far = new SimNode(simulation, fabric, "far", 2, new SimNode.Options());
    private final PerformanceGroup group = near.nic().createGroup(new GroupAttributes().name("limited"));
    private final ProtectionDomain here = near.nic().allocateProtectionDomain(group);
    private final ProtectionDomain there = far.nic().allocateProtectionDomain();
    private final MemoryRegion source = here.allocate(LARGE, Access.ALL);
    private final MemoryRegion target = there.allocate(LARGE, Access.ALL);
    private final CompletionQueue theirs = far.nic().createCompletionQueue(64);
    private final ConnectAttributes attributes =
            new ConnectAttributes().access(Access.ALL).pathMtu(1024);

    RateLimitTest() {
        fabric.connect(
                near.nic().engine(0).endpoint(),
                far.nic().engine(0).endpoint(),
                new LinkProfile().rate(10_000_000_000L).overhead(58).maxPacket(1500));
        simulation.runFor(0);
    }

    /** A queue pair that always has writes of one size posted. */
    private final class Load {
        final CompletionQueue done = near.nic().createCompletionQueue(256);
        final QueuePair qp = here.createQueuePair(
                new QueuePairAttributes().completionQueue(done).maxSend(256));
        final SendRequest request = new SendRequest();
        final int size;
        final List<WcStatus> failures = new ArrayList<>();
        int outstanding;
        long completed;

        Load(int size) {
            this.size = size;
            QueuePair peer = there.createQueuePair(new QueuePairAttributes().completionQueue(theirs));
            qp.connect(far.nicId(), peer.number(), attributes);
            peer.connect(near.nicId(), qp.number(), attributes);
            simulation.add("load " + qp.number(), this::pump);
        }

        private int pump() {
            int work = done.poll(
                    c -> {
                        outstanding--;
                        completed++;
                        if (c.status() != WcStatus.SUCCESS) {
                            failures.add(c.status());
                        }
                    },
                    64);
            while (outstanding < 16 && failures.isEmpty()) {
                qp.post(request.write(target.key(), 0).local(source.key(), 0, size));
                outstanding++;
                work++;
            }
            if (work > 0) {
                qp.doorbell();
            }
            return work;
        }

        void limit(RateLimit limit) {
            qp.modify(new QpAttributes().rateLimit(limit));
        }

        long bytes() {
            return qp.statistics().bytes();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1000000, 64",
        "1000000, 4096",
        "20000000, 200",
        "100000000, 1000",
        "100000000, 500000",
        "500000000, 65536"
    })
    void bytesASecond(long rate, int size) {
        Load load = new Load(size);
        load.limit(RateLimit.bytes(rate));
        assertThat(load.qp.rateLimit()).isEqualTo(RateLimit.bytes(rate));
        for (int i = 1; i <= 5; i++) {
            simulation.runFor(20 * MILLI);
            long due = rate / 50 * i;
            assertThat(load.bytes()).isBetween(due - rate / 500 - 1500, due + rate / 500 + 1500);
        }
        assertThat(load.failures).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1000, 12_345, 200_000})
    void operationsASecond(long rate) {
        Load load = new Load(100);
        load.limit(RateLimit.operations(rate));
        simulation.runFor(100 * MILLI);
        long messages = load.qp.statistics().messages();
        assertThat(messages).isBetween(rate / 10 - rate / 500 - 1, rate / 10 + rate / 500 + 1);
        assertThat(load.failures).isEmpty();
    }

    @Test
    void theLowerOfQueuePairAndGroupHolds() {
        Load one = new Load(1000);
        Load two = new Load(1000);
        one.limit(RateLimit.bytes(10_000_000));
        group.set(group.query().ceiling(50_000_000));
        simulation.runFor(100 * MILLI);
        assertThat(one.bytes()).isBetween(970_000L, 1_030_000L);
        assertThat(one.bytes() + two.bytes()).isBetween(4_900_000L, 5_150_000L);
        group.set(group.query().ceiling(4_000_000));
        long before = one.bytes() + two.bytes();
        simulation.runFor(100 * MILLI);
        assertThat(one.bytes() + two.bytes() - before).isBetween(330_000L, 470_000L);
    }

    @Test
    void aRateChangesWhileTrafficRuns() {
        Load load = new Load(1000);
        long[] rates = {50_000_000, 5_000_000, 200_000_000, 1_000_000, 80_000_000};
        for (long rate : rates) {
            load.limit(RateLimit.bytes(rate));
            long before = load.bytes();
            simulation.runFor(50 * MILLI);
            assertThat(load.bytes() - before).isBetween(rate / 20 - 420_000 / 2, rate / 20 + 420_000 / 2);
        }
        load.limit(RateLimit.NONE);
        long before = load.bytes();
        simulation.runFor(50 * MILLI);
        assertThat(load.bytes() - before).as("as fast as the link").isGreaterThan(20_000_000);
        assertThat(load.failures).isEmpty();
    }

    /** Between two packets of a message lies more than the time for an answer: nothing is sent twice for that. */
    @Test
    void aMessageMaySlowlyArrive() {
        Load load = new Load(8 * 1024);
        load.limit(RateLimit.bytes(400));
        simulation.runFor(120_000 * MILLI);
        assertThat(load.failures).isEmpty();
        assertThat(load.completed).isEqualTo(5);
        assertThat(load.bytes()).isBetween(48_000L - 1200, 48_000L + 1200);
        assertThat(near.nic().counter(NicCounter.RETRANSMISSIONS)).isZero();
    }

    /** An unlimited queue pair beside one that waits for its rate has the whole link. */
    @Test
    void whoIsUnlimitedHasTheRest() {
        Load free = new Load(65_536);
        simulation.runFor(20 * MILLI);
        long alone = free.bytes();
        Load limited = new Load(1000);
        limited.limit(RateLimit.operations(1000));
        simulation.runFor(20 * MILLI);
        assertThat(free.bytes() - alone).isGreaterThan(alone * 99 / 100);
        assertThat(limited.completed).isBetween(20L, 23L);
    }

    /** What waits for its rate is flushed at once, and RESET forgets the limit. */
    @Test
    void anErrorWaitsForNoRate() {
        Load load = new Load(100_000);
        load.limit(RateLimit.bytes(1));
        simulation.runFor(10 * MILLI);
        assertThat(load.completed).isZero();
        load.qp.modify(new QpAttributes().state(QpState.ERR));
        simulation.runFor(MILLI);
        assertThat(load.failures).contains(WcStatus.WR_FLUSH_ERR);
        assertThat(load.qp.rateLimit().bytesPerSecond()).isEqualTo(1);
        load.qp.modify(new QpAttributes().state(QpState.RESET));
        assertThat(load.qp.rateLimit()).isEqualTo(RateLimit.NONE);
    }

    @Test
    void isGivenAsAWeightIs() {
        QueuePair qp = here.createQueuePair(new QueuePairAttributes().completionQueue(theirs()));
        QpAttributes limit = new QpAttributes().rateLimit(RateLimit.operations(5));
        assertThatIllegalArgumentException().isThrownBy(() -> qp.modify(limit)).withMessageContaining("rateLimit");
        qp.modify(new QpAttributes().state(QpState.INIT).access(0).rateLimit(RateLimit.bytes(7)));
        assertThat(qp.rateLimit()).isEqualTo(RateLimit.bytes(7));
        qp.modify(limit);
        assertThat(qp.rateLimit()).isEqualTo(RateLimit.operations(5));
        qp.modify(new QpAttributes().weight(2));
        assertThat(qp.rateLimit()).isEqualTo(RateLimit.operations(5));
    }

    /** What is there to be compared with knows no rates, and says so. */
    @ParameterizedTest
    @EnumSource(value = Discipline.class, mode = EnumSource.Mode.EXCLUDE, names = "CHUNKS")
    void otherDisciplinesRefuse(Discipline discipline) {
        try (Nic nic = Nic.open(new NicContext()
                .name("plain")
                .mode(EngineMode.INVOKER)
                .backgroundThread(false)
                .arbiter(ArbiterSettings.defaults().withDiscipline(discipline)))) {
            QueuePair qp = nic.allocateProtectionDomain()
                    .createQueuePair(new QueuePairAttributes().completionQueue(nic.createCompletionQueue(16)));
            qp.modify(new QpAttributes().state(QpState.INIT).access(0).rateLimit(RateLimit.NONE));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> qp.modify(new QpAttributes().rateLimit(RateLimit.bytes(1))))
                    .withMessage("rateLimit needs the discipline CHUNKS; NIC plain has " + discipline);
            assertThat(qp.query().rateLimit()).isEqualTo(RateLimit.NONE);
        }
    }

    private CompletionQueue theirs() {
        return near.nic().createCompletionQueue(16);
    }
}
