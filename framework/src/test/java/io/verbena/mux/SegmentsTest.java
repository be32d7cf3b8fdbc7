package io.verbena.mux;

import static io.verbena.mux.SimChannels.DEPTH;
import static io.verbena.mux.SimChannels.MAX;
import static io.verbena.mux.SimChannels.MS;
import static io.verbena.mux.SimChannels.SEGMENT;
import static io.verbena.mux.SimChannels.length;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.mux.SimChannels.Sender;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.verbs.QpState;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long and short messages of channels that share a queue pair, over simulated links: each whole, once, in order. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SegmentsTest {
    private SimChannels rig;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void eachIsWholeOnceAndInOrderThroughLossAndReconnects(long seed) {
        Random random = new Random(seed);
        LinkProfile profile = new LinkProfile()
                .rate(10_000_000_000L)
                .loss(random.nextInt(3) * 0.01)
                .duplication(random.nextInt(3) * 0.02)
                .reordering(random.nextInt(3) * 0.02, 20_000)
                .direct(random.nextInt(3) == 0);
        rig = new SimChannels(seed, profile, 1024 << random.nextInt(6), MAX + 100 + random.nextInt(50_000));
        for (int i = 0; i < 6; i++) {
            rig.sender(1 + random.nextInt(4));
        }
        Sender closing = rig.senders.get(0);
        for (int step = 0; step < 400; step++) {
            for (int i = 0; i < 8; i++) {
                Sender sender = rig.senders.get(random.nextInt(rig.senders.size()));
                if (sender != closing || step < 200) {
                    sender.post(length(random));
                }
            }
            if (random.nextInt(60) == 0) {
                rig.link.breakLink();
                rig.simulation.runFor(random.nextInt(200_000));
                rig.link.reconnect();
            }
            if (random.nextInt(3) > 0) {
                rig.take(1 + random.nextInt(20));
            }
            rig.simulation.runFor(random.nextInt(100_000));
        }
        rig.finish();
        assertThat(rig.shared.queuePair().state()).isEqualTo(QpState.RTS);
    }

    /** What was begun goes to its end, what was not is never sent, and the others do not notice. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void oneThatClosesInTheMiddleOfAMessageHoldsNothing(long seed) {
        rig = new SimChannels(seed, new LinkProfile().rate(1_000_000_000L).loss(0.005), SEGMENT, 4 * MAX);
        Sender closing = rig.sender(1);
        Sender other = rig.sender(1);
        for (int i = 0; i < DEPTH; i++) {
            assertThat(closing.post(MAX)).isTrue();
        }
        assertThat(other.post(MAX)).isTrue();
        assertThat(other.post(10)).isTrue();
        rig.simulation.runFor(MS + 100_000 * seed);
        closing.path.close();
        closing.path.parts();
        int limit = 0;
        while (!closing.path.isReleased() || other.received < 2) {
            rig.simulation.runFor(MS);
            rig.take(10);
            assertThat(limit++).isLessThan(10_000);
        }
        assertThat(closing.received).isBetween(1, DEPTH - 1);
        assertThat(other.path.outstanding()).isZero();
        assertThat(other.post(MAX)).isTrue();
        while (other.received < 3) {
            rig.simulation.runFor(MS);
            rig.take(10);
            assertThat(limit++).isLessThan(10_000);
        }
        assertThat(rig.quota.bytes()).isZero();
    }

    /** A queue pair that breaks in the middle leaves nothing behind, here or at the rig.peer. */
    @Test
    void anErrorInTheMiddleOfAMessageReleasesIt() {
        rig = new SimChannels(1, new LinkProfile().rate(1_000_000_000L), SEGMENT, 4 * MAX);
        Sender sender = rig.sender(1);
        for (int i = 0; i < DEPTH; i++) {
            assertThat(sender.post(MAX)).isTrue();
        }
        rig.simulation.runFor(MS);
        assertThat(rig.quota.bytes()).isPositive();
        assertThat(sender.path.isReleased()).isFalse();
        rig.peer.close();
        rig.simulation.runUntil(() -> rig.shared.queuePair().state() == QpState.ERR, 10_000 * MS);
        sender.path.close();
        assertThat(sender.path.isReleased()).isTrue();
        assertThat(rig.quota.bytes()).isZero();
        rig.take(10);
        assertThat(sender.received).isZero();
    }

    /** Of ten short messages that are offered while a long one is sent, how many arrive before it. */
    private int overtaking(int segment) {
        rig = new SimChannels(1, new LinkProfile().rate(1_000_000_000L), segment, 4 * MAX);
        Sender patient = rig.sender(1);
        Sender brief = rig.sender(1);
        assertThat(patient.post(MAX)).isTrue();
        for (int i = 0; i < 10; i++) {
            rig.simulation.runFor(150_000);
            assertThat(brief.post(32)).isTrue();
        }
        rig.finish();
        return rig.order.indexOf(0);
    }

    @Test
    void shortMessagesOvertakeALongOne() {
        assertThat(overtaking(SEGMENT)).isEqualTo(10);
    }

    @Test
    void withoutSegmentsTheyWaitForAllOfIt() {
        assertThat(overtaking(Integer.MAX_VALUE)).isZero();
    }

    /** Long messages of two lengths, and short ones: each channel has its weight's part of the bytes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void weightsHoldInBytes(int weight) {
        rig = new SimChannels(1, new LinkProfile().rate(1_000_000_000L), SEGMENT, 8 * MAX);
        Sender one = rig.sender(1);
        Sender heavy = rig.sender(weight);
        Sender brief = rig.sender(1);
        while (rig.simulation.nowNanos() < 2_000 * MS) {
            while (one.post(200_000)) {}
            while (heavy.post(70_000)) {}
            while (brief.post(8000)) {}
            rig.simulation.runFor(200_000);
            rig.take(1000);
        }
        double parts = weight + 2;
        double all = one.bytes + heavy.bytes + brief.bytes;
        assertThat(all).isGreaterThan(200e6); // the link is full
        assertThat(one.bytes / all).isBetween(0.93 / parts, 1.07 / parts);
        assertThat(heavy.bytes / all).isBetween(0.95 * weight / parts, 1.05 * weight / parts);
        assertThat(brief.bytes / all).isBetween(0.95 / parts, 1.05 / parts);
        rig.finish();
    }
}
