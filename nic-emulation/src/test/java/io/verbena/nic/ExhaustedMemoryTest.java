package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.port.Segment;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A receiver whose memory is full: what is sent there waits for a time, and not for ever. */
@Timeout(180)
class ExhaustedMemoryTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int LIMIT = 64 << 20;
    private static final int LARGE = 20_000; // more than goes into a chunk of the queue

    private final VerbsPair p = new VerbsPair(LIMIT);
    private final AppendQueue queue = p.b.pd.createAppendQueue(
            new AppendQueueAttributes().chunkLength(64 << 10).maxMessage(1 << 20));
    private Segment hog;

    @AfterEach
    void close() {
        p.close();
    }

    private void fill() {
        p.simulation.runFor(SECOND); // what the queue takes at first it has
        hog = p.b.memory.allocate((int) (LIMIT - p.b.memory.allocated()));
    }

    private void send(long id) {
        p.a.qp.postSend(p.a.request.append(queue.id(), queue.key()).wrId(id).local(p.a.region.key(), 0, LARGE));
    }

    private void connect() {
        p.a.qp.modify(new QpAttributes().state(QpState.RESET));
        p.b.qp.modify(new QpAttributes().state(QpState.RESET));
        ConnectAttributes attributes = new ConnectAttributes()
                .pathMtu(1024)
                .timeout(14)
                .minRnrTimer(28); // comes again every 164 ms: each packet lets the allocator try again
        p.a.qp.connect(p.b.nic.id(), p.b.qp.number(), attributes);
        p.b.qp.connect(p.a.nic.id(), p.a.qp.number(), attributes);
    }

    @Test
    void whatWaitsForMemoryFailsInTime() {
        fill();
        connect();
        send(1);
        p.simulation.runFor(5 * SECOND);
        assertThat(p.a.ids()).as("it waits").isEmpty();
        assertThat(queue.query().starved()).isFalse();
        assertThat(queue.query().exhaustions()).isPositive();
        assertThat(p.b.nic.counter(NicCounter.MEMORY_EXHAUSTED)).isPositive();
        p.until(() -> !p.a.ids().isEmpty());
        assertThat(p.a.statuses()).containsExactly(WcStatus.REM_OP_ERR);
        assertThat(queue.query().starved()).isTrue();

        p.b.memory.release(hog);
        p.simulation.runFor(SECOND);
        connect();
        send(2);
        p.until(() -> p.a.ids().size() == 2);
        assertThat(p.a.statuses()).containsExactly(WcStatus.REM_OP_ERR, WcStatus.SUCCESS);
        assertThat(queue.query().starved()).isFalse();
    }

    @Test
    void whatComesInTimeIsNoError() {
        fill();
        connect();
        send(1);
        p.simulation.runFor(5 * SECOND);
        p.b.memory.release(hog);
        p.until(() -> !p.a.ids().isEmpty());
        assertThat(p.a.statuses()).containsExactly(WcStatus.SUCCESS);
    }
}
