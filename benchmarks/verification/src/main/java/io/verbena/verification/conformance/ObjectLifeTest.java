package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.AddressHandle;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.sim.FaultyClock;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
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
        boolean acknowledged;
        do { // a wait is short here, and the other thread may be late
            acknowledged = !other.isAlive();
        } while (!closes(qp) && !acknowledged);
        other.join();
        assertThat(qp.state()).isEqualTo(QpState.RESET);
    }

    private static boolean closes(QueuePair qp) {
        try {
            qp.close();
            return true;
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining("EBUSY");
            return false;
        }
    }

    @Proves({Row.EV_DEVICE_FATAL, Row.EV_SRQ_ERR, Row.EV_QP_FATAL})
    @Test
    void anEngineThatFails() {
        SharedReceiveQueue srq = b.pd.createSharedReceiveQueue(4, 1);
        b.pd.createQueuePair(b.attributes().sharedReceiveQueue(srq));
        b.qp.postReceive(1, b.key(), 0, 10);
        a.pause();
        b.qp.postSend(b.request.send().local(b.key(), 0, 10)); // its timer runs
        failsOnce(b);
        a.resume();
        p.settle();
        assertThat(b.eventTypes())
                .contains(AsyncEventType.DEVICE_FATAL, AsyncEventType.SRQ_ERR, AsyncEventType.QP_FATAL);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.receiveIds()).containsExactly(1L);
        assertThat(b.receives.get(0).isSuccess()).isFalse();
    }

    /** What the engine of a player needs for all of its queue pairs fails in a turn. */
    private void failsOnce(TestNic player) {
        player.clock.fail();
        FaultyClock.Fault told = null;
        try {
            p.settle();
        } catch (FaultyClock.Fault e) {
            told = e;
        }
        assertThat(told).as("whoever ran the turn is told too").isNotNull();
    }

    @Proves(Row.FATAL_ERR)
    @Test
    void requestsOfAnEngineThatFails() {
        b.pause();
        for (int i = 0; i < 3; i++) {
            a.qp.postSend(a.request.send().wrId(i).local(a.key(), 0, 10));
        }
        a.qp.postReceive(9, a.key(), 0, 10);
        failsOnce(a);
        b.resume();
        p.settle();
        assertThat(a.sendIds()).containsExactly(0L, 1L, 2L);
        assertThat(a.sendStatuses()).containsExactly(WcStatus.FATAL_ERR, WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR);
        assertThat(a.receiveStatuses()).containsExactly(WcStatus.WR_FLUSH_ERR);
        assertThat(a.count(AsyncEventType.DEVICE_FATAL)).isEqualTo(1);
    }

    // ---- registering anew --------------------------------------------------------------------------------------

    private WcStatus write(int key, long offset, int length) {
        if (a.qp.state() != QpState.RTS) {
            a.qp.close();
            b.qp.close();
            a.qp = a.newQueuePair();
            b.qp = b.newQueuePair();
            p.connect(a.qp, b.qp, attributes());
        }
        int sent = a.sends.size();
        a.qp.postSend(a.request.write(key, offset).local(a.key(), 0, length));
        p.untilSent(sent + 1);
        p.settle();
        return a.sends.get(sent).status();
    }

    @Proves(Row.MR_REREGISTER)
    @Test
    void otherAccess() {
        MemoryRegion region = b.pd.allocate(1_000, Access.LOCAL_WRITE | Access.REMOTE_READ);
        assertThat(write(region.key(), 0, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        region.buffer().putLong(500, 77);
        MemoryRegion anew = b.pd.reregister(region, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        assertThat(anew.buffer().getLong(500)).as("the memory is the same").isEqualTo(77);
        a.fill(0, 8, 1);
        assertThat(write(anew.key(), 0, 8)).isEqualTo(WcStatus.SUCCESS);
        assertThat(anew.buffer().getByte(1)).isEqualTo(TestNic.pattern(1, 1));
        assertThat(write(region.key(), 0, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        refused(() -> b.pd.reregister(anew, Access.REMOTE_WRITE), "LOCAL_WRITE");
        assertThat(write(anew.key(), 0, 8)).as("nothing has changed").isEqualTo(WcStatus.SUCCESS);
        refused(() -> b.pd.reregister(region, Access.ALL));
    }

    @Proves(Row.MR_REREGISTER)
    @Test
    void anotherRange() {
        MemoryRegion region = b.pd.allocate(1_000, Access.ALL);
        MemoryRegion anew = b.pd.reregister(region, Access.ALL, b.pd, 400, 200);
        assertThat(anew.length()).isEqualTo(200);
        a.fill(0, 200, 1);
        assertThat(write(anew.key(), 0, 200)).isEqualTo(WcStatus.SUCCESS);
        assertThat(write(anew.key(), 1, 200)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(write(anew.key(), -1, 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        MemoryRegion whole = b.pd.reregister(anew, Access.ALL, b.pd, 0, 1_000);
        for (int i = 0; i < 1_000; i++) {
            assertThat(whole.buffer().getByte(i)).isEqualTo(i < 400 || i >= 600 ? 0 : TestNic.pattern(1, i - 400));
        }
        refused(() -> b.pd.reregister(whole, Access.ALL, b.pd, 1, 1_000), 1_000);
        refused(() -> b.pd.reregister(whole, Access.ALL, b.pd, Long.MAX_VALUE, 1_000), Long.MAX_VALUE);
        refused(() -> b.pd.reregister(whole, Access.ALL, b.pd, 0, 0), 0);
        assertThat(write(whole.key(), 0, 200)).isEqualTo(WcStatus.SUCCESS);
    }

    @Proves(Row.MR_REREGISTER)
    @Test
    void anotherDomain() {
        MemoryRegion region = b.pd.allocate(1_000, Access.ALL);
        ProtectionDomain other = b.nic.allocateProtectionDomain();
        MemoryRegion there = b.pd.reregister(region, Access.ALL, other, 0, 1_000);
        assertThat(write(there.key(), 0, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        refused(other::close, "EBUSY");
        MemoryRegion back = other.reregister(there, Access.ALL, b.pd, 0, 1_000);
        assertThat(write(back.key(), 0, 8)).isEqualTo(WcStatus.SUCCESS);
        other.close();
        ProtectionDomain foreign = a.nic.allocateProtectionDomain();
        refused(() -> b.pd.reregister(back, Access.ALL, foreign, 0, 1_000), foreign.number());
        b.pd.deregister(back);
    }

    @Proves({Row.MR_REREGISTER, Row.MR_WINDOW_BUSY})
    @Test
    void notWhileAWindowIsBound() {
        MemoryRegion region = b.pd.allocate(1_000, Access.ALL | Access.MW_BIND);
        MemoryWindow window = b.pd.allocateWindow(MemoryWindow.Type.TYPE_1);
        b.qp.bindWindow(window, region, 0, 100, Access.REMOTE_WRITE, 1);
        p.until(() -> b.sends.size() == 1);
        refused(() -> b.pd.reregister(region, Access.ALL), "EBUSY");
        assertThat(write(region.key(), 0, 8)).isEqualTo(WcStatus.SUCCESS);
        b.pd.deallocate(window);
        assertThat(write(b.pd.reregister(region, Access.ALL).key(), 0, 8)).isEqualTo(WcStatus.SUCCESS);
    }
}
