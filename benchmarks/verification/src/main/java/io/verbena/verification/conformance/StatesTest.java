package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.memory.Access;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The state table, row by row, and the attributes that each move takes. */
final class StatesTest extends ConformanceTest {
    private static final Map<QpState, Set<QpState>> LEGAL = Map.of(
            QpState.RESET, EnumSet.of(QpState.RESET, QpState.INIT),
            QpState.INIT, EnumSet.of(QpState.RESET, QpState.ERR, QpState.INIT, QpState.RTR),
            QpState.RTR, EnumSet.of(QpState.RESET, QpState.ERR, QpState.RTS),
            QpState.RTS, EnumSet.of(QpState.RESET, QpState.ERR, QpState.RTS, QpState.SQD),
            QpState.SQD, EnumSet.of(QpState.RESET, QpState.ERR, QpState.RTS, QpState.SQD),
            QpState.ERR, EnumSet.of(QpState.RESET, QpState.ERR));

    @Override
    Players players() {
        return Players.linked(fabric);
    }

    private static QpAttributes toInit() {
        return new QpAttributes().state(QpState.INIT).access(Access.REMOTE_WRITE);
    }

    private QpAttributes toRtr(QueuePair peer) {
        return new QpAttributes()
                .state(QpState.RTR)
                .peerNic(b.nic.id())
                .peerQp(peer.number())
                .pathMtu(Players.MTU)
                .receivePsn(5)
                .maxDestRdAtomic(4)
                .minRnrTimer(3);
    }

    private static QpAttributes toRts() {
        return new QpAttributes()
                .state(QpState.RTS)
                .sendPsn(5)
                .timeout(10)
                .retryCount(3)
                .rnrRetry(3)
                .maxRdAtomic(4);
    }

    private QueuePair in(QpState state) {
        QueuePair qp = a.newQueuePair();
        QpState[] way = {QpState.INIT, QpState.RTR, QpState.RTS, QpState.SQD};
        for (QpState next : way) {
            if (state == QpState.ERR && next == QpState.RTR) {
                qp.modify(new QpAttributes().state(QpState.ERR));
                return qp;
            }
            if (state.ordinal() < next.ordinal()) {
                break;
            }
            move(qp, next);
        }
        assertThat(qp.state()).isEqualTo(state);
        return qp;
    }

    private void move(QueuePair qp, QpState next) {
        switch (next) {
            case INIT:
                qp.modify(toInit());
                break;
            case RTR:
                qp.modify(toRtr(b.qp));
                break;
            case RTS:
                qp.modify(qp.state() == QpState.RTR ? toRts() : new QpAttributes().state(QpState.RTS));
                break;
            default:
                qp.modify(new QpAttributes().state(next));
        }
    }

    @Proves({
        Row.RESET_MOVES,
        Row.INIT_MOVES,
        Row.RTR_MOVES,
        Row.RTS_MOVES,
        Row.SQD_MOVES,
        Row.ERR_MOVES,
        Row.REFUSED_MOVE
    })
    @ParameterizedTest
    @EnumSource(value = QpState.class, names = "SQE", mode = EnumSource.Mode.EXCLUDE)
    void onlyTheMovesOfTheTable(QpState from) {
        for (QpState to : QpState.values()) {
            QueuePair qp = in(from);
            if (Objects.requireNonNull(LEGAL.get(from)).contains(to)) {
                move(qp, to);
                assertThat(qp.state()).as("%s to %s", from, to).isEqualTo(to);
            } else {
                assertThatThrownBy(() -> move(qp, to))
                        .as("%s to %s", from, to)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(from.name())
                        .hasMessageContaining(to.name());
                assertThat(qp.state()).isEqualTo(from);
            }
            qp.close();
        }
    }

    @Proves({Row.INIT_TAKES, Row.RTR_TAKES, Row.RTS_TAKES})
    @Test
    void eachMoveTakesItsAttributesAndNoOthers() {
        QueuePair qp = a.newQueuePair();
        assertThatThrownBy(() -> qp.modify(new QpAttributes().state(QpState.INIT)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("access");
        assertThatThrownBy(() -> qp.modify(toInit().sendPsn(1))).hasMessageContaining("sendPsn");
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        qp.modify(toInit());

        assertThatThrownBy(() -> qp.modify(new QpAttributes()
                        .state(QpState.RTR)
                        .peerNic(b.nic.id())
                        .peerQp(1)
                        .pathMtu(1024)
                        .receivePsn(0)
                        .maxDestRdAtomic(1)))
                .hasMessageContaining("minRnrTimer");
        assertThatThrownBy(() -> qp.modify(toRtr(b.qp).timeout(3))).hasMessageContaining("timeout");
        assertThat(qp.state()).isEqualTo(QpState.INIT);
        qp.modify(toRtr(b.qp));

        assertThatThrownBy(() -> qp.modify(new QpAttributes().state(QpState.RTS).sendPsn(0)))
                .hasMessageContaining("retryCount");
        assertThatThrownBy(() -> qp.modify(toRts().pathMtu(1024))).hasMessageContaining("pathMtu");
        assertThat(qp.state()).isEqualTo(QpState.RTR);
        qp.modify(toRts());
        assertThat(qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.ATTRIBUTE_RANGES)
    @Test
    void valuesOutsideTheirRangesAreRefused() {
        QpAttributes q = new QpAttributes();
        refused(() -> q.pathMtu(255), "255");
        refused(() -> q.pathMtu(1000), "1000");
        refused(() -> q.receivePsn(1 << 24), "16777216");
        refused(() -> q.sendPsn(-1), "-1");
        refused(() -> q.timeout(32), "32");
        refused(() -> q.retryCount(8), "8");
        refused(() -> q.rnrRetry(8), "8");
        refused(() -> q.minRnrTimer(32), "32");
        refused(() -> q.maxRdAtomic(129), "129");
    }

    @Proves({Row.WRONG_STATE, Row.NOT_IN_RESET})
    @Test
    void postingNeedsAState() {
        Consumer<QueuePair> send = qp -> qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 1));
        Consumer<QueuePair> receive = qp -> qp.postReceive(1, a.key(), 0, 1);
        assertThatThrownBy(() -> receive.accept(in(QpState.RESET))).hasMessageContaining("RESET");
        for (QpState state : EnumSet.of(QpState.RESET, QpState.INIT, QpState.RTR)) {
            assertThatThrownBy(() -> send.accept(in(state)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(state.name());
        }
        for (QpState state : EnumSet.of(QpState.INIT, QpState.RTR, QpState.RTS, QpState.SQD, QpState.ERR)) {
            receive.accept(in(state));
        }
        for (QpState state : EnumSet.of(QpState.SQD, QpState.ERR)) {
            send.accept(in(state));
        }
    }

    @Proves(Row.INIT_DROPS)
    @Test
    void inInitPacketsAreDropped() {
        b.qp.modify(toInit());
        b.qp.postReceive(1, b.key(), 0, 10);
        a.qp.connect(b.nic.id(), b.qp.number(), attributes().retryCount(1));
        a.qp.postSend(a.request.send().local(a.key(), 0, 10));
        sendsEnd(WcStatus.RETRY_EXC_ERR);
        assertThat(b.receives).isEmpty();
        assertThat(b.qp.state()).isEqualTo(QpState.INIT);
    }

    @Proves({Row.RTR_ANSWERS, Row.EV_COMM_EST})
    @Test
    void inRtrRequestsAreAnsweredAndTheFirstOneIsAnEvent() {
        b.qp.modify(new QpAttributes().state(QpState.INIT).access(Access.REMOTE_WRITE | Access.REMOTE_READ));
        b.qp.modify(new QpAttributes()
                .state(QpState.RTR)
                .peerNic(a.nic.id())
                .peerQp(a.qp.number())
                .pathMtu(Players.MTU)
                .receivePsn(9)
                .maxDestRdAtomic(4)
                .minRnrTimer(3));
        for (int i = 0; i < 3; i++) {
            b.qp.postReceive(i, b.key(), 0, 10);
        }
        a.qp.connect(b.nic.id(), b.qp.number(), attributes().sendPsn(9));
        for (int i = 0; i < 3; i++) {
            a.qp.postSend(a.request.send().local(a.key(), 0, 10));
        }
        p.untilSent(3);
        p.settle();
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(b.eventTypes().stream()
                        .filter(t -> t == AsyncEventType.COMM_EST)
                        .count())
                .isEqualTo(1);
    }

    @Proves(Row.PSNS_AGREE)
    @Test
    void bothSidesMustAgreeOnThePsn() {
        a.qp.connect(b.nic.id(), b.qp.number(), attributes().sendPsn(100).retryCount(2));
        b.qp.connect(a.nic.id(), a.qp.number(), attributes().receivePsn(7));
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 10));
        sendsEnd(WcStatus.RETRY_EXC_ERR);
    }

    @Proves(Row.PEERS_MATCH)
    @Test
    void packetsOfAFormerPeerAreDropped() {
        QueuePair former = a.newQueuePair();
        former.connect(b.nic.id(), b.qp.number(), attributes().retryCount(1));
        p.connect(a.qp, b.qp, attributes());
        a.fill(0, 10, 1);
        former.postSend(a.request.write(b.key(), 0).wrId(1).local(a.key(), 0, 10));
        sendsEnd(WcStatus.RETRY_EXC_ERR);
        assertThat(b.isZero(0, 10)).isTrue();
        a.qp.postSend(a.request.write(b.key(), 0).wrId(2).local(a.key(), 0, 10));
        p.untilSent(2);
        assertThat(a.sends.get(1).status()).isEqualTo(WcStatus.SUCCESS);
    }

    // ---- unreliable transports ---------------------------------------------------------------------------------

    private QueuePair unreliable(QpType type) {
        return a.pd.createQueuePair(a.attributes().type(type));
    }

    @Proves(Row.INIT_TAKES_UD)
    @Test
    void initOfDatagramsTakesTheQueueKeyAndNothingElse() {
        QueuePair qp = unreliable(QpType.UD);
        refused(() -> qp.modify(new QpAttributes().state(QpState.INIT)), "qkey");
        refused(() -> qp.modify(toInit()), "access");
        refused(() -> qp.modify(toInit().qkey(1)), "access");
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        qp.modify(new QpAttributes().state(QpState.INIT).qkey(1));
        assertThat(qp.state()).isEqualTo(QpState.INIT);
        QueuePair connected = unreliable(QpType.UC);
        refused(() -> connected.modify(new QpAttributes().state(QpState.INIT).qkey(1)), "qkey");
        connected.modify(toInit());
    }

    @Proves(Row.RTR_TAKES_UC)
    @Test
    void rtrOfUnreliableTransports() {
        QueuePair qp = unreliable(QpType.UC);
        qp.modify(toInit());
        refused(() -> qp.modify(toRtr(b.qp)), "maxDestRdAtomic", "minRnrTimer");
        refused(
                () -> qp.modify(new QpAttributes()
                        .state(QpState.RTR)
                        .peerNic(b.nic.id())
                        .peerQp(1)
                        .pathMtu(1024)),
                "receivePsn");
        assertThat(qp.state()).isEqualTo(QpState.INIT);
        qp.modify(new QpAttributes()
                .state(QpState.RTR)
                .peerNic(b.nic.id())
                .peerQp(b.qp.number())
                .pathMtu(1024)
                .receivePsn(0));
        assertThat(qp.state()).isEqualTo(QpState.RTR);
        QueuePair datagrams = unreliable(QpType.UD);
        datagrams.modify(new QpAttributes().state(QpState.INIT).qkey(1));
        refused(() -> datagrams.modify(toRtr(b.qp)), "peerNic");
        datagrams.modify(new QpAttributes().state(QpState.RTR));
        assertThat(datagrams.state()).isEqualTo(QpState.RTR);
    }

    @Proves(Row.RTS_TAKES_UC)
    @Test
    void rtsOfUnreliableTransportsTakesTheSendPsnAlone() {
        QueuePair qp = unreliable(QpType.UD);
        qp.modify(new QpAttributes().state(QpState.INIT).qkey(1));
        qp.modify(new QpAttributes().state(QpState.RTR));
        refused(() -> qp.modify(toRts()), "timeout", "retryCount");
        refused(() -> qp.modify(new QpAttributes().state(QpState.RTS)), "sendPsn");
        assertThat(qp.state()).isEqualTo(QpState.RTR);
        qp.modify(new QpAttributes().state(QpState.RTS).sendPsn(9));
        assertThat(qp.state()).isEqualTo(QpState.RTS);
    }

    private QueuePair inSqe() {
        QueuePair qp = unreliable(QpType.UD);
        qp.activate(5);
        int before = a.sends.size();
        qp.postSend(
                a.request.send().to(a.pd.createAddressHandle(b.nic.id()), 2, 5).local(12_345, 0, 8));
        p.untilSent(before + 1);
        assertThat(a.sends.get(before).status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(qp.state()).isEqualTo(QpState.SQE);
        return qp;
    }

    @Proves({Row.SQE_MOVES, Row.REFUSED_MOVE})
    @Test
    void theMovesFromSqe() {
        Set<QpState> legal = EnumSet.of(QpState.RESET, QpState.ERR, QpState.RTS);
        for (QpState to : QpState.values()) {
            QueuePair qp = inSqe();
            if (legal.contains(to)) {
                qp.modify(new QpAttributes().state(to));
                assertThat(qp.state()).isEqualTo(to);
            } else {
                refused(() -> qp.modify(new QpAttributes().state(to)), "SQE", to);
                assertThat(qp.state()).isEqualTo(QpState.SQE);
            }
            qp.close();
        }
    }

    @Proves(Row.CONNECT)
    @Test
    void oneCallFromResetToRts() {
        p.connect(a.qp, b.qp, attributes());
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        a.fill(0, 100, 1);
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 100));
        p.untilSent(1);
        assertThat(b.holds(0, 100, 1)).isTrue();
        QueuePair withDefaults = a.newQueuePair();
        QueuePair peer = b.newQueuePair();
        withDefaults.connect(b.nic.id(), peer.number());
        peer.connect(a.nic.id(), withDefaults.number());
        withDefaults.postSend(a.request.write(b.key(), 200).local(a.key(), 0, 100));
        p.untilSent(2);
        assertThat(b.holds(200, 100, 1)).isTrue();
        QueuePair uc = unreliable(QpType.UC);
        uc.connect(b.nic.id(), 5);
        assertThat(uc.state()).isEqualTo(QpState.RTS);
        QueuePair ud = unreliable(QpType.UD);
        ud.activate(7);
        assertThat(ud.state()).isEqualTo(QpState.RTS);
        refused(() -> a.qp.connect(b.nic.id(), 5), "RTS", "INIT");
    }

    @Proves(Row.RTR_ANSWERS)
    @Test
    void inRtrSendsAreRefused() {
        QueuePair qp = in(QpState.RTR);
        refused(() -> qp.postSend(a.request.send()), "RTR");
    }
}
