package io.verbena.rate;

import static io.verbena.rate.ExchangeWorld.MILLI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that says what nobody should, or does not say what it should: others are granted and send as before. */
@Timeout(180)
class HostilePeersTest {
    private static final long HOSTILE = 1;
    private static final long HONEST = 2;
    private static final long LEASE = ExchangeWorld.TIMES.lease();
    private static final long ROUND = ExchangeWorld.TIMES.round();

    private final ExchangeCounts counts = new ExchangeCounts();
    private ExchangeTargets targets = new ExchangeTargets(AdmmSettings.TWO_SIDED, 1, 1e6, 0);
    private PriceExchange node = new PriceExchange(ExchangeWorld.TIMES, targets, counts, 0);
    private final List<RateMessage> sent = new ArrayList<>();

    private static RateMessage report(long sequence, double rate, double curvature, double share) {
        RateMessage m = new RateMessage();
        m.epoch = 1;
        m.sequence = sequence;
        m.reportStep = sequence;
        m.reports = 1;
        m.rate[0] = rate;
        m.curvature[0] = curvature;
        m.share[0] = share;
        return m;
    }

    /** A report that confirms all that was sent. */
    private void confirm(long id, long sequence, double rate, long now) {
        RateMessage m = report(sequence, rate, 1 / (rate * rate), 1);
        m.answeredEpoch = node.add(id, 1).epoch;
        m.answered = node.add(id, 1).sequence;
        node.receive(id, m, now);
    }

    private void exchange(long now) {
        node.turn(now);
        node.send(now, (peer, m) -> sent.add(ExchangeWorld.copy(m)));
    }

    /** One report of extremes is answered, whatever they are; afterwards all is as if it had not been. */
    @Test
    void extremesLeaveNoTrace() {
        for (double share : new double[] {RateMessage.MIN_SHARE, 1, PriceExchange.MAX_SHARE}) {
            for (double curvature : new double[] {Double.MIN_VALUE, 1e-200, 1, 1e200, Double.MAX_VALUE}) {
                for (double rate : new double[] {Double.MIN_VALUE, 1e-160, 1, 1e160, Double.MAX_VALUE}) {
                    for (double beta : new double[] {0, 0.01}) {
                        targets = new ExchangeTargets(AdmmSettings.TWO_SIDED, 1, 1e6, beta);
                        node = new PriceExchange(ExchangeWorld.TIMES, targets, counts, 0);
                        node.add(HOSTILE, 1);
                        node.receive(HOSTILE, report(1, rate, curvature, share), 0);
                        exchange(0);
                        String what = "share " + share + ", curvature " + curvature + ", rate " + rate;
                        recovers(what);
                    }
                }
            }
        }
        assertThat(counts.get(ExchangeCount.IMPLAUSIBLE)).isZero();
    }

    private void recovers(String what) {
        sent.clear();
        for (int k = 1; k < 200; k++) {
            long now = k * ROUND;
            confirm(HONEST, k, 0.5, now);
            confirm(HOSTILE, k + 1, 0.5, now);
            exchange(now);
        }
        assertThat(targets.z[0] + targets.v[0] + targets.penalty[0]).as(what).isFinite();
        assertThat(node.add(HONEST, 1).inflow.granted[0]).as(what).isCloseTo(0.5, within(0.02));
        assertThat(sent).as(what).allMatch(RateMessage::isPlausible);
    }

    @Test
    void aShareThatIsAlmostNoneIsImplausible() {
        node.add(HOSTILE, 1);
        node.receive(HOSTILE, report(1, 0.5, 1, 1e-150), 0);
        assertThat(counts.get(ExchangeCount.IMPLAUSIBLE)).isEqualTo(1);
        RateMessage prices = new RateMessage();
        prices.epoch = 1;
        prices.sequence = 1;
        prices.prices = 1;
        prices.even[0] = 1;
        assertThat(prices.isPlausible()).isTrue();
        prices.price[0] = -1e200;
        assertThat(prices.isPlausible()).isFalse();
    }

    /** It reports that it sends nothing to any target: that is no report, and nothing is granted for it. */
    @Test
    void aReportOfNothingIsNone() {
        ExchangePeer peer = node.add(HOSTILE, 1);
        node.receive(HOSTILE, report(1, 0, 0, 0), 0);
        exchange(0);
        assertThat(peer.isReporting()).isFalse();
        node.receive(HOSTILE, report(2, 0.5, 4, 1), MILLI);
        exchange(MILLI);
        assertThat(peer.inflow.granted[0]).isCloseTo(1, within(1e-6));
    }

    /** It goes on talking, and never says that it keeps the lower grant: the higher one ends by itself. */
    @Test
    void aLowerGrantThatIsNeverConfirmedHoldsForALease() {
        ExchangePeer hostile = node.add(HOSTILE, 1);
        confirm(HOSTILE, 1, 0.9, 0);
        exchange(0);
        long told = ROUND;
        for (int k = 1; k * ROUND <= told + LEASE + 2 * ROUND; k++) {
            long now = k * ROUND;
            RateMessage m = report(k + 1L, 0.9, 1 / 0.81, 1);
            m.answeredEpoch = hostile.epoch;
            m.answered = 1;
            node.receive(HOSTILE, m, now);
            confirm(HONEST, k, 0.9, now);
            exchange(now);
            double held = hostile.inflow.held[0];
            if (now < told + LEASE) {
                assertThat(held).as("at %s", now).isCloseTo(1, within(1e-6));
            }
            assertThat(held + node.add(HONEST, 1).inflow.held[0]).isLessThanOrEqualTo(1);
        }
        assertThat(hostile.inflow.held[0]).isLessThan(0.6);
        assertThat(node.add(HONEST, 1).inflow.held[0]).isGreaterThan(0.4);
    }

    /** It says that everybody's equal share is next to nothing: what is reported is still of a rate that can be. */
    @Test
    void aTinyEqualShareIsNotPassedOn() {
        node.sources(1, 1e6).set(0, new Utility(2, 1), 1e4);
        ExchangePeer peer = node.add(HOSTILE, 1);
        peer.part(0, 0, 1);
        node.settle();
        exchange(0);
        RateMessage m = new RateMessage();
        m.epoch = 1;
        m.sequence = 1;
        m.answeredEpoch = peer.epoch;
        m.answered = peer.sequence;
        m.prices = 1;
        m.priceStep = 1;
        m.pricedAt = 1;
        m.weight[0] = 1;
        m.grant[0] = 1;
        m.even[0] = 1e-300;
        node.receive(HOSTILE, m, MILLI);
        exchange(ROUND);
        RateMessage last = sent.get(sent.size() - 1);
        assertThat(peer.isGoverned()).isTrue();
        assertThat(last.isPlausible()).isTrue();
        assertThat(last.curvature[0]).isLessThan(2 * Math.pow(8 / 0.01, 3) * 1.01);
    }

    /** Who stops sending says so at once: then what it had is for others, and it is not missed. */
    @Test
    void whoStopsSaysSo() {
        node.sources(1, 1e6).set(0, new Utility(1, 1), 1e4);
        ExchangePeer peer = node.add(HONEST, 1);
        peer.part(0, 0, 1);
        node.settle();
        exchange(0);
        peer.part(0, 0, 0);
        node.settle();
        sent.clear();
        exchange(MILLI);
        assertThat(sent).hasSize(1);
        assertThat(sent.get(0).reports).isZero();
        assertThat(node.isIdle()).isTrue();
    }
}
