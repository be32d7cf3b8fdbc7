package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import org.junit.jupiter.api.Test;

/** What holds a request back or refuses it at its sender: budgets, links, fences, limits of READs, local keys. */
class RequestLimitsTest {

    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final QpContext qp = pair.qpA;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, 1000).entry(a.region, 40, length);
    }

    @Test
    void visitEndsWhereItsBudgetDoes() {
        a.post(qp, write(1, 700), write(2, 1));
        assertThat(a.visit(qp, 1)).isEqualTo(16 + 16 + MTU); // BTH, RETH
        assertThat(qp.outcome()).isEqualTo(QpContext.MORE);
        assertThat(qp.operations()).isZero();
        assertThat(a.visit(qp, 16 + MTU)).isEqualTo(16 + MTU);
        assertThat(qp.outcome()).isEqualTo(QpContext.MORE);
        assertThat(a.visit(qp, 16 + 188 + 1)).isEqualTo(16 + 188 + 16 + 16 + 1);
        assertThat(qp.operations()).isEqualTo(2);
        assertThat(qp.outcome()).isEqualTo(QpContext.MORE);
        assertThat(a.visit(qp, 1)).isZero();
        assertThat(qp.outcome()).isEqualTo(QpContext.IDLE);
    }

    @Test
    void packetsAreChargedWithTheLinksOverhead() {
        pair.ab.overhead = 30;
        a.path(NIC_B).attach(pair.ab);
        a.post(qp, write(1, 10));
        assertThat(a.visit(qp, 1000)).isEqualTo(16 + 16 + 10 + 30);
    }

    @Test
    void requestThatEndsWithoutAPacketIsCharged() {
        MemoryRegion other = a.region(64, Access.ALL, 2);
        a.post(qp, Wr.send(1).entry(other, 0, 8), write(2, 1), write(3, 1));
        assertThat(a.visit(qp, 1000)).isEqualTo(3 * DirectPath.OVERHEAD);
        assertThat(a.visit(qp, 1000)).isZero();
    }

    @Test
    void whatEndsBetweenVisitsIsChargedToTheNextOne() {
        write(1, 1).post(qp.sendRing());
        qp.error();
        assertThat(a.visit(qp, 1000)).isEqualTo(DirectPath.OVERHEAD);
        assertThat(qp.operations()).isZero();
    }

    @Test
    void linkThatCarriesLessThanThePathMtuIsALengthError() {
        pair.ab.maxPacket = 16 + 16 + MTU - 1;
        pair.run(write(1, 1), write(2, 300), write(3, 1));
        assertThat(a.done())
                .containsExactly("1 SUCCESS WRITE 1", "2 LOC_LEN_ERR solicited", "3 WR_FLUSH_ERR solicited");
        assertThat(pair.ab.log).hasSize(1);
    }

    @Test
    void linkThatJustCarriesThePathMtuDoes() {
        pair.ab.maxPacket = 16 + 16 + MTU;
        pair.run(write(2, 300));
        assertThat(a.done()).containsExactly("2 SUCCESS WRITE 300");
    }

    @Test
    void regionThatGoesWithinASendIsALocalErrorAtItsTurn() {
        MemoryRegion gone = a.region(1024, Access.ALL);
        a.post(qp, Wr.write(1, b.region, 0).entry(gone, 0, 600));
        a.visit(qp, 1);
        a.regions.deregister(gone);
        a.visit(qp, 1000);
        assertThat(a.done()).containsExactly("1 LOC_PROT_ERR solicited");
        assertThat(pair.ab.log).hasSize(1);
    }

    @Test
    void fenceWaitsForReadsAndNothingElse() {
        a.post(
                qp,
                write(1, 1),
                write(2, 1).fence(),
                Wr.read(3, b.region, 0).entry(a.region, 0, 8),
                write(4, 1),
                write(5, 1).fence());
        a.turn();
        assertThat(pair.ab.log).hasSize(4);
        assertThat(qp.outcome()).isEqualTo(QpContext.WAITING);
        pair.settle();
        assertThat(pair.ab.log).hasSize(5);
        assertThat(a.done()).hasSize(5);
    }

    @Test
    void readsAndAtomicsAreHeldBackAtTheirMaximum() {
        Wr[] reads = new Wr[6];
        for (int i = 0; i < 6; i++) {
            reads[i] = i % 2 == 0
                    ? Wr.read(i, b.region, 0).entry(a.region, 0, 8)
                    : Wr.fetchAdd(i, b.region, 8000, 1).entry(a.region, 8, 8);
        }
        a.post(qp, reads);
        a.turn();
        assertThat(pair.ab.log).hasSize(4);
        assertThat(qp.outcome()).isEqualTo(QpContext.WAITING);
        pair.deliverToB();
        b.visit(pair.qpB, 1); // one answer
        pair.deliverToA();
        a.turn();
        assertThat(pair.ab.log).hasSize(5);
        pair.settle();
        assertThat(a.done()).hasSize(6);
    }

    @Test
    void readWithoutAnyAllowedIsALocalOperationError() {
        qp.connection().maxRdAtomic(0);
        pair.run(write(1, 1), Wr.read(2, b.region, 0).entry(a.region, 0, 8));
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1", "2 LOC_QP_OP_ERR solicited");
    }

    @Test
    void readsSentAgainCountOnce() {
        qp.connection().maxRdAtomic(1);
        pair.ba.loses = packet -> true;
        pair.run(
                Wr.read(1, b.region, 0).entry(a.region, 0, 8),
                Wr.read(2, b.region, 0).entry(a.region, 8, 8));
        pair.advance(2 * TransportPair.TIMEOUT);
        assertThat(pair.ab.log).hasSize(3);
        pair.ba.loses = packet -> false;
        pair.advance(TransportPair.TIMEOUT);
        assertThat(a.done()).containsExactly("1 SUCCESS READ 8", "2 SUCCESS READ 8");
    }

    @Test
    void atomicWhoseResultIsNotEightBytesIsALengthError() {
        pair.run(write(1, 1), Wr.fetchAdd(2, b.region, 8000, 1).entry(a.region, 8, 7));
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1", "2 LOC_LEN_ERR solicited");
    }

    @Test
    void withBothKeysBadReadsAndAtomicsReportTheRemoteOne() {
        MemoryRegion other = a.region(64, Access.ALL, 2);
        pair.run(Wr.read(1, b.region, 0).at(0x7777, 0).entry(other, 0, 8));
        assertThat(a.done()).containsExactly("1 REM_ACCESS_ERR solicited");
        TransportPair fresh = new TransportPair();
        MemoryRegion foreign = fresh.a.region(64, Access.ALL, 2);
        fresh.run(Wr.write(1, fresh.b.region, 0).at(0x7777, 0).entry(foreign, 0, 8));
        assertThat(fresh.a.done()).containsExactly("1 LOC_PROT_ERR solicited");
    }

    @Test
    void readIntoWhatMayNotBeWrittenIsALocalErrorWhenItsAnswerComes() {
        MemoryRegion readOnly = a.region(64, Access.REMOTE_READ);
        pair.run(Wr.read(1, b.region, 0).entry(readOnly, 0, 8));
        assertThat(a.done()).containsExactly("1 LOC_PROT_ERR solicited");
        assertThat(readOnly.buffer().getByte(0)).isEqualTo(FakeNic.pattern(a.id, 0));
    }
}
