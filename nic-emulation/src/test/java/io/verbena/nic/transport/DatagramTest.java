package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.verbs.AddressHeader;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.Opcode;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Datagrams: their address header, Q_Key, bounds, and that each goes its own way. */
class DatagramTest {
    private static final long LIFETIME = 1_000_000_000;
    private static final int QKEY = 0x11;

    private static TransportPair datagrams() {
        TransportPair pair = new TransportPair(QpType.UD);
        pair.qpA.connection().qkey(QKEY);
        pair.qpB.connection().qkey(QKEY);
        return pair;
    }

    @Test
    void datagramCarriesItsSendersAddressBeforeIt() {
        TransportPair ud = datagrams();
        int address = ud.a.addresses.add(NIC_B, FakeNic.PD);
        ud.b.receive(ud.qpB, 11, 0, 200);
        ud.b.receive(ud.qpB, 12, 400, 100);
        ud.run(
                Wr.send(1).entry(ud.a.region, 40, 100).to(address, QP_B, QKEY).solicited(),
                Wr.send(2).entry(ud.a.region, 40, 10).to(address, QP_B, QKEY).immediate(9));
        assertThat(ud.ab.sent())
                .containsExactly(
                        "UD_SEND_ONLY 100 solicited qkey=17 100B",
                        "UD_SEND_ONLY_IMMEDIATE 101 qkey=17 immediate=9 10B");
        assertThat(ud.a.done()).containsExactly("1 SUCCESS SEND 100", "2 SUCCESS SEND 10");
        assertThat(ud.b.completions.get(0).peerQp()).isEqualTo(QP_A);
        assertThat(ud.b.done())
                .containsExactly("11 SUCCESS RECEIVE 140 solicited", "12 SUCCESS RECEIVE 50 immediate=9");
        UnsafeBuffer header = new UnsafeBuffer(new byte[AddressHeader.LENGTH]);
        AddressHeader.encode(header, 0, NIC_A, NIC_B);
        assertThat(ud.b.bytes(0, AddressHeader.LENGTH)).isEqualTo(header.byteArray());
        assertThat(ud.b.bytes(AddressHeader.LENGTH, 100)).isEqualTo(ud.a.bytes(40, 100));
    }

    @Test
    void datagramMustLeaveRoomForTheAddressHeader() {
        TransportPair ud = datagrams();
        int address = ud.a.addresses.add(NIC_B, FakeNic.PD);
        ud.b.receive(ud.qpB, 11, 0, 50);
        ud.run(Wr.send(1).entry(ud.a.region, 40, 11).to(address, QP_B, QKEY));
        assertThat(ud.b.done()).isEmpty();
        assertThat(ud.b.counted(NicCounter.PACKETS_DROPPED)).isOne();
        ud.run(Wr.send(2).entry(ud.a.region, 40, 10).to(address, QP_B, QKEY));
        assertThat(ud.b.done()).containsExactly("11 SUCCESS RECEIVE 50");
    }

    @Test
    void datagramUnderAnotherQkeyIsCountedAndForgotten() {
        TransportPair ud = datagrams();
        int address = ud.a.addresses.add(NIC_B, FakeNic.PD);
        ud.b.receive(ud.qpB, 11, 0, 200);
        ud.run(Wr.send(1).entry(ud.a.region, 40, 10).to(address, QP_B, QKEY + 1));
        assertThat(ud.b.counted(NicCounter.QKEY_VIOLATIONS)).isOne();
        assertThat(ud.b.counted(NicCounter.PACKETS_DROPPED)).isZero();
        assertThat(ud.b.done()).isEmpty();
    }

    @Test
    void datagramsOfAnyPsnAreTaken() {
        TransportPair ud = datagrams();
        int address = ud.a.addresses.add(NIC_B, FakeNic.PD);
        ud.ab.loses = packet -> packet.psn == 100;
        ud.b.receive(ud.qpB, 11, 0, 200);
        ud.b.receive(ud.qpB, 12, 0, 200);
        Wr[] two = {
            Wr.send(1).entry(ud.a.region, 0, 1).to(address, QP_B, QKEY),
            Wr.send(2).entry(ud.a.region, 0, 2).to(address, QP_B, QKEY)
        };
        ud.run(two);
        ud.b.arrive(NIC_A, ud.ab.log.get(0));
        assertThat(ud.b.done()).containsExactly("11 SUCCESS RECEIVE 42", "12 SUCCESS RECEIVE 41");
    }

    @Test
    void unknownAddressOrAnotherDomainsIsALocalOperationError() {
        int[] addresses = {0x7777, datagrams().a.addresses.add(NIC_B, FakeNic.PD + 1)};
        for (int address : addresses) {
            TransportPair ud = datagrams();
            ud.a.addresses.add(NIC_B, FakeNic.PD + 1);
            ud.run(Wr.send(1).entry(ud.a.region, 40, 10).to(address, QP_B, QKEY));
            assertThat(ud.a.done()).containsExactly("1 LOC_QP_OP_ERR solicited");
            assertThat(ud.qpA.state()).isEqualTo(QpState.SQE);
        }
    }

    @Test
    void datagramIsBoundedByTheLinkAndByItsOwnMaximum() {
        TransportPair ud = datagrams();
        int address = ud.a.addresses.add(NIC_B, FakeNic.PD);
        ud.ab.maxPacket = 1000;
        int most = 1000 - Opcode.MAX_HEADER_LENGTH;
        ud.run(Wr.send(1).entry(ud.a.region, 0, most).to(address, QP_B, QKEY));
        ud.run(Wr.send(2).entry(ud.a.region, 0, most + 1).to(address, QP_B, QKEY));
        assertThat(ud.a.done()).containsExactly("1 SUCCESS SEND 952", "2 LOC_LEN_ERR solicited");
        TransportPair wide = datagrams();
        wide.a.addresses.add(NIC_B, FakeNic.PD);
        wide.run(Wr.send(1)
                .entry(wide.a.region, 0, UnreliableRequester.DATAGRAM_MTU)
                .to(address, QP_B, QKEY));
        wide.run(Wr.send(2)
                .entry(wide.a.region, 0, UnreliableRequester.DATAGRAM_MTU + 1)
                .to(address, QP_B, QKEY));
        assertThat(wide.a.done()).containsExactly("1 SUCCESS SEND 8192", "2 LOC_LEN_ERR solicited");
        wide.qpA.state(QpState.RTS);
        wide.cut();
        wide.run(Wr.send(3)
                .entry(wide.a.region, 0, UnreliableRequester.DATAGRAM_MTU)
                .to(address, QP_B, QKEY));
        assertThat(wide.a.done()).containsExactly("3 SUCCESS SEND 8192");
        assertThat(wide.a.counted(NicCounter.PACKETS_DROPPED)).isOne();
    }

    @Test
    void eachDatagramGoesItsOwnWay() {
        TransportPair ud = datagrams();
        FakeLink other = new FakeLink(0xC0, () -> ud.now);
        ud.a.path(0xC0).attach(other);
        int toB = ud.a.addresses.add(NIC_B, FakeNic.PD);
        int toC = ud.a.addresses.add(0xC0, FakeNic.PD);
        ud.run(
                Wr.send(1).entry(ud.a.region, 0, 1).to(toC, 9, QKEY),
                Wr.send(2).entry(ud.a.region, 0, 2).to(toB, QP_B, QKEY));
        assertThat(other.log.get(0).destinationQp()).isEqualTo(9);
        assertThat(other.sent()).containsExactly("UD_SEND_ONLY 100 qkey=17 1B");
        assertThat(ud.ab.sent()).containsExactly("UD_SEND_ONLY 101 qkey=17 2B");
        assertThat(ud.qpA.sendPath()).isSameAs(ud.a.path(NIC_B));
    }

    @Test
    void onlyTheWayThatIsStuckIsGivenUp() {
        TransportPair ud = datagrams();
        FakeLink other = new FakeLink(0xC0, () -> ud.now);
        ud.a.path(0xC0).attach(other);
        int toB = ud.a.addresses.add(NIC_B, FakeNic.PD);
        int toC = ud.a.addresses.add(0xC0, FakeNic.PD);
        ud.ab.room = 0;
        ud.run(
                Wr.send(1).entry(ud.a.region, 0, 1).to(toB, QP_B, QKEY),
                Wr.send(2).entry(ud.a.region, 0, 2).to(toC, 9, QKEY),
                Wr.send(3).entry(ud.a.region, 0, 3).to(toB, QP_B, QKEY));
        assertThat(ud.a.done()).isEmpty();
        ud.advance(LIFETIME);
        assertThat(ud.a.done()).containsExactly("1 SUCCESS SEND 1", "2 SUCCESS SEND 2", "3 SUCCESS SEND 3");
        assertThat(other.log).hasSize(1);
        assertThat(ud.ab.log).isEmpty();
        assertThat(ud.a.counted(NicCounter.PACKETS_DROPPED)).isEqualTo(2);
    }

    @Test
    void datagramThatWaitsIsLookedAtOnceMoreBeforeItGoes() {
        TransportPair ud = datagrams();
        int address = ud.a.addresses.add(NIC_B, FakeNic.PD);
        ud.ab.room = 0;
        ud.run(Wr.send(1).entry(ud.a.region, 0, 1).to(address, QP_B, QKEY));
        ud.a.addresses.remove(address);
        ud.ab.room = 1;
        ud.settle();
        assertThat(ud.a.done()).containsExactly("1 LOC_QP_OP_ERR solicited");
    }

    @Test
    void appendGoesByDatagramToo() {
        TransportPair ud = datagrams();
        int address = ud.a.addresses.add(NIC_B, FakeNic.PD);
        AppendQueue queue = ud.b.appendQueue(1000);
        // An append's queue and key, and a datagram's address and Q_Key, are fields of their own.
        ud.run(
                Wr.append(1, queue.id(), queue.key())
                        .entry(ud.a.region, 40, 100)
                        .to(address, QP_B, QKEY),
                Wr.append(2, queue.id(), queue.key())
                        .entry(ud.a.region, 40, 1)
                        .to(address, QP_B, QKEY)
                        .immediate(4));
        assertThat(ud.ab.sent())
                .containsExactly(
                        "UD_APPEND_ONLY 100 qkey=17 queue=0 length=100 100B",
                        "UD_APPEND_ONLY_IMMEDIATE 101 qkey=17 queue=0 length=1 immediate=4 1B");
        byte[] sent = ud.a.bytes(40, 100);
        assertThat(ud.b.messages(queue))
                .containsExactly(
                        "100B of 5 " + sent[0] + ".." + sent[99], "1B immediate=4 of 5 " + sent[0] + ".." + sent[0]);
        assertThat(Arrays.equals(sent, new byte[100])).isFalse();
    }
}
