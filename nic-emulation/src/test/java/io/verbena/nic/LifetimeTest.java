package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DeregisterResult;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LifetimeTest {
    private final VerbsPair p = new VerbsPair();
    private final VerbsPair.End a = p.a;
    private final VerbsPair.End b = p.b;

    @AfterEach
    void close() {
        p.close();
    }

    private WcStatus write(int key, long offset, int length) {
        return one(a.request.write(key, offset).local(a.region.key(), 0, length));
    }

    private WcStatus one(SendRequest request) {
        int before = a.wcs.size();
        QueuePair qp = a.newQueuePair();
        QueuePair peer = b.newQueuePair();
        p.connect(qp, peer);
        qp.postSend(request);
        p.until(() -> a.wcs.size() > before);
        WcStatus status = a.wcs.get(before).status();
        qp.close();
        b.events();
        peer.close();
        return status;
    }

    /** Who gives memory back late, after the NIC has gone with it, has nothing left to do. */
    @Test
    void whatIsDeregisteredAfterTheNicIsGone() {
        MemoryRegion kept = a.pd.allocate(64, Access.LOCAL_WRITE);
        assertThatIllegalArgumentException().isThrownBy(() -> b.pd.deregister(kept));
        a.nic.close();
        assertThat(a.pd.deregister(kept)).isEqualTo(DeregisterResult.DONE);
    }

    /** Numbers get a generation when their slot is used again; everything that is kept by slot must bear that. */
    @Test
    void aSlotIsUsedAgainAndAgain() {
        for (int i = 0; i < 200; i++) {
            assertThat(write(b.region.key(), 0, 8)).as("queue pair %d", i).isEqualTo(WcStatus.SUCCESS);
        }
    }

    // ---- children before parents -----------------------------------------------------------------------------------

    @Test
    void aDomainInUseSaysByWhat() {
        ProtectionDomain pd = a.nic.allocateProtectionDomain();
        SharedReceiveQueue srq = pd.createSharedReceiveQueue(4, 1);
        QueuePair qp = pd.createQueuePair(
                new QueuePairAttributes().completionQueue(a.cq).sharedReceiveQueue(srq));
        MemoryRegion region = pd.allocate(64, Access.ALL);
        MemoryRegion registered = pd.register(ByteBuffer.allocateDirect(64), 0);
        AppendQueue appendQueue = pd.createAppendQueue(new AppendQueueAttributes());
        MemoryWindow window = pd.allocateWindow(MemoryWindow.Type.TYPE_2);
        AddressHandle handle = pd.createAddressHandle(b.nic.id());
        assertThatIllegalStateException()
                .isThrownBy(pd::close)
                .withMessageContaining("EBUSY")
                .withMessageContaining("1 queue pairs")
                .withMessageContaining("1 shared receive queues")
                .withMessageContaining("1 append queues")
                .withMessageContaining("1 memory windows")
                .withMessageContaining("1 address handles")
                .withMessageContaining("2 memory regions");
        assertThatIllegalStateException().isThrownBy(srq::close).withMessageContaining("EBUSY");
        qp.close();
        srq.close();
        pd.deregister(region);
        pd.deregister(registered);
        pd.deallocate(window);
        handle.close();
        assertThatIllegalStateException()
                .isThrownBy(pd::close)
                .withMessage("protection domain " + pd.number() + " is busy (EBUSY): it has 1 append queues");
        appendQueue.destroy(false);
        pd.close();
        pd.close();
        assertThatIllegalStateException().isThrownBy(() -> pd.allocate(64, 0)).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> pd.createSharedReceiveQueue(1, 1));
        assertThatIllegalStateException().isThrownBy(() -> pd.createAppendQueue(new AppendQueueAttributes()));
        assertThatIllegalStateException()
                .isThrownBy(() -> pd.createQueuePair(new QueuePairAttributes().completionQueue(a.cq)));
        assertThatIllegalStateException().isThrownBy(() -> pd.register(ByteBuffer.allocateDirect(8), 0));
    }

    @Test
    void aClosedQueuePairRefusesEverything() {
        a.qp.close();
        a.qp.close();
        ReceiveRequest receive = new ReceiveRequest();
        assertThatIllegalStateException()
                .isThrownBy(() -> a.qp.postSend(a.request.send()))
                .withMessageContaining("closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> a.qp.post(a.request.send()))
                .withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> a.qp.postSend(List.of(a.request.send())));
        assertThatIllegalStateException().isThrownBy(a.qp::start).withMessageContaining("closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> a.qp.postReceive(receive))
                .withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> a.qp.postReceive(1, 2, 3, 4));
        assertThatIllegalStateException().isThrownBy(() -> a.qp.postReceive(List.of(receive)));
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> a.qp.modify(new QpAttributes().state(QpState.INIT).access(0)))
                .withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(a.qp::query).withMessageContaining("closed");
    }

    @Test
    void aClosedNicRefusesEverythingAndClosesItsChildrenInOrder() {
        SharedReceiveQueue srq = a.pd.createSharedReceiveQueue(4, 1);
        ProtectionDomain other = a.nic.allocateProtectionDomain();
        QueuePair qp = other.createQueuePair(
                new QueuePairAttributes().completionQueue(a.cq).sharedReceiveQueue(srq));
        a.polls = false;
        a.nic.close();
        a.nic.close();
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        srq.close();
        a.cq.close();
        assertThatIllegalStateException()
                .isThrownBy(a.nic::allocateProtectionDomain)
                .withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> a.nic.createCompletionQueue(1));
        assertThatIllegalStateException().isThrownBy(() -> a.pd.allocate(1, 0));
        assertThatIllegalStateException().isThrownBy(() -> a.cq.poll(c -> {}, 1));
    }

    // ---- query -----------------------------------------------------------------------------------------------------

    /** Of a queue pair of the attributes below, in RESET. */
    private static QueuePairStatus fresh() {
        return new QueuePairStatus(
                QpType.RC,
                QpState.RESET,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                32,
                8,
                3,
                100,
                1,
                TrafficClass.BULK,
                RateLimit.NONE);
    }

    /** Of that queue pair with the connection below. */
    private static QueuePairStatus connected(long peer) {
        return new QueuePairStatus(
                QpType.RC,
                QpState.RTS,
                0,
                Access.REMOTE_READ,
                peer,
                77,
                2048,
                11,
                12,
                3,
                3,
                4,
                5,
                6,
                2,
                32,
                8,
                3,
                100,
                1,
                TrafficClass.BULK,
                RateLimit.NONE);
    }

    @Test
    void aQueuePairIsQueried() {
        QueuePair qp = a.pd.createQueuePair(new QueuePairAttributes()
                .completionQueue(a.cq)
                .maxSend(32)
                .maxReceive(8)
                .maxSge(3)
                .maxInline(100));
        assertThat(qp.query()).isEqualTo(fresh());
        qp.connect(
                b.nic.id(),
                77,
                new ConnectAttributes()
                        .access(Access.REMOTE_READ)
                        .pathMtu(2048)
                        .receivePsn(11)
                        .sendPsn(12)
                        .maxRdAtomic(3)
                        .minRnrTimer(4)
                        .timeout(5)
                        .retryCount(6)
                        .rnrRetry(2));
        assertThat(qp.query()).isEqualTo(connected(b.nic.id()));
        qp.modify(new QpAttributes().state(QpState.RTS).access(0).minRnrTimer(9));
        assertThat(qp.query().access()).isZero();
        assertThat(qp.query().minRnrTimer()).isEqualTo(9);
        assertThat(qp.query().peerQp()).isEqualTo(77);
        qp.modify(new QpAttributes().state(QpState.RESET));
        assertThat(qp.query().state()).isEqualTo(QpState.RESET);
        assertThat(qp.query().peerNic()).isZero();
        assertThat(qp.query().sendPsn()).isZero();
    }

    @Test
    void aCompletionQueueIsQueried() {
        CompletionQueue cq = a.nic.createCompletionQueue(100);
        assertThat(cq.query()).isEqualTo(new CompletionQueue.Status(128, 0, false, 0, 0));
        QueuePair qp = a.pd.createQueuePair(new QueuePairAttributes().completionQueue(cq));
        p.connect(qp, b.newQueuePair());
        qp.postSend(a.request.write(b.region.key(), 0).local(a.region.key(), 0, 8));
        p.settle();
        assertThat(cq.query()).isEqualTo(new CompletionQueue.Status(128, 1, false, 2, 0));
    }

    // ---- regions anew ----------------------------------------------------------------------------------------------

    @Test
    void aRegionIsRegisteredAnewWithOtherAccess() {
        MemoryRegion before = b.pd.allocate(4096, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        assertThat(write(before.key(), 0, 8)).isEqualTo(WcStatus.SUCCESS);
        before.buffer().putLong(0, 99);
        MemoryRegion readable = b.pd.reregister(before, Access.REMOTE_READ);
        assertThat(readable.key()).isNotEqualTo(before.key());
        assertThat(readable.buffer().getLong(0)).as("the bytes stay").isEqualTo(99);
        assertThat(write(before.key(), 0, 8)).as("the old key").isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(write(readable.key(), 0, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(one(a.request.read(readable.key(), 0).local(a.region.key(), 64, 8)))
                .isEqualTo(WcStatus.SUCCESS);
        assertThat(a.region.buffer().getLong(64)).isEqualTo(99);
        assertThatIllegalArgumentException().isThrownBy(() -> b.pd.reregister(before, Access.ALL));
        assertThatIllegalArgumentException().isThrownBy(() -> b.pd.reregister(readable, Access.REMOTE_WRITE));
        assertThat(b.pd.deregister(readable)).isEqualTo(DeregisterResult.DONE);
    }

    @Test
    void aRegionIsRegisteredAnewWithAnotherRange() {
        for (MemoryRegion whole :
                List.of(b.pd.allocate(4096, Access.ALL), b.pd.register(ByteBuffer.allocateDirect(4096), Access.ALL))) {
            MemoryRegion part = b.pd.reregister(whole, Access.ALL, b.pd, 1024, 512);
            assertThat(part.length()).isEqualTo(512);
            a.region.buffer().putLong(0, 7);
            assertThat(write(part.key(), 504, 8)).isEqualTo(WcStatus.SUCCESS);
            assertThat(whole.buffer().getLong(1024 + 504)).isEqualTo(7);
            assertThat(write(part.key(), 505, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            MemoryRegion same = b.pd.reregister(part, Access.LOCAL_WRITE);
            same.buffer().putLong(0, 8);
            assertThat(whole.buffer().getLong(1024)).as("the range stays").isEqualTo(8);
            MemoryRegion again = b.pd.reregister(same, Access.ALL, b.pd, 0, 4096);
            assertThat(write(again.key(), 4088, 8)).isEqualTo(WcStatus.SUCCESS);
            assertThatIllegalArgumentException().isThrownBy(() -> b.pd.reregister(again, 0, b.pd, 1, 4096));
            assertThatIllegalArgumentException().isThrownBy(() -> b.pd.reregister(again, 0, b.pd, 0, 0));
            assertThatIllegalArgumentException().isThrownBy(() -> b.pd.reregister(again, 0, b.pd, -1, 10));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> b.pd.reregister(again, 0, b.pd, Long.MAX_VALUE, Long.MAX_VALUE));
            assertThat(write(again.key(), 0, 8)).as("a refusal changes nothing").isEqualTo(WcStatus.SUCCESS);
            b.pd.deregister(again);
        }
    }

    @Test
    void memoryThatIsRegisteredTwiceHasTheRightsOfEachKey() {
        for (MemoryRegion whole :
                List.of(b.pd.allocate(4096, Access.LOCAL_WRITE), b.pd.register(ByteBuffer.allocateDirect(4096), 0))) {
            MemoryRegion readable = b.pd.register(whole, Access.REMOTE_READ);
            MemoryRegion writable = b.pd.register(readable, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
            a.region.buffer().putLong(0, 7);
            assertThat(write(whole.key(), 0, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            assertThat(write(readable.key(), 0, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            assertThat(write(writable.key(), 0, 8)).isEqualTo(WcStatus.SUCCESS);
            assertThat(whole.buffer().getLong(0)).as("the same bytes").isEqualTo(7);
            assertThat(b.pd.deregister(whole)).isEqualTo(DeregisterResult.DONE);
            assertThat(write(writable.key(), 8, 8))
                    .as("the memory goes with the last of its regions")
                    .isEqualTo(WcStatus.SUCCESS);
            b.pd.deregister(writable);
            assertThat(write(writable.key(), 0, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            b.pd.deregister(readable);
            assertThatIllegalArgumentException().isThrownBy(() -> b.pd.register(readable, Access.REMOTE_READ));
        }
    }

    @Test
    void memoryThatIsRegisteredTwiceStaysInItsDomain() {
        ProtectionDomain other = b.nic.allocateProtectionDomain();
        MemoryRegion region = b.pd.allocate(4096, Access.ALL);
        MemoryRegion second = b.pd.register(region, Access.REMOTE_READ);
        assertThatIllegalStateException()
                .isThrownBy(() -> b.pd.reregister(region, Access.ALL, other, 0, 4096))
                .withMessageContaining("registered more than once");
        assertThat(write(region.key(), 0, 8)).as("a refusal changes nothing").isEqualTo(WcStatus.SUCCESS);
        b.pd.deregister(second);
        other.deregister(b.pd.reregister(region, Access.ALL, other, 0, 4096));
        other.close();
    }

    @Test
    void aRegionMovesToAnotherDomain() {
        ProtectionDomain other = b.nic.allocateProtectionDomain();
        MemoryRegion region = b.pd.allocate(4096, Access.ALL);
        MemoryRegion moved = b.pd.reregister(region, Access.ALL, other, 0, 4096);
        assertThat(write(moved.key(), 0, 8)).as("of another domain").isEqualTo(WcStatus.REM_ACCESS_ERR);
        QueuePair qp = a.newQueuePair();
        QueuePair peer = other.createQueuePair(new QueuePairAttributes().completionQueue(b.cq));
        p.connect(qp, peer);
        int before = a.wcs.size();
        qp.postSend(a.request.write(moved.key(), 0).local(a.region.key(), 0, 8));
        p.settle();
        assertThat(a.wcs.get(before).status()).isEqualTo(WcStatus.SUCCESS);
        assertThatIllegalArgumentException().isThrownBy(() -> b.pd.deregister(moved));
        assertThatIllegalArgumentException().isThrownBy(() -> other.reregister(moved, 0, a.pd, 0, 10));
        peer.close();
        assertThatIllegalStateException().isThrownBy(other::close).withMessageContaining("1 memory regions");
        other.deregister(moved);
        other.close();
    }

    @Test
    void aRegionWithABoundWindowStaysAsItIs() {
        MemoryRegion region = b.pd.allocate(4096, Access.ALL | Access.MW_BIND);
        MemoryWindow window = b.pd.allocateWindow(MemoryWindow.Type.TYPE_1);
        b.qp.bindWindow(window, region, 0, 64, Access.REMOTE_WRITE, 1);
        p.settle();
        assertThat(window.isBound()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> b.pd.reregister(region, Access.ALL))
                .withMessageContaining("EBUSY");
        assertThatIllegalStateException()
                .isThrownBy(() -> b.pd.deregister(region))
                .withMessageContaining("EBUSY");
        assertThat(write(region.key(), 0, 8)).isEqualTo(WcStatus.SUCCESS);
        b.pd.deallocate(window);
        assertThat(write(b.pd.reregister(region, Access.ALL).key(), 0, 8)).isEqualTo(WcStatus.SUCCESS);
    }
}
