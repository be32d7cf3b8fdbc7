package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.verification.conformance.Way.Fate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each completion status comes when, and only when, the table says; and the data is where it was. */
final class StatusTest extends ConformanceTest {

    // ---- LOC_LEN_ERR, REM_INV_REQ_ERR --------------------------------------------------------------------------

    @Proves({Row.LOC_LEN_ERR_RECEIVE, Row.NAK_BOTH, Row.LAYOUT_UNTOUCHED})
    @ParameterizedTest
    @CsvSource({"0,1", "99,100", "1024,1025", "3000,3001", "1500,9000"})
    void aReceiveThatIsTooShort(int room, int length) {
        a.fill(0, length, 1);
        b.qp.postReceive(5, b.key(), 100_000, room);
        b.qp.postReceive(6, b.key(), 200_000, 10_000);
        a.qp.postSend(a.request.send().local(a.key(), 0, length));
        p.untilSent(1);
        p.settle();
        assertThat(a.sendStatuses()).containsExactly(WcStatus.REM_INV_REQ_ERR);
        assertThat(b.receives).extracting(Wc::wrId).containsExactly(5L, 6L);
        assertThat(b.receives).extracting(Wc::status).containsExactly(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR);
        assertThat(b.isZero(100_000 + room, 100_000 - room)).isTrue();
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
    }

    @Proves({Row.LOC_LEN_ERR_ATOMIC, Row.LOCAL_ERROR_PEER})
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 7, 9, 16})
    void anAtomicsResultIsEightBytes(int length) {
        a.qp.postSend(a.request.fetchAdd(b.key(), 0, 1).local(a.key(), 0, length));
        expectLocalError(WcStatus.LOC_LEN_ERR);
    }

    @Proves({Row.REM_INV_REQ_ERR_ATOMIC, Row.ATOMIC_ALIGNED, Row.EV_QP_REQ_ERR, Row.NAK_BOTH})
    @ParameterizedTest
    @ValueSource(longs = {1, 4, 7, 63})
    void aMisalignedAtomic(long offset) {
        a.qp.postSend(a.request.fetchAdd(b.key(), offset, 1).local(a.key(), 0, 8));
        expectRemoteError(WcStatus.REM_INV_REQ_ERR);
        assertThat(b.eventTypes()).contains(AsyncEventType.QP_REQ_ERR);
    }

    @Proves(Row.REM_INV_REQ_ERR_ACCESS)
    @ParameterizedTest
    @CsvSource({
        "WRITE, " + (Access.REMOTE_READ | Access.REMOTE_ATOMIC),
        "READ, " + (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC),
        "FETCH_ADD, " + (Access.REMOTE_WRITE | Access.REMOTE_READ)
    })
    void anOperationThatThePeersQueuePairDoesNotAllow(WcOpcode operation, int access) {
        reconnect(attributes().access(access));
        post(operation, b.key(), 0);
        expectRemoteError(WcStatus.REM_INV_REQ_ERR);
    }

    @Proves({Row.REM_INV_REQ_ERR_APPEND, Row.AQ_WRONG_NAME})
    @Test
    void anAppendLongerThanTheQueuesLimit() {
        AppendQueue queue = b.newAppendQueue(
                new AppendQueueAttributes().chunkLength(64 * 1024).maxMessage(1000));
        a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 1000));
        sendsEnd(WcStatus.SUCCESS);
        a.sends.clear();
        a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 1001));
        expectRemoteError(WcStatus.REM_INV_REQ_ERR);
        assertThat(b.messages).hasSize(1);
    }

    // ---- LOC_PROT_ERR ------------------------------------------------------------------------------------------

    @Proves({Row.LOC_PROT_ERR, Row.LOCAL_ERROR_PEER})
    @Test
    void anUnknownLocalKey() {
        b.qp.postReceive(1, b.key(), 0, 100);
        a.qp.postSend(a.request.send().local(a.key() ^ 0x100_0000, 0, 100));
        expectLocalError(WcStatus.LOC_PROT_ERR);
        assertThat(b.receives).isEmpty();
    }

    @Proves({Row.LOC_PROT_ERR, Row.NOT_WRAPPING})
    @ParameterizedTest
    @CsvSource({
        "262144,1",
        "262143,2",
        "-1,1",
        "-1,10",
        "9223372036854775807,1",
        "9223372036854775807,2147483647",
        "0,262145"
    })
    void aLocalRangeOutsideItsRegion(long offset, int length) {
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), offset, length));
        expectLocalError(WcStatus.LOC_PROT_ERR);
    }

    @Proves(Row.LOC_PROT_ERR)
    @Test
    void aLocalKeyOfAnotherDomain() {
        ProtectionDomain other = a.nic.allocateProtectionDomain();
        MemoryRegion foreign = other.allocate(100, Access.ALL);
        a.qp.postSend(a.request.write(b.key(), 0).local(foreign.key(), 0, 100));
        expectLocalError(WcStatus.LOC_PROT_ERR);
    }

    @Proves({Row.LOC_PROT_ERR, Row.MR_PERMISSIONS})
    @ParameterizedTest
    @ValueSource(strings = {"READ", "FETCH_ADD", "COMPARE_SWAP"})
    void aResultWhereTheOwnerMayNotWrite(WcOpcode operation) {
        MemoryRegion readOnly = a.pd.allocate(100, 0);
        switch (operation) {
            case READ:
                a.request.read(b.key(), 0).local(readOnly.key(), 0, 8);
                break;
            case FETCH_ADD:
                a.request.fetchAdd(b.key(), 0, 0).local(readOnly.key(), 0, 8);
                break;
            default:
                a.request.compareSwap(b.key(), 0, 0, 0).local(readOnly.key(), 0, 8);
        }
        a.qp.postSend(a.request);
        expectLocalError(WcStatus.LOC_PROT_ERR);
    }

    /** As on hardware: the place of the result is looked at when the result comes. */
    @Proves(Row.LOC_PROT_ERR)
    @Test
    void anAtomicWithoutAPlaceForItsResultIsDoneAllTheSame() {
        MemoryRegion readOnly = a.pd.allocate(100, 0);
        a.qp.postSend(a.request.fetchAdd(b.key(), 0, 1).local(readOnly.key(), 0, 8));
        sendsEnd(WcStatus.LOC_PROT_ERR);
        assertThat(b.region.buffer().getLong(0)).isEqualTo(1);
    }

    @Proves(Row.MR_PERMISSIONS)
    @Test
    void aReadOnlyRegionMayBeSent() {
        MemoryRegion readOnly = a.pd.allocate(100, 0);
        a.qp.postSend(a.request.write(b.key(), 0).local(readOnly.key(), 0, 100));
        sendsEnd(WcStatus.SUCCESS);
    }

    @Proves({Row.LOC_PROT_ERR, Row.EARLIER_STAND, Row.LOCAL_ERROR_PEER})
    @Test
    void aLocalErrorWaitsForWhatWasPostedBefore() {
        b.fill(0, 50_000, 1);
        a.qp.post(a.request.read(b.key(), 0).wrId(1).local(a.key(), 0, 50_000));
        a.qp.post(a.request.write(b.key(), 60_000).wrId(2).local(a.key(), 0, 5_000));
        a.qp.post(a.request.send().wrId(3).local(0, 0, 10));
        a.qp.post(a.request.write(b.key(), 0).wrId(4).local(a.key(), 0, 10));
        a.qp.doorbell();
        p.untilSent(4);
        p.settle();
        assertThat(a.sendIds()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(a.sendStatuses())
                .containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR);
        assertThat(a.holds(0, 50_000, 1)).isTrue();
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves({Row.LOC_PROT_ERR, Row.MR_DEREGISTERED})
    @Test
    void aRegionThatGoesWhileItIsSentNeverDeliversWhatWasNotThere() {
        reconnect(attributes().timeout(12));
        p.toB.delay(100 * MICRO);
        p.toB.window(1); // time to deregister between two packets
        MemoryRegion source = a.pd.allocate(10 * MTU, Access.ALL);
        source.buffer().setMemory(0, 10 * MTU, (byte) 1);
        b.qp.postReceive(1, b.key(), 0, 10 * MTU);
        a.qp.postSend(a.request.send().local(source.key(), 0, 10 * MTU));
        p.until(() -> b.region.buffer().getByte(4 * MTU) == 1);
        a.pd.deregister(source);
        p.untilSent(1);
        p.settle();
        assertThat(a.sendStatuses()).containsExactly(WcStatus.LOC_PROT_ERR);
        assertThat(b.receives).isEmpty();
        for (byte value : b.bytes(0, 10 * MTU)) {
            assertThat(value).isBetween((byte) 0, (byte) 1);
        }
    }

    // ---- REM_ABORT_ERR -----------------------------------------------------------------------------------------

    @Proves(Row.REM_ABORT_ERR)
    @Test
    void anAppendThatStoodStillInTheMiddle() {
        needsPackets();
        reconnect(attributes().timeout(18)); // 1.07 s: longer than the receiver waits
        AppendQueue queue = b.newAppendQueue(
                new AppendQueueAttributes().chunkLength(64 * 1024).unfinishedTimeoutNanos(1_000_000));
        int[] packets = new int[1];
        p.toB.filter((buffer, offset, length) -> ++packets[0] > 2 ? Fate.DROP : Fate.PASS);
        a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 10_000));
        p.until(() -> b.nic.counter(NicCounter.UNFINISHED_APPENDS) == 1);
        p.toB.filter(null);
        expectRemoteError(WcStatus.REM_ABORT_ERR);
        assertThat(b.messages).isEmpty();
        assertThat(queue.isEmpty()).isTrue();
    }

    // ---- REM_OP_ERR --------------------------------------------------------------------------------------------

    @Proves(Row.REM_OP_ERR)
    @Test
    void aReceiveWhoseOwnKeyIsBad() {
        b.qp.postReceive(5, b.key() ^ 0x100_0000, 0, 100);
        a.qp.postSend(a.request.send().local(a.key(), 0, 100));
        expectRemoteError(WcStatus.REM_OP_ERR);
        assertThat(b.receives).extracting(Wc::status).containsExactly(WcStatus.LOC_PROT_ERR);
        assertThat(b.receives).extracting(Wc::wrId).containsExactly(5L);
    }

    @Proves(Row.REM_OP_ERR)
    @Test
    void aReceiveWhereTheOwnerMayNotWrite() {
        MemoryRegion readOnly = b.pd.allocate(100, 0);
        b.qp.postReceive(5, readOnly.key(), 0, 100);
        a.qp.postSend(a.request.send().local(a.key(), 0, 100));
        expectRemoteError(WcStatus.REM_OP_ERR);
        assertThat(b.receives).extracting(Wc::status).containsExactly(WcStatus.LOC_PROT_ERR);
    }

    // ---- REM_ACCESS_ERR ----------------------------------------------------------------------------------------

    private void post(WcOpcode operation, int rkey, long offset) {
        switch (operation) {
            case WRITE:
                a.request.write(rkey, offset).local(a.key(), 0, 8);
                break;
            case READ:
                a.request.read(rkey, offset).local(a.key(), 0, 8);
                break;
            case FETCH_ADD:
                a.request.fetchAdd(rkey, offset, 1).local(a.key(), 0, 8);
                break;
            default:
                a.request.compareSwap(rkey, offset, 0, 1).local(a.key(), 0, 8);
        }
        a.fill(0, 8, 3);
        a.qp.postSend(a.request);
    }

    @Proves({Row.REM_ACCESS_ERR, Row.EV_QP_ACCESS_ERR, Row.NAK_BOTH, Row.LAYOUT_UNTOUCHED})
    @ParameterizedTest
    @ValueSource(strings = {"WRITE", "READ", "FETCH_ADD", "COMPARE_SWAP"})
    void anUnknownRemoteKey(WcOpcode operation) {
        post(operation, b.key() ^ 0x100_0000, 0);
        expectRemoteError(WcStatus.REM_ACCESS_ERR);
        assertThat(b.eventTypes()).contains(AsyncEventType.QP_ACCESS_ERR);
        assertThat(a.holds(0, 8, 3)).as("the result's place is untouched").isTrue();
    }

    @Proves({Row.REM_ACCESS_ERR, Row.MR_DEREGISTERED})
    @ParameterizedTest
    @ValueSource(strings = {"WRITE", "READ", "FETCH_ADD", "COMPARE_SWAP"})
    void aRemoteKeyThatWasDeregistered(WcOpcode operation) {
        MemoryRegion gone = b.pd.allocate(100, Access.ALL);
        int key = gone.key();
        b.pd.deregister(gone);
        b.pd.allocate(100, Access.ALL);
        post(operation, key, 0);
        expectRemoteError(WcStatus.REM_ACCESS_ERR);
    }

    @Proves(Row.REM_ACCESS_ERR)
    @ParameterizedTest
    @ValueSource(strings = {"WRITE", "READ", "FETCH_ADD", "COMPARE_SWAP"})
    void aRemoteKeyOfAnotherDomain(WcOpcode operation) {
        MemoryRegion foreign = b.nic.allocateProtectionDomain().allocate(100, Access.ALL);
        post(operation, foreign.key(), 0);
        expectRemoteError(WcStatus.REM_ACCESS_ERR);
        assertThat(foreign.buffer().getLong(0)).isZero();
    }

    @Proves(Row.REM_ACCESS_ERR)
    @ParameterizedTest
    @CsvSource({
        "WRITE, " + (Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC),
        "READ, " + (Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC),
        "FETCH_ADD, " + (Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ),
        "COMPARE_SWAP, " + (Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ)
    })
    void aRegionWithoutThePermission(WcOpcode operation, int access) {
        MemoryRegion region = b.pd.allocate(100, access);
        post(operation, region.key(), 0);
        expectRemoteError(WcStatus.REM_ACCESS_ERR);
        assertThat(region.buffer().getLong(0)).isZero();
    }

    @Proves({Row.REM_ACCESS_ERR, Row.NOT_WRAPPING})
    @ParameterizedTest
    @ValueSource(longs = {262_144, 262_137, -1, -8, Long.MAX_VALUE, Long.MAX_VALUE - 7, Long.MIN_VALUE, 1L << 32})
    void aRemoteRangeOutsideItsRegion(long offset) {
        for (WcOpcode operation : new WcOpcode[] {WcOpcode.WRITE, WcOpcode.READ}) {
            reconnect(attributes());
            post(operation, b.key(), offset);
            expectRemoteError(WcStatus.REM_ACCESS_ERR);
        }
        if ((offset & 7) == 0) {
            for (WcOpcode operation : new WcOpcode[] {WcOpcode.FETCH_ADD, WcOpcode.COMPARE_SWAP}) {
                reconnect(attributes());
                post(operation, b.key(), offset);
                expectRemoteError(WcStatus.REM_ACCESS_ERR);
            }
        }
    }

    @Proves({Row.REM_ACCESS_ERR, Row.AQ_WRONG_NAME})
    @Test
    void anAppendWithAWrongKeyOrIdLeavesTheQueueUntouched() {
        AppendQueue queue = b.newAppendQueue();
        a.qp.postSend(a.request.append(queue.id(), queue.key() + 1).local(a.key(), 0, 10));
        expectRemoteError(WcStatus.REM_ACCESS_ERR);
        assertThat(b.messages).isEmpty();

        reconnect(attributes());
        queue = b.newAppendQueue();
        a.qp.postSend(a.request.append(queue.id() + 1, queue.key()).local(a.key(), 0, 10));
        p.untilSent(1);
        assertThat(a.sendStatuses().get(0)).isIn(WcStatus.REM_ACCESS_ERR, WcStatus.REM_INV_REQ_ERR);
        assertThat(b.messages).isEmpty();
    }

    @Proves(Row.EARLIER_STAND)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCameBeforeABadRequestIsDoneAndSaidToBe(boolean atOnce) {
        b.fill(0, 30_000, 1);
        if (atOnce) {
            b.pauseFor(50_000); // finds all of it at once
        }
        a.fill(100_000, 10, 2);
        a.qp.post(a.request.read(b.key(), 0).wrId(1).local(a.key(), 0, 30_000));
        a.qp.post(a.request.fetchAdd(b.key(), 40_000, 5).wrId(2).local(a.key(), 50_000, 8));
        a.qp.post(a.request.write(b.key(), 60_000).wrId(3).local(a.key(), 100_000, 10));
        a.qp.post(a.request.write(1, 0).wrId(4).local(a.key(), 0, 10));
        a.qp.post(a.request.write(b.key(), 70_000).wrId(5).local(a.key(), 100_000, 10));
        a.qp.doorbell();
        p.untilSent(5);
        assertThat(a.sendIds()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(a.sendStatuses())
                .containsExactly(
                        WcStatus.SUCCESS,
                        WcStatus.SUCCESS,
                        WcStatus.SUCCESS,
                        WcStatus.REM_ACCESS_ERR,
                        WcStatus.WR_FLUSH_ERR);
        assertThat(a.holds(0, 30_000, 1)).isTrue();
        assertThat(b.region.buffer().getLong(40_000)).isEqualTo(5);
        assertThat(b.isZero(70_000, 10)).isTrue();
    }

    // ---- LOC_ACCESS_ERR ----------------------------------------------------------------------------------------

    @Proves(Row.LOC_ACCESS_ERR)
    @Test
    void theReceiveThatABadWriteWithImmediateConsumed() {
        b.qp.postReceive(5, b.key(), 0, 100);
        b.qp.postReceive(6, b.key(), 0, 100);
        a.qp.postSend(a.request.writeImmediate(1, 0, 9).local(a.key(), 0, 100));
        expectRemoteError(WcStatus.REM_ACCESS_ERR);
        assertThat(b.receives).extracting(Wc::wrId).containsExactly(5L, 6L);
        assertThat(b.receives).extracting(Wc::status).containsExactly(WcStatus.LOC_ACCESS_ERR, WcStatus.WR_FLUSH_ERR);
    }

    // ---- precedence --------------------------------------------------------------------------------------------

    @Proves(Row.BOTH_KEYS_WRITE)
    @Test
    void bothKeysBadAWriteReportsTheLocalOne() {
        a.qp.postSend(a.request.write(1, 0).local(1, 0, 8));
        expectLocalError(WcStatus.LOC_PROT_ERR);
    }

    @Proves(Row.BOTH_KEYS_READ)
    @Test
    void bothKeysBadAReadReportsTheRemoteOne() {
        a.qp.postSend(a.request.read(1, 0).local(1, 0, 8));
        expectRemoteError(WcStatus.REM_ACCESS_ERR);
    }

    @Proves(Row.BOTH_KEYS_ATOMIC)
    @Test
    void bothKeysBadAnAtomicReportsTheRemoteOne() {
        a.qp.postSend(a.request.fetchAdd(1, 0, 1).local(1, 0, 8));
        expectRemoteError(WcStatus.REM_ACCESS_ERR);
    }

    // ---- depth -------------------------------------------------------------------------------------------------

    @Proves(Row.RD_ATOMIC_LIMIT)
    @Test
    void theInitiatorHoldsBackAtMaxRdAtomic() {
        reconnect(attributes().maxRdAtomic(2));
        b.fill(0, 50_000, 1);
        for (int i = 0; i < 20; i++) {
            a.qp.post(a.request.read(b.key(), 0).wrId(i).local(a.key(), i * 5_000L, 5_000));
        }
        a.qp.doorbell();
        p.untilSent(20);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        for (int i = 0; i < 20; i++) {
            assertThat(a.holds(i * 5_000, 5_000, 1)).isTrue();
        }
    }

    @Proves(Row.DEST_RD_ATOMIC_ZERO)
    @Test
    void maxDestRdAtomicZeroRefuses() {
        reconnect(attributes().maxRdAtomic(0));
        a.qp.postSend(a.request.read(b.key(), 0).local(a.key(), 0, 8));
        p.untilSent(1);
        assertThat(a.sendStatuses().get(0)).isIn(WcStatus.LOC_QP_OP_ERR, WcStatus.REM_INV_REQ_ERR);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
    }
}
