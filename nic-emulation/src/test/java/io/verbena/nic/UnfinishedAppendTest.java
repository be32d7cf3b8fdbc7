package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Senders that stop in the middle of a message in parts: what they hold goes back, and is not all that there is. */
@Timeout(180)
class UnfinishedAppendTest {
    private static final long MILLI = 1_000_000L;
    private static final long TIMEOUT = 100 * MILLI;
    private static final int MIB = 1 << 20;
    private static final int STAGED = 15 << 10;

    private final VerbsPair p = new VerbsPair();
    private final AppendQueue queue = p.b.pd.createAppendQueue(new AppendQueueAttributes()
            .chunkLength(64 << 10)
            .maxMessage(MIB)
            .memoryLimit(3 * (64 << 10) + 6 * MIB)
            .surplusNanos(MILLI)
            .unfinishedTimeoutNanos(TIMEOUT));
    private final long empty = queue.query().footprint();
    private final Simulation.Participant sender = p.simulation.participant("a");
    private final MemoryRegion data = p.a.pd.allocate(MIB, Access.ALL);
    private VerbsPair.End other;

    @BeforeEach
    void slowLink() {
        p.settle();
        p.connection.profiles(profile -> profile.rate(80_000_000).window(4096)); // a packet takes 0.1 ms
    }

    @AfterEach
    void close() {
        p.close();
        if (other != null) {
            other.nic.close();
        }
    }

    private void send(QueuePair qp, int length) {
        sender.act(() ->
                qp.postSend(p.a.request.append(queue.id(), queue.key()).wrId(1).local(data.key(), 0, length)));
    }

    /** The sender stands still when messages of so many bytes have begun to come. */
    private void stopInTheMiddle(long bytes) {
        p.until(() -> queue.query().footprint() >= empty + bytes);
        p.simulation.runFor(MILLI / 2);
        sender.pause();
        p.simulation.runFor(10 * MILLI);
        assertThat(queue.query().footprint()).isGreaterThanOrEqualTo(empty + bytes);
        assertThat(queue.depth()).as("no message is whole").isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {STAGED, MIB})
    void whatStandsStillIsGivenUp(int length) {
        send(p.a.qp, length);
        stopInTheMiddle(length);
        p.simulation.runFor(2 * TIMEOUT + 10 * MILLI);
        assertThat(queue.query().footprint()).isEqualTo(empty);
        assertThat(p.b.nic.counter(NicCounter.UNFINISHED_APPENDS)).isEqualTo(1);

        sender.resume();
        p.settle();
        assertThat(p.a.statuses()).as("it goes on too late").containsExactly(WcStatus.REM_ABORT_ERR);
        assertThat(queue.depth()).isZero();
    }

    @Test
    void whatGoesOnIsNotGivenUp() {
        send(p.a.qp, MIB);
        stopInTheMiddle(MIB);
        while (p.a.statuses().isEmpty()) {
            p.simulation.runFor(TIMEOUT / 2);
            sender.resume();
            p.simulation.runFor(MILLI);
            sender.pause();
            if (p.simulation.nowNanos() > 20 * TIMEOUT) {
                sender.resume(); // for long enough
                p.settle();
            }
        }
        assertThat(p.a.statuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(p.b.nic.counter(NicCounter.UNFINISHED_APPENDS)).isZero();
    }

    @Test
    void oneSenderLeavesRoomForOthers() {
        List<QueuePair> senders = new ArrayList<>();
        senders.add(p.a.qp);
        for (int i = 1; i < 8; i++) {
            QueuePair qp = p.a.newQueuePair();
            p.connect(qp, p.b.newQueuePair());
            senders.add(qp);
        }
        senders.forEach(qp -> send(qp, MIB));
        p.simulation.runFor(10 * MILLI); // each has been told to come again, and has come
        stopInTheMiddle(5 * MIB);

        other = p.new End("c", 0xC0, new DirectMemoryProvider());
        p.fabric.connect(other.nic.engine(0).endpoint(), p.b.nic.engine(0).endpoint(), new LinkProfile());
        QueuePair honest = other.qp;
        QueuePair peer = p.b.newQueuePair();
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(1024).minRnrTimer(1);
        honest.connect(p.b.nic.id(), peer.number(), attributes);
        peer.connect(other.nic.id(), honest.number(), attributes);
        MemoryRegion region = other.pd.allocate(MIB, Access.ALL);
        honest.postSend(other.request.append(queue.id(), queue.key()).wrId(2).local(region.key(), 0, MIB));
        p.simulation.runFor(TIMEOUT / 2);
        assertThat(other.statuses()).as("while the others stand still").containsExactly(WcStatus.SUCCESS);
    }

    @Test
    void whatTheDeadHaveBegunGoesAtOnce() {
        send(p.a.qp, MIB);
        stopInTheMiddle(MIB);
        p.connection.killA();
        p.simulation.runFor(10 * MILLI);
        assertThat(queue.query().footprint()).isEqualTo(empty);
    }

    @Test
    void whatAnEndedConnectionHasBegunGoesAtOnce() {
        send(p.a.qp, MIB);
        stopInTheMiddle(MIB);
        p.b.qp.close();
        p.simulation.runFor(10 * MILLI);
        assertThat(queue.query().footprint()).isEqualTo(empty);
    }
}
