package io.verbena.rate.agent;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.TenantAllocation.Basis;
import io.verbena.TenantAllocation.Bound;
import io.verbena.rate.RateMessage;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node whose tenants a peer bounds; the peer is played, and the clock is the test's. */
@Timeout(180)
class PeerBoundRatesTest {
    private static final long EPOCH = 5_000_000;
    private static final double SECOND = 1e9;
    private static final long PEER = 7;
    private static final double MILLION = 1e6;

    private final RateMessage said = new RateMessage();
    private final RateMessage answer = new RateMessage();
    private final Sender toPeer = new Sender(0);
    private final Sender other = new Sender(1);
    private double oneSided;
    private double granted;
    private long now;

    /** A tenant that sends what it wants as far as its rate allows. */
    private static final class Sender implements RateMember {
        private final int group;
        double wanted;
        double sent;
        long held;
        long backlogged;
        long requestRate;

        Sender(int group) {
            this.group = group;
        }

        void pass() {
            double may = requestRate == 0 ? wanted : Math.min(wanted, (double) requestRate);
            held += may < wanted ? 1 : 0;
            sent += may * EPOCH / SECOND;
        }

        @Override
        public String tenantName() {
            return "tenant";
        }

        @Override
        public int groupNumber() {
            return group;
        }

        @Override
        public TenantUtility utility() {
            return TenantUtility.DEFAULT;
        }

        @Override
        public long sent() {
            return (long) sent;
        }

        @Override
        public long held() {
            return held;
        }

        @Override
        public long backloggedNanos() {
            return backlogged;
        }

        @Override
        public long delivered() {
            return 0;
        }

        @Override
        public long heldDeliveries() {
            return 0;
        }

        @Override
        public void requestRate(long perSecond) {
            requestRate = perSecond;
        }

        @Override
        public void completionRate(long perSecond) {}
    }

    private final RateSettings measured = new RateSettings(EPOCH, 0, 0, 0.05, true);
    private final RateSettings given = new RateSettings(EPOCH, 100_000, 0, 0, true);

    private PeerRates peers(RateSettings settings) {
        return new PeerRates(settings, this::flows, this::hear, now);
    }

    private void flows(ConnectedPeers.Flow flow) {
        flow.take(PEER, 0, true, (long) (toPeer.sent * (1 - oneSided)));
        flow.take(PEER, 0, false, (long) (toPeer.sent * oneSided));
    }

    private boolean hear(long peer, DirectBuffer bytes, int length) {
        return RateFlyweight.decode(bytes, length, said);
    }

    /** Epochs, in each of which the peer answers if it grants anything. */
    private void epochs(RateAgent agent, PeerRates peers, int count) {
        for (int i = 0; i < count; i++) {
            toPeer.pass();
            other.pass();
            now += EPOCH;
            agent.doWork(now);
            if (granted > 0 && said.reports > 0) {
                answer.epoch = 1;
                answer.sequence++;
                answer.answeredEpoch = said.epoch;
                answer.answered = said.sequence;
                answer.prices = 1;
                answer.priceStep++;
                answer.pricedAt = said.reportStep;
                answer.weight[0] = 1;
                answer.grant[0] = granted / MILLION;
                answer.even[0] = granted / MILLION;
                byte[] datagram = new byte[RateFlyweight.MAX_LENGTH];
                int length = RateFlyweight.encode(answer, new UnsafeBuffer(datagram));
                assertThat(peers.receive(PEER, Arrays.copyOf(datagram, length), now))
                        .isTrue();
                agent.doWork(now + 1);
            }
        }
    }

    /** Who fills what its peers let it send would not send more if the NIC did. */
    @Test
    void aMeasuredCapacityDoesNotGrowWherePeersHold() {
        PeerRates peers = peers(measured);
        RateAgent agent = new RateAgent(measured, () -> now, peers);
        RateSlot slot = agent.add(toPeer);
        agent.add(other);
        toPeer.wanted = 50_000;
        other.wanted = 50_000;
        other.backlogged += EPOCH;
        epochs(agent, peers, 1);
        other.wanted = 1_000;
        granted = 10_000;
        epochs(agent, peers, 10);
        long before = other.requestRate;
        assertThat(before).isBetween(80_000L, 90_000L);
        epochs(agent, peers, 100);
        assertThat(toPeer.requestRate).isBetween(9_990L, 10_000L);
        assertThat(requireNonNull(slot.allocation()).bound()).isEqualTo(Bound.PEERS);
        assertThat(other.requestRate).isEqualTo(before);
    }

    /** What a tenant wants is less than either grant: all the same it is not to send above the lower one. */
    @Test
    void aLowerGrantIsPublishedThoughLessIsWanted() {
        PeerRates peers = peers(given);
        RateAgent agent = new RateAgent(given, () -> now, peers);
        RateSlot slot = agent.add(toPeer);
        toPeer.wanted = 5_000;
        granted = 50_000;
        epochs(agent, peers, 20);
        assertThat(toPeer.requestRate).isBetween(49_990L, 50_000L);
        granted = 20_000;
        epochs(agent, peers, 1);
        assertThat(toPeer.requestRate).isBetween(19_990L, 20_000L);
        assertThat(requireNonNull(slot.allocation()).basis()).isEqualTo(Basis.TWO_SIDED);
    }

    /** No peer hands one-sided operations to a handler: they are no part of what it grants. */
    @Test
    void oneSidedOperationsAreNotReported() {
        PeerRates peers = peers(given);
        RateAgent agent = new RateAgent(given, () -> now, peers);
        RateSlot slot = agent.add(toPeer);
        toPeer.wanted = 20_000;
        oneSided = 0.75;
        epochs(agent, peers, 5);
        assertThat(said.share[0]).isCloseTo(0.25, within(0.01));
        oneSided = 1;
        toPeer.sent *= 4; // only these go on from here
        epochs(agent, peers, 400);
        assertThat(said.reports).isZero();
        assertThat(requireNonNull(slot.allocation()).basis()).isEqualTo(Basis.ONE_SIDED);
        assertThat(peers.basis(0)).isEqualTo(Basis.ONE_SIDED);
    }
}
