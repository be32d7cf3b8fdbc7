package io.verbena.bench.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.AddressHandle;
import io.verbena.nic.AsyncEvent;
import io.verbena.nic.AsyncEventType;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QpState;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects come before their children and go after them; permissions of regions; events of what is destroyed. */
final class ObjectLifeTest extends ConformanceTest {
    @Proves(Row.PD_BUSY)
    @Test
    void aDomainWithAnythingInItIsBusy() {
        ProtectionDomain pd = b.nic.allocateProtectionDomain();
        MemoryRegion region = pd.allocate(100, Access.ALL);
        refused(pd::close, "EBUSY");
        pd.deregister(region);
        QueuePair qp = pd.createQueuePair(b.attributes());
        refused(pd::close, "EBUSY");
        qp.close();
        SharedReceiveQueue srq = pd.createSharedReceiveQueue(4, 1);
        refused(pd::close, "EBUSY");
        srq.close();
        AppendQueue queue = pd.createAppendQueue(new AppendQueueAttributes().chunkLength(64 * 1024));
        refused(pd::close, "EBUSY");
        queue.destroy(true);
        MemoryWindow window = pd.allocateWindow(MemoryWindow.Type.TYPE_1);
        refused(pd::close, "EBUSY");
        pd.deallocate(window);
        AddressHandle handle = pd.createAddressHandle(a.nic.id());
        refused(pd::close, "EBUSY");
        handle.close();
        pd.close();
        pd.close();
        refused(() -> pd.allocate(100, 0), pd.number());
    }

    @Proves(Row.MR_PERMISSIONS)
    @ParameterizedTest
    @ValueSource(
            ints = {
                Access.REMOTE_WRITE,
                Access.REMOTE_ATOMIC,
                Access.REMOTE_WRITE | Access.REMOTE_READ,
                Access.REMOTE_WRITE | Access.REMOTE_ATOMIC
            })
    void whatPeersMayWriteTheOwnerMayWrite(int access) {
        refused(() -> b.pd.allocate(100, access), "LOCAL_WRITE");
        b.pd.allocate(100, access | Access.LOCAL_WRITE);
        b.pd.allocate(100, Access.REMOTE_READ);
    }

    @Proves(Row.NOT_IN_RESET)
    @Test
    void nothingIsPostedInReset() {
        QueuePair qp = b.newQueuePair();
        refused(() -> qp.postReceive(1, b.key(), 0, 1), "RESET");
        refused(() -> qp.postSend(b.request.send()), "RESET");
        p.connect(a.newQueuePair(), qp, attributes());
        qp.postReceive(1, b.key(), 0, 1);
        qp.modify(new QpAttributes().state(QpState.RESET));
        refused(() -> qp.postReceive(1, b.key(), 0, 1), "RESET");
        p.settle();
        assertThat(b.receives).isEmpty();
    }

    @Proves(Row.NOT_INTO_DESTROYED)
    @Test
    void whatWasUnderWayForADestroyedQueuePairFindsNobody() {
        p.toA.delay(50 * MICRO);
        a.qp.postSend(a.request.send().wrId(1).local(a.key(), 0, 10));
        b.qp.postReceive(1, b.key(), 0, 10);
        p.runFor(20 * MICRO);
        int number = a.qp.number();
        a.qp.close();
        QueuePair next = a.newQueuePair();
        p.settle();
        assertThat(a.sends).isEmpty();
        assertThat(next.number()).as("a number is not used again at once").isNotEqualTo(number);
        assertThat(next.state()).isEqualTo(QpState.RESET);
    }

    // ---- events ------------------------------------------------------------------------------------------------

    @Proves(Row.EV_ACKNOWLEDGED)
    @Test
    void destroyWaitsForUnacknowledgedEvents() {
        a.acknowledges = false;
        QueuePair qp = a.newQueuePair();
        p.connect(qp, b.newQueuePair(), attributes());
        qp.modify(new QpAttributes().state(QpState.SQD));
        p.until(() -> a.count(AsyncEventType.SQ_DRAINED) == 1);
        AsyncEvent event = a.events.stream()
                .filter(e -> e.type() == AsyncEventType.SQ_DRAINED)
                .findFirst()
                .orElseThrow();
        refused(qp::close, "EBUSY");
        assertThat(qp.state()).as("nothing has changed").isEqualTo(QpState.SQD);
        event.acknowledge();
        refused(event::acknowledge, "SQ_DRAINED");
        qp.close();
    }

    @Proves(Row.EV_ACKNOWLEDGED)
    @Test
    void destroyGoesOnWhenAnotherThreadAcknowledges() throws InterruptedException {
        a.acknowledges = false;
        QueuePair qp = a.newQueuePair();
        p.connect(qp, b.newQueuePair(), attributes());
        qp.modify(new QpAttributes().state(QpState.SQD));
        p.until(() -> a.count(AsyncEventType.SQ_DRAINED) == 1);
        Thread other = new Thread(() -> a.events.stream()
                .filter(e -> e.type() == AsyncEventType.SQ_DRAINED)
                .forEach(AsyncEvent::acknowledge));
        other.start();
        qp.close();
        other.join();
        assertThat(qp.state()).isEqualTo(QpState.RESET);
    }

    @Proves({Row.EV_DEVICE_FATAL, Row.EV_SRQ_ERR, Row.EV_QP_FATAL, Row.FATAL_ERR})
    @Test
    void anEngineThatFails() {
        SharedReceiveQueue srq = b.pd.createSharedReceiveQueue(4, 1);
        b.pd.createQueuePair(b.attributes().sharedReceiveQueue(srq));
        b.qp.postReceive(1, b.key(), 0, 10);
        p.toB.filter((buffer, offset, length) -> {
            throw new IllegalStateException("a fault of the link");
        });
        a.qp.postSend(a.request.send().local(a.key(), 0, 10));
        try {
            p.settle();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("a fault of the link");
        }
        p.toB.filter(null);
        p.settle();
        assertThat(b.eventTypes())
                .contains(AsyncEventType.DEVICE_FATAL, AsyncEventType.SRQ_ERR, AsyncEventType.QP_FATAL);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.receiveIds()).containsExactly(1L);
        assertThat(b.receives.get(0).isSuccess()).isFalse();
    }
}
