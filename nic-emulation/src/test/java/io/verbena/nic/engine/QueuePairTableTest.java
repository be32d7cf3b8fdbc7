package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.QpQueues;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where an engine keeps its queue pairs: by number, by doorbell, and while their in-flight slots are another's. */
class QueuePairTableTest {
    private final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER));
    private final FlowGroup group = new FlowGroup(0, 1, 1);
    private final CompletionRing completions = new CompletionRing(1, 16);
    private final CompletionRing others = new CompletionRing(2, 16);
    private final QueuePairTable table = new QueuePairTable(16);

    @AfterEach
    void close() {
        nic.close();
    }

    private QpContext newQueuePair(int number, CompletionRing sends, CompletionRing receives) {
        return new QpContext(
                QpType.RC,
                number,
                1,
                group,
                new QpQueues(new SendRing(2, 1, 0), new ReceiveRing(2, 1, 1), false, sends, receives),
                nic.engine(0).services());
    }

    private QpContext newQueuePair(int number) {
        return newQueuePair(number, completions, completions);
    }

    @Test
    void queuePairIsFoundUnderItsWholeNumber() {
        QpContext qp = newQueuePair(16 + 3);
        table.add(qp);
        assertThat(table.find(19)).isSameAs(qp);
        assertThat(table.find(3)).isNull(); // another generation
        assertThat(table.find(35)).isNull();
        assertThat(table.find(4)).isNull();
        assertThat(table.find(-1)).isNull();
        table.remove(qp);
        assertThat(table.find(19)).isNull();
    }

    @Test
    void whoCompletesToARingIsFound() {
        QpContext both = newQueuePair(3);
        QpContext sends = newQueuePair(4, completions, others);
        QpContext neither = newQueuePair(5, others, others);
        table.add(both);
        table.add(sends);
        table.add(neither);
        List<QpContext> found = new ArrayList<>();
        table.completingTo(completions, found);
        assertThat(found).containsExactly(both, sends);
    }

    @Test
    void urgentDoorbellsAreHeardFirst() {
        Doorbells doorbells = new Doorbells(16);
        QpContext bulk = newQueuePair(3);
        QpContext urgent = newQueuePair(4);
        urgent.configure(1, TrafficClass.URGENT);
        assertThat(doorbells.isEmpty()).isTrue();
        assertThat(bulk.ring()).isTrue();
        doorbells.ring(bulk);
        assertThat(doorbells.isEmpty()).isFalse();
        assertThat(doorbells.hasUrgent()).isFalse();
        assertThat(doorbells.hearUrgent()).isNull();
        assertThat(urgent.ring()).isTrue();
        doorbells.ring(urgent);
        assertThat(doorbells.hasUrgent()).isTrue();
        assertThat(bulk.ring()).isFalse();
        assertThat(doorbells.hear()).isSameAs(urgent);
        assertThat(doorbells.hear()).isSameAs(bulk);
        assertThat(bulk.ring()).isTrue(); // heard
        assertThat(urgent.ring()).isTrue();
        assertThat(doorbells.hear()).isNull();
        assertThat(doorbells.isEmpty()).isTrue();
    }

    @Test
    void batonIsOnesAlone() {
        Baton baton = new Baton();
        assertThat(baton.tryTake()).isTrue();
        assertThat(baton.tryTake()).isFalse();
        baton.release();
        assertThat(baton.tryTake()).isTrue();
    }

    @Test
    void slotOfAnInitiatorBeforeClosesTheQueuePairUntilItIsFree() {
        ControlBlock control = ControlBlock.create(new DirectMemoryProvider(), 1, new ControlLimits(1, 16, 16, 4, 8));
        OccupiedSlots occupied = new OccupiedSlots(control);
        QpContext qp = newQueuePair(3);
        qp.state(QpState.RTR);
        assertThat(occupied.isClosed(qp)).isFalse();
        control.beginAccess(3, 0x11);
        assertThat(occupied.isClosed(qp)).isTrue();
        assertThat(occupied.isClosed(qp)).isTrue();
        assertThat(occupied.isEmpty()).isFalse();
        qp.state(QpState.RTS);
        assertThat(occupied.isClosed(qp)).isTrue();
        assertThat(occupied.takeFree()).isNull();
        control.endAccess(3);
        assertThat(occupied.takeFree()).isSameAs(qp);
        assertThat(occupied.takeFree()).isNull();
        assertThat(occupied.isEmpty()).isTrue();
        control.beginAccess(3, 0x11);
        assertThat(occupied.isClosed(qp)).isFalse(); // its own, in RTS
        qp.state(QpState.RTR);
        assertThat(occupied.isClosed(qp)).isTrue();
        qp.state(QpState.ERR);
        assertThat(occupied.isClosed(qp)).isFalse();
        assertThat(occupied.isEmpty()).isTrue();
    }
}
