package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.QueuePair;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DeregisterResult;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory windows of both types: bound, used in their own range, taken back. */
@SuppressWarnings("NullAway.Init") // before each test
final class MemoryWindowTest extends ConformanceTest {
    private static final int REMOTE = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

    private MemoryRegion region;

    @BeforeEach
    void allocate() {
        region = b.pd.allocate(8192, Access.LOCAL_WRITE | Access.MW_BIND);
    }

    private MemoryWindow type1(int offset, int length, int access) {
        MemoryWindow window = b.pd.allocateWindow(MemoryWindow.Type.TYPE_1);
        b.qp.bindWindow(window, region, offset, length, access, 77);
        p.until(() -> !b.sends.isEmpty());
        assertThat(b.sends)
                .containsExactly(new Wc(77, WcStatus.SUCCESS, WcOpcode.BIND_WINDOW, 0, false, 0, b.qp.number()));
        b.sends.clear();
        return window;
    }

    private MemoryWindow type2(QueuePair through, int offset, int length) {
        MemoryWindow window = b.pd.allocateWindow(MemoryWindow.Type.TYPE_2);
        through.postSend(b.request.bind(window, window.nextKey(), region, offset, length, REMOTE));
        p.until(() -> !b.sends.isEmpty());
        assertThat(b.sends.get(0).status()).isEqualTo(WcStatus.SUCCESS);
        b.sends.clear();
        return window;
    }

    @Proves(Row.MW_TYPE_1)
    @Test
    void everyOneSidedVerbWithinAWindow() {
        MemoryWindow window = type1(4096, 1024, REMOTE);
        a.fill(0, 1024, 5);
        a.qp.postSend(a.request.write(window.key(), 0).local(a.key(), 0, 1024));
        a.qp.postSend(a.request.read(window.key(), 24).local(a.key(), 2000, 1000));
        p.untilSent(2);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(a.bytes(2000, 1000)).isEqualTo(a.bytes(24, 1000));
        for (int i = 0; i < 1024; i++) {
            assertThat(region.buffer().getByte(4096 + i)).isEqualTo(TestNic.pattern(5, i));
        }
        region.buffer().putLong(4096, 5);
        a.qp.postSend(a.request.fetchAdd(window.key(), 0, 3).local(a.key(), 0, 8));
        p.untilSent(3);
        assertThat(region.buffer().getLong(4096)).isEqualTo(8);
    }

    @Proves({Row.MW_RANGE, Row.NOT_PARENT_RANGE, Row.NOT_WRAPPING})
    @ParameterizedTest
    @ValueSource(longs = {-1, 1, 1024, 1L << 40, Long.MAX_VALUE})
    void theWindowsOwnRangeCounts(long offset) {
        MemoryWindow window = type1(4096, 1024, REMOTE);
        a.qp.postSend(a.request.write(window.key(), offset).local(a.key(), 0, 1024));
        sendsEnd(WcStatus.REM_ACCESS_ERR);
        for (int i = 0; i < 8192; i++) {
            assertThat(region.buffer().getByte(i)).isZero();
        }
    }

    @Proves({Row.MW_RANGE, Row.ATOMIC_ALIGNED, Row.REM_INV_REQ_ERR_ATOMIC})
    @Test
    void anAtomicIsAlignedByItsAddressNotByItsOffset() {
        MemoryWindow window = type1(4, 64, REMOTE);
        a.qp.postSend(a.request.fetchAdd(window.key(), 0, 1).local(a.key(), 0, 8));
        sendsEnd(WcStatus.REM_INV_REQ_ERR);
        assertThat(region.buffer().getLong(4)).isZero();
    }

    @Proves(Row.MW_RANGE)
    @Test
    void theWindowsOwnAccessCounts() {
        MemoryWindow window = type1(0, 1024, Access.REMOTE_READ);
        a.qp.postSend(a.request.read(window.key(), 0).local(a.key(), 0, 8));
        a.qp.postSend(a.request.write(window.key(), 0).local(a.key(), 0, 8));
        sendsEnd(WcStatus.SUCCESS, WcStatus.REM_ACCESS_ERR);
    }

    @Proves(Row.MW_TYPE_1)
    @Test
    void bindingAnewTakesTheFormerKeyBack() {
        MemoryWindow window = type1(0, 1024, REMOTE);
        int former = window.key();
        b.qp.bindWindow(window, region, 1024, 8, REMOTE, 1);
        p.until(() -> b.sends.size() == 1);
        a.qp.postSend(a.request.write(window.key(), 0).local(a.key(), 0, 8));
        p.untilSent(1);
        a.qp.postSend(a.request.write(former, 0).local(a.key(), 0, 8));
        sendsEnd(WcStatus.SUCCESS, WcStatus.REM_ACCESS_ERR);
    }

    @Proves(Row.MW_TYPE_1)
    @Test
    void bindingToNothing() {
        MemoryWindow window = type1(0, 1024, REMOTE);
        int former = window.key();
        assertThat(region.windows()).isEqualTo(1);
        b.qp.bindWindow(window, region, 0, 0, 0, 1);
        p.until(() -> b.sends.size() == 1);
        assertThat(region.windows()).isZero();
        a.qp.postSend(a.request.write(former, 0).local(a.key(), 0, 8));
        sendsEnd(WcStatus.REM_ACCESS_ERR);
    }

    @Proves(Row.MW_BIND_ERR)
    @Test
    void badBinds() {
        MemoryRegion noBind = b.pd.allocate(64, Access.ALL);
        MemoryRegion readOnly = b.pd.allocate(64, Access.MW_BIND);
        MemoryWindow window = b.pd.allocateWindow(MemoryWindow.Type.TYPE_2);
        Runnable[] binds = {
            () -> b.qp.postSend(b.request.bind(window, window.nextKey(), noBind, 0, 8, REMOTE)),
            () -> b.qp.postSend(b.request.bind(window, window.nextKey(), readOnly, 0, 8, Access.REMOTE_WRITE)),
            () -> b.qp.postSend(b.request.bind(window, window.nextKey(), region, 8190, 8, REMOTE)),
            () -> b.qp.postSend(b.request.bind(window, window.nextKey(), region, Long.MAX_VALUE, 8, REMOTE)),
            () -> b.qp.postSend(b.request.bind(window, window.nextKey(), region, 0, 8, Access.LOCAL_WRITE)),
            () -> b.qp.postSend(b.request.bind(window, window.key(), region, 0, 8, REMOTE)),
            () -> b.qp.postSend(b.request.bind(window, window.nextKey(), region, 0, 0, REMOTE)),
        };
        for (Runnable bind : binds) {
            bind.run();
            p.until(() -> !b.sends.isEmpty());
            assertThat(b.sendStatuses()).containsExactly(WcStatus.MW_BIND_ERR);
            assertThat(b.qp.state()).isEqualTo(QpState.ERR);
            b.sends.clear();
            b.qp.close();
            b.qp = b.newQueuePair();
            p.connect(a.newQueuePair(), b.qp, attributes());
        }
        assertThat(window.isBound()).isFalse();
        assertThat(region.windows()).isZero();
    }

    @Proves(Row.MW_TYPE_2)
    @Test
    void type2IsForItsQueuePairAlone() {
        QueuePair a2 = a.newQueuePair();
        QueuePair b2 = b.newQueuePair();
        p.connect(a2, b2, attributes());
        MemoryWindow window = type2(b.qp, 0, 64);
        a.qp.postSend(a.request.write(window.key(), 0).local(a.key(), 0, 8));
        p.untilSent(1);
        a2.postSend(a.request.write(window.key(), 0).local(a.key(), 0, 8));
        sendsEnd(WcStatus.SUCCESS, WcStatus.REM_ACCESS_ERR);
    }

    @Proves({Row.MW_INVALIDATE, Row.MW_TYPE_2})
    @Test
    void localInvalidate() {
        MemoryWindow window = type2(b.qp, 0, 64);
        b.qp.postSend(b.request.localInvalidate(window.key()).wrId(5));
        p.until(() -> b.sends.size() == 1);
        assertThat(b.sends)
                .containsExactly(new Wc(5, WcStatus.SUCCESS, WcOpcode.LOCAL_INVALIDATE, 0, false, 0, b.qp.number()));
        a.qp.postSend(a.request.write(window.key(), 0).local(a.key(), 0, 8));
        sendsEnd(WcStatus.REM_ACCESS_ERR);
    }

    @Proves(Row.LOC_QP_OP_ERR)
    @Test
    void badLocalInvalidate() {
        b.qp.postSend(b.request.localInvalidate(region.key()));
        p.until(() -> b.sends.size() == 1);
        assertThat(b.sendStatuses()).containsExactly(WcStatus.LOC_QP_OP_ERR);
    }

    @Proves({Row.RC_SEND_INVALIDATE, Row.MW_INVALIDATE})
    @Test
    void sendWithInvalidate() {
        MemoryWindow window = type2(b.qp, 0, 64);
        int key = window.key();
        b.qp.postReceive(1, b.key(), 0, 8);
        a.qp.postSend(a.request.sendInvalidate(key).local(a.key(), 0, 8));
        sendsEnd(WcStatus.SUCCESS);
        assertThat(b.receives).hasSize(1);
        assertThat(b.receives.get(0).isSuccess()).isTrue();
        assertThat(window.isBound()).isFalse();
        // bound again, under a new key
        b.qp.postSend(b.request.bind(window, window.nextKey(), region, 0, 64, REMOTE));
        p.until(() -> !b.sends.isEmpty());
        assertThat(window.key()).isNotEqualTo(key);
        a.qp.postSend(a.request.write(window.key(), 0).local(a.key(), 0, 8));
        p.untilSent(2);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
    }

    @Proves({Row.RC_SEND_INVALIDATE, Row.REM_ACCESS_ERR})
    @Test
    void sendWithABadInvalidate() {
        b.qp.postReceive(1, b.key(), 0, 8);
        a.qp.postSend(a.request.sendInvalidate(b.key()).local(a.key(), 0, 8));
        sendsEnd(WcStatus.REM_ACCESS_ERR);
        assertThat(b.receives.get(0).status()).isEqualTo(WcStatus.LOC_ACCESS_ERR);
    }

    @Proves(Row.MR_WINDOW_BUSY)
    @Test
    void aRegionWithAWindowIsBusy() {
        MemoryWindow window = type1(0, 64, REMOTE);
        assertThatThrownBy(() -> b.pd.deregister(region))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("EBUSY");
        a.qp.postSend(a.request.write(window.key(), 0).local(a.key(), 0, 8));
        sendsEnd(WcStatus.SUCCESS);
        b.pd.deallocate(window);
        assertThat(b.pd.deregister(region)).isEqualTo(DeregisterResult.DONE);
        assertThatThrownBy(() -> b.pd.deallocate(window)).isInstanceOf(IllegalArgumentException.class);
    }

    @Proves(Row.LOC_PROT_ERR)
    @Test
    void aWindowsKeyIsNotALocalKey() {
        MemoryWindow window = type1(0, 64, REMOTE);
        b.qp.postSend(b.request.write(a.key(), 0).local(window.key(), 0, 8));
        p.until(() -> !b.sends.isEmpty());
        assertThat(b.sendStatuses()).containsExactly(WcStatus.LOC_PROT_ERR);
    }
}
