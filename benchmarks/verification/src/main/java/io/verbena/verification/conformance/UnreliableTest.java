package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.AddressHandle;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.verbs.AddressHeader;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.verification.conformance.Way.Fate;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unreliable connections and datagrams: what arrives is whole and in order, what does not is dropped and counted. */
@SuppressWarnings("NullAway.Init") // before each test
final class UnreliableTest extends ConformanceTest {
    private static final int QKEY = 0x1234_5678;

    private QueuePair qa;
    private QueuePair qb;
    private QueuePair da;
    private QueuePair db;
    private AddressHandle toB;

    @Override
    Players players() {
        return Players.linked(fabric);
    }

    @BeforeEach
    void pairs() {
        qa = a.pd.createQueuePair(a.attributes().type(QpType.UC));
        qb = b.pd.createQueuePair(b.attributes().type(QpType.UC));
        p.connect(qa, qb, attributes());
        da = a.pd.createQueuePair(a.attributes().type(QpType.UD));
        db = b.pd.createQueuePair(b.attributes().type(QpType.UD));
        da.activate(QKEY);
        db.activate(QKEY);
        toB = a.pd.createAddressHandle(b.nic.id());
    }

    @Proves(Row.UC_SEND)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, MTU - 1, MTU, MTU + 1, 5 * MTU + 3})
    void sendOverUc(int length) {
        a.fill(64, length, 3);
        qb.postReceive(9, b.key(), 128, length + 5);
        qa.postSend(a.request.sendImmediate(5).wrId(7).local(a.key(), 64, length));
        p.until(() -> b.receives.size() == 1);
        assertThat(a.sends).containsExactly(new Wc(7, WcStatus.SUCCESS, WcOpcode.SEND, length, false, 0, qa.number()));
        assertThat(b.receives)
                .containsExactly(new Wc(9, WcStatus.SUCCESS, WcOpcode.RECEIVE, length, true, 5, qb.number()));
        assertThat(b.holds(128, length, 3)).isTrue();
    }

    @Proves(Row.UC_WRITE)
    @ParameterizedTest
    @ValueSource(ints = {1, MTU, 5 * MTU + 3})
    void writeOverUc(int length) {
        a.fill(64, length, 3);
        qa.postSend(a.request.write(b.key(), 32).wrId(7).local(a.key(), 64, length));
        p.until(() -> a.sends.size() == 1);
        p.settle();
        assertThat(b.holds(32, length, 3)).isTrue();
        assertThat(b.receives).isEmpty();
    }

    @Proves(Row.UC_LOSES)
    @Test
    void ucWithoutAReceiveIsDroppedAndCounted() {
        qa.postSend(a.request.send().wrId(1).local(a.key(), 0, 3 * MTU));
        p.untilSent(1);
        p.settle();
        qb.postReceive(9, b.key(), 0, 100);
        a.fill(0, 100, 8);
        qa.postSend(a.request.send().wrId(2).local(a.key(), 0, 100));
        p.until(() -> b.receives.size() == 1);
        assertThat(b.receives.get(0).wrId()).isEqualTo(9);
        assertThat(b.holds(0, 100, 8)).isTrue();
        assertThat(b.nic.counter(NicCounter.PACKETS_DROPPED)).isEqualTo(3);
        assertThat(qa.state()).isEqualTo(QpState.RTS);
        assertThat(qb.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.UC_LOSES)
    @Test
    void ucMessageWithAGapIsDroppedWhole() {
        Random random = new Random(1);
        p.toB.filter((buffer, offset, length) -> random.nextInt(5) == 0 ? Fate.DROP : Fate.PASS);
        for (int i = 0; i < 200; i++) {
            qb.postReceive(i, b.key(), (i % 50) * 4L * MTU, 4 * MTU);
        }
        int sent = 0;
        for (int round = 0; round < 8; round++) {
            for (int i = 0; i < 25; i++) {
                a.fill(0, 3 * MTU, 1);
                qa.postSend(a.request.sendImmediate(sent++).local(a.key(), 0, 3 * MTU));
            }
            p.untilSent(sent);
        }
        p.settle();
        assertThat(p.toB.lost).isPositive();
        assertThat(b.receives).isNotEmpty().hasSizeLessThan(200);
        assertThat(b.receives).allMatch(wc -> wc.isSuccess() && wc.byteLength() == 3 * MTU);
        assertThat(b.receives.stream().map(Wc::immediate).toList()).isSorted().doesNotHaveDuplicates();
        for (Wc wc : b.receives) {
            if (wc.wrId() < 50) {
                assertThat(b.holds((int) wc.wrId() * 4 * MTU, 3 * MTU, 1)).isTrue();
            }
        }
        assertThat(qb.state()).isEqualTo(QpState.RTS);
    }

    @Proves({Row.UC_REFUSES, Row.UD_REFUSES})
    @Test
    void ucOffersNoReadsAndNoAtomics() {
        assertThatThrownBy(() -> qa.postSend(a.request.read(b.key(), 0).local(a.key(), 0, 8)))
                .hasMessage("UC does not offer READ");
        assertThatThrownBy(() -> qa.postSend(a.request.fetchAdd(b.key(), 0, 1).local(a.key(), 0, 8)))
                .hasMessage("UC does not offer FETCH_ADD");
        assertThatThrownBy(() -> da.postSend(a.request.write(b.key(), 0).to(toB, 1, 1)))
                .hasMessage("UD does not offer WRITE");
        assertThatThrownBy(() -> da.postSend(a.request.send())).hasMessageContaining("needs an address handle");
        assertThatThrownBy(() -> qa.postSend(a.request.send().to(toB, 1, 1))).hasMessageContaining("does not take");
    }

    @Proves({Row.SQE_KEEPS_RECEIVING, Row.LOC_PROT_ERR})
    @Test
    void aBadLocalKeyLeadsToSqeAndBack() {
        qb.postReceive(9, b.key(), 0, 100);
        qa.post(a.request.send().wrId(1).local(12345, 0, 8));
        qa.post(a.request.send().wrId(2).local(a.key(), 0, 8));
        qa.doorbell();
        sendsEnd(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR);
        assertThat(qa.state()).isEqualTo(QpState.SQE);
        qa.postSend(a.request.send().wrId(3).local(a.key(), 0, 8));
        p.untilSent(3);
        assertThat(a.sendStatuses()).endsWith(WcStatus.WR_FLUSH_ERR);
        qb.postSend(b.request.write(a.key(), 0).local(b.key(), 0, 8)); // receiving goes on in SQE
        p.until(() -> !b.sends.isEmpty());
        qa.modify(new QpAttributes().state(QpState.RTS));
        qa.postSend(a.request.send().wrId(4).local(a.key(), 0, 8));
        p.until(() -> b.receives.size() == 1);
        assertThat(a.sendStatuses()).endsWith(WcStatus.SUCCESS);
    }

    @Proves({Row.UD_SEND, Row.UD_REPLIES})
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000, 8192})
    void datagram(int length) {
        a.fill(64, length, 3);
        db.postReceive(9, b.key(), 128, length + AddressHeader.LENGTH);
        da.postSend(
                a.request.sendImmediate(6).wrId(7).to(toB, db.number(), QKEY).local(a.key(), 64, length));
        p.until(() -> b.receives.size() == 1);
        assertThat(a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(b.receives)
                .containsExactly(new Wc(
                        9, WcStatus.SUCCESS, WcOpcode.RECEIVE, length + AddressHeader.LENGTH, true, 6, db.number()));
        assertThat(b.holds(128 + AddressHeader.LENGTH, length, 3)).isTrue();
        assertThat(AddressHeader.sourceNic(b.region.buffer(), 128)).isEqualTo(a.nic.id());
        assertThat(AddressHeader.destinationNic(b.region.buffer(), 128)).isEqualTo(b.nic.id());
        AddressHandle back = b.pd.createAddressHandle(b.region.buffer(), 128);
        assertThat(back.peerNic()).isEqualTo(a.nic.id());
        back.close();
    }

    @Proves({Row.UD_QKEY, Row.UD_LOSES, Row.UD_HEADER_ROOM})
    @Test
    void datagramsThatNobodyTakes() {
        db.postReceive(9, b.key(), 0, 100);
        da.postSend(a.request.send().wrId(1).to(toB, db.number(), QKEY + 1).local(a.key(), 0, 8)); // wrong Q_Key
        da.postSend(a.request.send().wrId(2).to(toB, db.number(), QKEY).local(a.key(), 0, 61)); // 101 bytes with header
        da.postSend(a.request.send().wrId(3).to(toB, 4095, QKEY).local(a.key(), 0, 8)); // nobody
        p.untilSent(3);
        p.settle();
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(b.receives).isEmpty();
        assertThat(b.nic.counter(NicCounter.QKEY_VIOLATIONS)).isEqualTo(1);
        assertThat(b.nic.counter(NicCounter.PACKETS_DROPPED)).isEqualTo(1);
        assertThat(b.nic.counter(NicCounter.PACKETS_REJECTED)).isEqualTo(1);
        da.postSend(a.request.send().wrId(4).to(toB, db.number(), QKEY).local(a.key(), 0, 60));
        p.until(() -> b.receives.size() == 1);
        assertThat(b.receives.get(0).wrId()).isEqualTo(9);
    }

    @Proves({Row.UD_MAX, Row.LOC_QP_OP_ERR})
    @Test
    void datagramsThatCannotBeSent() {
        da.postSend(a.request.send().wrId(1).to(toB, db.number(), QKEY).local(a.key(), 0, 8193));
        sendsEnd(WcStatus.LOC_LEN_ERR);
        da.modify(new QpAttributes().state(QpState.RTS));
        AddressHandle closed = a.pd.createAddressHandle(b.nic.id());
        a.request.send().wrId(2).to(closed, db.number(), QKEY).local(a.key(), 0, 8);
        closed.close();
        a.pd.createAddressHandle(b.nic.id()); // in its place, and still another
        da.postSend(a.request);
        sendsEnd(WcStatus.LOC_LEN_ERR, WcStatus.LOC_QP_OP_ERR);
        assertThat(da.state()).isEqualTo(QpState.SQE);
        da.modify(new QpAttributes().state(QpState.RTS));
        AddressHandle nowhere = a.pd.createAddressHandle(0xDEAD);
        da.postSend(a.request.send().wrId(3).to(nowhere, 2, QKEY).local(a.key(), 0, 8));
        p.untilSent(3);
        assertThat(a.sendStatuses()).endsWith(WcStatus.SUCCESS);
        assertThat(a.nic.counter(NicCounter.PACKETS_DROPPED)).isEqualTo(1);
    }

    @Proves(Row.UD_SEND)
    @Test
    void asManyAddressHandlesAsOneLikes() {
        int handles = 100;
        AddressHandle[] to = new AddressHandle[handles];
        for (int i = 0; i < handles; i++) {
            to[i] = a.pd.createAddressHandle(i % 2 == 0 ? b.nic.id() : 0xDEAD);
            db.postReceive(i, b.key(), 0, 100);
        }
        for (int i = 0; i < handles; i++) {
            da.postSend(a.request.send().wrId(i).to(to[i], db.number(), QKEY).local(a.key(), 0, 8));
            p.untilSent(i + 1);
        }
        p.settle();
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(b.receives).hasSize(handles / 2);
        assertThat(a.nic.counter(NicCounter.PACKETS_DROPPED)).isEqualTo(handles / 2);
    }

    @Proves({Row.UC_APPEND, Row.UD_APPEND})
    @Test
    void appendsOverUcAndUd() {
        AppendQueue queue = b.newAppendQueue();
        a.fill(0, 100, 4);
        qa.postSend(
                a.request.appendImmediate(queue.id(), queue.key(), 3).stream(7).local(a.key(), 0, 100));
        da.postSend(a.request.append(queue.id(), queue.key()).stream(8)
                .to(toB, db.number(), QKEY)
                .local(a.key(), 0, 50));
        p.until(() -> b.messages.size() == 2);
        assertThat(b.messages.get(0).bytes()).isEqualTo(a.bytes(0, 100));
        assertThat(b.messages.get(1).bytes()).isEqualTo(a.bytes(0, 50));
        assertThat(RecordDescriptor.stream(b.messages.get(0).flags())).isEqualTo(7);
        assertThat(RecordDescriptor.stream(b.messages.get(1).flags())).isEqualTo(8);
        qa.postSend(a.request.append(queue.id(), queue.key()).wrId(5).local(a.key(), 0, MTU + 1));
        p.until(() -> !a.sends.isEmpty() && a.sends.get(a.sends.size() - 1).wrId() == 5);
        assertThat(a.sendStatuses()).endsWith(WcStatus.LOC_LEN_ERR);
    }

    @Proves({Row.UC_SEND_INVALIDATE, Row.MW_INVALIDATE})
    @ParameterizedTest
    @ValueSource(ints = {8, 3 * MTU + 1})
    void sendWithInvalidateOverUc(int length) {
        MemoryRegion region = b.pd.allocate(4096, Access.LOCAL_WRITE | Access.MW_BIND);
        MemoryWindow window = b.pd.allocateWindow(MemoryWindow.Type.TYPE_2);
        qb.postSend(b.request.bind(window, window.nextKey(), region, 0, 64, Access.REMOTE_WRITE));
        p.until(() -> b.sends.size() == 1);
        int key = window.key();
        a.fill(0, length, 3);
        qa.postSend(a.request.write(key, 0).local(a.key(), 0, 8));
        qb.postReceive(1, b.key(), 0, length);
        qa.postSend(a.request.sendInvalidate(key).local(a.key(), 0, length));
        p.until(() -> b.receives.size() == 1);
        assertThat(b.holds(0, length, 3)).isTrue();
        assertThat(region.buffer().getByte(0)).isEqualTo(TestNic.pattern(3, 0));
        assertThat(window.isBound()).isFalse();
        region.buffer().putLong(0, 0);
        qa.postSend(a.request.write(key, 0).local(a.key(), 0, 8));
        p.settle();
        assertThat(region.buffer().getLong(0)).as("the key is void").isZero();
    }

    @Proves(Row.UC_WRITE)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3 * MTU + 1})
    void writeWithImmediateOverUc(int length) {
        a.fill(0, length, 3);
        qb.postReceive(9, 0, 0, 0);
        qa.postSend(a.request.writeImmediate(b.key(), 64, 77).local(a.key(), 0, length));
        p.until(() -> b.receives.size() == 1);
        assertThat(b.receives)
                .containsExactly(
                        new Wc(9, WcStatus.SUCCESS, WcOpcode.RECEIVE_WRITE_IMMEDIATE, length, true, 77, qb.number()));
        assertThat(b.holds(64, length, 3)).isTrue();
    }

    @Proves({Row.UC_LOSES, Row.UD_LOSES})
    @Test
    void whatIsRepeatedWithinAMessageOrCutOff() {
        for (int i = 0; i < 4; i++) {
            qb.postReceive(i, b.key(), 0, 4 * MTU);
        }
        int[] packets = new int[1];
        p.toB.filter((buffer, offset, length) -> ++packets[0] == 2 ? Fate.TWICE : Fate.PASS);
        a.fill(0, 3 * MTU, 5);
        qa.postSend(a.request.sendImmediate(1).local(a.key(), 0, 3 * MTU));
        p.settle();
        p.toB.filter(null);
        assertThat(b.receives).as("a middle packet came twice").hasSize(1);
        assertThat(b.holds(0, 3 * MTU, 5)).isTrue();
        p.cut();
        qa.postSend(a.request.sendImmediate(2).local(a.key(), 0, MTU));
        da.postSend(a.request.send().to(toB, db.number(), QKEY).local(a.key(), 0, MTU));
        p.until(() -> a.sends.size() == 3);
        p.runFor(MILLI);
        p.heal();
        p.settle();
        assertThat(a.sendStatuses()).as("nothing was promised").containsOnly(WcStatus.SUCCESS);
        assertThat(b.receives).hasSize(1);
        qa.postSend(a.request.sendImmediate(3).local(a.key(), 0, 2 * MTU));
        p.until(() -> b.receives.size() == 2);
        assertThat(b.receives.get(1).immediate()).isEqualTo(3);
    }

    @Proves(Row.UD_REFUSES)
    @Test
    void udOffersSendAndAppendOnly() {
        refused(() -> da.postSend(a.request.read(1, 0).to(toB, 1, 1)), "READ");
        refused(() -> da.postSend(a.request.writeImmediate(1, 0, 1).to(toB, 1, 1)), "WRITE");
        refused(() -> da.postSend(a.request.fetchAdd(1, 0, 1).to(toB, 1, 1)), "FETCH_ADD");
        refused(() -> da.postSend(a.request.compareSwap(1, 0, 1, 1).to(toB, 1, 1)), "COMPARE_SWAP");
        refused(() -> da.postSend(a.request.sendInvalidate(1).to(toB, 1, 1)), "invalidate");
        assertThat(da.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.UC_LOSES)
    @Test
    void aCopyIsNoNewMessage() {
        for (int i = 0; i < 8; i++) {
            qb.postReceive(i, b.key(), 0, 4 * MTU);
        }
        p.toB.filter((buffer, offset, length) -> Fate.TWICE);
        for (int i = 0; i < 3; i++) {
            qa.postSend(a.request.sendImmediate(i).local(a.key(), 0, i == 1 ? 0 : MTU));
        }
        p.until(() -> b.receives.size() == 3);
        p.settle();
        assertThat(p.toB.repeated).isEqualTo(3);
        assertThat(b.receives).extracting(Wc::immediate).containsExactly(0, 1, 2);
        p.toB.filter((buffer, offset, length) -> Fate.HOLD);
        qa.postSend(a.request.sendImmediate(3).local(a.key(), 0, 8));
        p.until(() -> p.toB.held() == 1);
        p.toB.filter(null);
        qa.postSend(a.request.sendImmediate(4).local(a.key(), 0, 8));
        p.until(() -> b.receives.size() == 4);
        p.toB.release(); // overtaken
        p.settle();
        assertThat(b.receives).extracting(Wc::immediate).containsExactly(0, 1, 2, 4);
    }
}
