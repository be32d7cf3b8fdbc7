package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.NicCounter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever decides who sends next, all that is posted arrives whole: on a link that loses packets, with little room. */
@Timeout(180)
class DisciplineTransferTest {
    private static final int LARGE = 300_000;
    private static final int LARGE_MESSAGES = 6;
    private static final int SMALL = 64;
    private static final int SMALL_MESSAGES = 200;
    private static final long LIMIT_NANOS = 60_000_000_000L;

    private final Simulation simulation = new Simulation(7);

    @ParameterizedTest
    @EnumSource
    void allArrivesWhole(Discipline discipline) {
        SimNode.Options options =
                new SimNode.Options().arbiter(ArbiterSettings.defaults().withDiscipline(discipline));
        SimFabric fabric = new SimFabric(simulation);
        SimNode a = new SimNode(simulation, fabric, "a", 1, options);
        SimNode b = new SimNode(simulation, fabric, "b", 2, options);
        LinkProfile link = LinkProfile.roce100().window(8 * 1024).loss(0.01);
        fabric.connect(a.nic().engine(0).endpoint(), b.nic().engine(0).endpoint(), link);
        simulation.runFor(0);
        CompletionQueue done = a.nic().createCompletionQueue(1024);
        ProtectionDomain here = a.nic().allocateProtectionDomain();
        ProtectionDomain there = b.nic().allocateProtectionDomain();
        MemoryRegion written = there.allocate(LARGE, Access.ALL);
        MemoryRegion source = here.allocate(LARGE, Access.ALL);
        MemoryRegion readFrom = there.allocate(LARGE, Access.ALL);
        MemoryRegion readTo = here.allocate(LARGE, Access.ALL);
        for (int i = 0; i < LARGE; i++) {
            source.buffer().putByte(i, (byte) (i * 31));
            readFrom.buffer().putByte(i, (byte) (i * 37));
        }
        CompletionQueue peers = b.nic().createCompletionQueue(64);
        QueuePair writes = connect(here, there, done, peers);
        QueuePair reads = connect(here, there, done, peers);
        QueuePair small = connect(here, there, done, peers);
        MemoryRegion target = there.allocate(SMALL, Access.ALL);
        SendRequest request = new SendRequest();
        for (int i = 0; i < LARGE_MESSAGES; i++) {
            post(writes, request.write(written.key(), 0).local(source.key(), 0, LARGE));
            post(reads, request.read(readFrom.key(), 0).local(readTo.key(), 0, LARGE));
        }
        for (int i = 0; i < SMALL_MESSAGES; i++) {
            post(small, request.write(target.key(), 0).local(source.key(), 0, SMALL));
        }
        int[] completed = new int[1];
        simulation.runUntil(
                () -> {
                    done.poll(
                            c -> {
                                assertThat(c.isSuccess()).as("%s", c).isTrue();
                                completed[0]++;
                            },
                            64);
                    return completed[0] == 2 * LARGE_MESSAGES + SMALL_MESSAGES;
                },
                LIMIT_NANOS);
        assertThat(a.nic().counter(NicCounter.RETRANSMISSIONS)).isPositive();
        for (int i = 0; i < LARGE; i++) {
            assertThat(written.buffer().getByte(i)).isEqualTo((byte) (i * 31));
            assertThat(readTo.buffer().getByte(i)).isEqualTo((byte) (i * 37));
        }
    }

    private static QueuePair connect(
            ProtectionDomain here, ProtectionDomain there, CompletionQueue done, CompletionQueue peers) {
        QueuePair from = here.createQueuePair(
                new QueuePairAttributes().completionQueue(done).maxSend(256));
        QueuePair to = there.createQueuePair(new QueuePairAttributes().completionQueue(peers));
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(1024).retryCount(7);
        from.connect(2, to.number(), attributes);
        to.connect(1, from.number(), attributes);
        return from;
    }

    private static void post(QueuePair qp, SendRequest request) {
        assertThat(qp.postSend(request)).isEqualTo(PostResult.POSTED);
    }
}
