package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AckTimeout;
import io.verbena.verification.conformance.Way.Fate;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is lost, repeated, late or cut off, under all verbs at once: every byte right, nothing done twice. */
final class FaultTest extends ConformanceTest {
    private static final int OPERATIONS = 32;

    static Stream<Integer> places() {
        return IntStream.rangeClosed(1, 24).boxed();
    }

    @Override
    Players players() {
        return Players.connected(fabric, attributes().timeout(8));
    }

    @Proves({Row.LOST_REQUEST, Row.SUCCESS, Row.AQ_ONCE})
    @ParameterizedTest
    @MethodSource("places")
    void aRequestIsLostAtEachPlace(int place) {
        Workload workload = new Workload(p, 16);
        p.toB.lose(place);
        workload.post();
        p.untilSent(16);
        p.settle();
        workload.expectAll();
        if (!fabric.direct) {
            assertThat(p.toB.lost).isEqualTo(1);
        }
    }

    @Proves({Row.LOST_ANSWER, Row.SUCCESS, Row.ATOMIC_DUPLICATE, Row.AQ_ONCE})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void anAnswerIsLostAtEachPlace(int place) {
        Workload workload = new Workload(p, 16);
        p.toA.lose(place, place + 1);
        workload.post();
        p.untilSent(16);
        p.settle();
        workload.expectAll();
        if (!fabric.direct) {
            assertThat(p.toA.lost).isPositive();
        }
    }

    @Proves({Row.REPEATED, Row.AQ_ONCE})
    @Test
    void everyPacketComesTwice() {
        Workload workload = new Workload(p, OPERATIONS);
        p.toA.filter((buffer, offset, length) -> Fate.TWICE);
        p.toB.filter((buffer, offset, length) -> Fate.TWICE);
        workload.post();
        p.untilSent(OPERATIONS);
        p.settle();
        workload.expectAll();
        assertThat(p.toB.repeated).isPositive();
        assertThat(b.nic.counter(NicCounter.DUPLICATE_REQUESTS)).isPositive();
    }

    @Proves(Row.REPEATED)
    @Test
    void everythingComesAgainMuchLater() {
        Workload workload = new Workload(p, OPERATIONS);
        p.toA.record();
        p.toB.record();
        workload.post();
        p.untilSent(OPERATIONS);
        p.toA.recorded.forEach(p.toA::inject);
        p.toB.recorded.forEach(p.toB::inject);
        p.settle();
        workload.expectAll();
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves({Row.REORDERED, Row.AQ_ONCE})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void packetsOvertakeEachOther(int seed) {
        Workload workload = new Workload(p, OPERATIONS);
        Random random = new Random(seed);
        int[] held = new int[1];
        for (Way way : new Way[] {p.toA, p.toB}) {
            way.filter((buffer, offset, length) -> {
                if (random.nextInt(10) != 0) {
                    return Fate.PASS;
                }
                held[0]++;
                p.after(random.nextInt(50) * MICRO, way::release);
                return Fate.HOLD;
            });
        }
        workload.post();
        p.untilSent(OPERATIONS);
        p.settle();
        workload.expectAll();
        assertThat(held[0]).isPositive();
    }

    @Proves({Row.LOST_REQUEST, Row.LOST_ANSWER, Row.REPEATED, Row.REORDERED, Row.AQ_ONCE})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void allOfItTogether(int seed) {
        Workload workload = new Workload(p, 40);
        Random random = new Random(seed);
        for (Way way : new Way[] {p.toA, p.toB}) {
            way.filter((buffer, offset, length) -> {
                switch (random.nextInt(20)) {
                    case 0:
                        return Fate.DROP;
                    case 1:
                        return Fate.TWICE;
                    case 2:
                        p.after(random.nextInt(100) * MICRO, way::release);
                        return Fate.HOLD;
                    default:
                        return Fate.PASS;
                }
            });
        }
        workload.post();
        p.untilSent(40);
        p.settle();
        workload.expectAll();
    }

    /** A queue pair with work outstanding whose peer is cut off for less than its retry budget. */
    @Proves({Row.CUT_SHORTER, Row.SUCCESS, Row.AQ_ONCE})
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 12, 20, 33})
    void cutOffForLessThanTheBudget(int packets) {
        reconnect(attributes().timeout(8).retryCount(3));
        Workload workload = new Workload(p, OPERATIONS);
        int[] count = new int[1];
        p.toB.pace(MICRO);
        p.toB.filter((buffer, offset, length) -> {
            if (++count[0] == packets) {
                p.cut();
            }
            return Fate.PASS;
        });
        workload.post();
        p.until(() -> count[0] >= Math.min(packets, 12)); // on the direct path there are fewer
        p.cut();
        p.runFor(5 * AckTimeout.nanos(8) / 2); // the third and last retry is still to come
        assertThat(a.sends).as("there is work outstanding").hasSizeLessThan(OPERATIONS);
        p.toB.filter(null);
        p.heal();
        p.untilSent(OPERATIONS);
        p.settle();
        workload.expectAll();
        assertThat(p.toA.lost + p.toB.lost).isPositive();
        assertThat(a.nic.counter(NicCounter.RETRANSMISSIONS)).isPositive();
    }

    /** A queue pair with work outstanding whose peer is cut off for more than its retry budget. */
    @Proves({Row.CUT_LONGER, Row.RETRY_EXC_ERR, Row.WR_FLUSH_ERR})
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 12, 20, 33})
    void cutOffForMoreThanTheBudget(int packets) {
        reconnect(attributes().timeout(8).retryCount(3));
        Workload workload = new Workload(p, OPERATIONS);
        a.qp.postReceive(77, a.key(), 0, 10);
        int[] count = new int[1];
        p.toB.filter((buffer, offset, length) -> {
            if (++count[0] == Math.min(packets, fabric.direct ? 12 : packets)) {
                p.cut();
            }
            return Fate.PASS;
        });
        workload.post();
        p.untilSent(OPERATIONS);
        p.heal();
        p.settle();
        int done = (int) a.sends.stream().filter(Wc::isSuccess).count();
        assertThat(done).isLessThan(OPERATIONS);
        workload.expect(done);
        assertThat(a.sendStatuses().subList(0, done)).allMatch(s -> s == WcStatus.SUCCESS);
        assertThat(a.sendStatuses().get(done)).isEqualTo(WcStatus.RETRY_EXC_ERR);
        assertThat(a.sendStatuses().subList(done + 1, OPERATIONS)).allMatch(s -> s == WcStatus.WR_FLUSH_ERR);
        assertThat(a.receives).extracting(Wc::wrId).containsExactly(77L);
        assertThat(a.receiveStatuses()).containsExactly(WcStatus.WR_FLUSH_ERR);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.qp.state()).as("it knows nothing of it").isEqualTo(QpState.RTS);
        assertThat(p.toA.lost + p.toB.lost).isPositive();
    }

    @Proves({Row.LINK_RESUMES, Row.SUCCESS})
    @ParameterizedTest
    @ValueSource(ints = {2, 9, 21})
    void theLinkBreaksUnderAllVerbs(int packets) {
        needsLinksThatBreak();
        reconnect(attributes().timeout(10).retryCount(7));
        Workload workload = new Workload(p, OPERATIONS);
        p.toB.pace(10 * MICRO);
        p.toA.pace(10 * MICRO);
        workload.post();
        for (int i = 1; i <= 3; i++) {
            int delivered = p.toB.delivered + Math.min(packets, 3 * i);
            p.until(() -> p.toB.delivered >= delivered || a.sends.size() == OPERATIONS);
            p.breakLink();
            p.runFor(100 * MICRO);
            p.reconnect();
        }
        p.untilSent(OPERATIONS);
        p.settle();
        workload.expectAll();
    }

    @Proves(Row.FULL_WINDOW)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aWindowOfFewPackets(int window) {
        Workload workload = new Workload(p, OPERATIONS);
        p.toA.window(window);
        p.toB.window(window);
        p.toA.delay(5 * MICRO);
        p.toB.delay(5 * MICRO);
        workload.post();
        p.untilSent(OPERATIONS);
        p.settle();
        workload.expectAll();
    }
}
