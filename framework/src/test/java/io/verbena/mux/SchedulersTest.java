package io.verbena.mux;

import static io.verbena.mux.SimChannels.DEPTH;
import static io.verbena.mux.SimChannels.MAX;
import static io.verbena.mux.SimChannels.MS;
import static io.verbena.mux.SimChannels.SEGMENT;
import static io.verbena.mux.SimChannels.length;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.MuxScheduler;
import io.verbena.mux.SimChannels.Sender;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.verbs.QpState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Who sends next under each {@link MuxScheduler}, over simulated links. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SchedulersTest {
    private static final int[] LENGTHS = {4000, 4000, 1100};
    private static final int[] WEIGHTS = {1, 3, 1};
    private static final int FILLING = 16_000; // bytes, of which the link takes a few and not DEPTH

    private SimChannels rig;

    private void connect(MuxScheduler discipline) {
        rig = new SimChannels(1, new LinkProfile().rate(1_000_000_000L), discipline, SEGMENT, 8 * MAX, 4 << 20);
    }

    private static void postAll(Sender sender, int length) {
        for (int i = 0; i < DEPTH; i++) {
            assertThat(sender.post(length)).isTrue();
        }
    }

    /** In which order the messages of three channels go, that are posted while a fourth fills the link. */
    private List<Integer> order(MuxScheduler discipline) {
        connect(discipline);
        for (int weight : WEIGHTS) {
            rig.sender(weight);
        }
        Sender filler = rig.sender(1);
        postAll(filler, FILLING);
        for (int i = 0; i < LENGTHS.length; i++) {
            postAll(rig.senders.get(i), LENGTHS[i]);
        }
        rig.finish();
        return rig.order.stream().filter(each -> each != filler.number).toList();
    }

    @Test
    void deficitRoundRobinGoesByBytesAndWeights() {
        List<Integer> expected = new ArrayList<>();
        expected.addAll(Collections.nCopies(5, 0)); // the fifth of 4,064 is begun below 16 KiB
        expected.addAll(Collections.nCopies(13, 1)); // below 48 KiB
        expected.addAll(Collections.nCopies(15, 2)); // of 1,164 below 16 KiB
        expected.addAll(Collections.nCopies(4, 0)); // it owed a part of one
        assertThat(order(MuxScheduler.DEFICIT_ROUND_ROBIN)).startsWith(expected.toArray(Integer[]::new));
    }

    @Test
    void roundRobinSendsOneOfEach() {
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < DEPTH; i++) {
            expected.addAll(List.of(0, 1, 2));
        }
        assertThat(order(MuxScheduler.ROUND_ROBIN)).isEqualTo(expected);
    }

    private record Tagged(int channel, long tag) {}

    @Test
    void weightedFairQueueingGoesByTags() {
        List<Tagged> all = new ArrayList<>();
        for (int channel = 0; channel < LENGTHS.length; channel++) {
            for (int i = 1; i <= DEPTH; i++) {
                all.add(new Tagged(channel, i * (16L * LENGTHS[channel] / WEIGHTS[channel])));
            }
        }
        assertThat(all).extracting(Tagged::tag).doesNotHaveDuplicates();
        all.sort(Comparator.comparingLong(Tagged::tag));
        assertThat(order(MuxScheduler.WEIGHTED_FAIR_QUEUEING))
                .isEqualTo(all.stream().map(Tagged::channel).toList());
    }

    /** Beside a long message, a channel of short ones has one between two segments, however short they are. */
    @Test
    void roundRobinSendsASegmentOfALongOne() {
        connect(MuxScheduler.ROUND_ROBIN);
        Sender patient = rig.sender(1);
        Sender brief = rig.sender(1);
        assertThat(patient.post(MAX)).isTrue();
        assertThat(patient.post(MAX)).isTrue();
        postAll(brief, 100);
        long first = 0;
        while (brief.received < DEPTH) {
            rig.simulation.runFor(MS / 100);
            rig.take(100);
            first = brief.received == 0 ? rig.simulation.nowNanos() : first;
        }
        long segments = (rig.simulation.nowNanos() - first) / (8 * SEGMENT);
        assertThat(segments).isBetween(DEPTH - 3L, DEPTH + 3L);
        rig.finish();
    }

    /** Each has as many messages or segments, whatever its weight is, or becomes; the queue pair's is all of them. */
    @Test
    void weightsDoNotCountInRoundRobin() {
        connect(MuxScheduler.ROUND_ROBIN);
        Sender one = rig.sender(1);
        Sender heavy = rig.sender(4);
        Sender brief = rig.sender(2);
        while (rig.simulation.nowNanos() < 1_000 * MS) {
            while (one.post(200_000)) {}
            while (heavy.post(70_000)) {}
            while (brief.post(8000)) {}
            rig.simulation.runFor(200_000);
            rig.take(1000);
            if (heavy.received == 100) {
                heavy.path.weight(7);
            }
        }
        assertThat(rig.shared.source().weight()).isEqualTo(10);
        int turns = brief.received;
        assertThat(turns).isGreaterThan(2000);
        assertThat(13 * one.received).isCloseTo(turns, Percentage.withPercentage(5));
        assertThat(5 * heavy.received).isCloseTo(turns, Percentage.withPercentage(5));
        rig.finish();
    }

    /** A long message that was begun is waited for; one that was not goes after all that end before it. */
    @Test
    void weightedFairQueueingDoesNotCut() {
        connect(MuxScheduler.WEIGHTED_FAIR_QUEUEING);
        Sender patient = rig.sender(1);
        Sender brief = rig.sender(1);
        assertThat(patient.post(MAX)).isTrue();
        rig.simulation.runFor(MS);
        assertThat(patient.post(MAX)).isTrue();
        postAll(brief, 100);
        rig.finish();
        List<Integer> expected = new ArrayList<>(Collections.nCopies(DEPTH + 2, 1));
        expected.set(0, 0);
        expected.set(DEPTH + 1, 0);
        assertThat(rig.order).isEqualTo(expected);
    }

    /** One that comes later begins where the others are: what it has left to them it does not get back. */
    @Test
    void weightedFairQueueingKeepsNothingForAnIdleChannel() {
        connect(MuxScheduler.WEIGHTED_FAIR_QUEUEING);
        Sender first = rig.sender(1);
        Sender late = rig.sender(1);
        assertThat(late.post(100)).isTrue();
        rig.finish();
        postAll(first, FILLING);
        rig.simulation.runFor(MS / 4); // several are moved at a time by now
        postAll(late, FILLING / 2);
        rig.finish();
        List<Integer> order = rig.order.subList(1, rig.order.size());
        int begins = order.indexOf(1);
        assertThat(begins).isPositive();
        assertThat(order.subList(begins, begins + 8)).as("of %s", order).containsExactly(1, 0, 1, 1, 0, 1, 1, 0);
    }

    static Stream<Arguments> disciplinesAndSeeds() {
        return Stream.of(MuxScheduler.values())
                .flatMap(each -> Stream.of(1L, 2L, 3L, 4L, 5L, 6L).map(seed -> Arguments.of(each, seed)));
    }

    /**
     * Two inboxes of little memory, read now and then; links that lose and break; weights that change; one channel
     * closes with messages left. What arrives is whole, once and in order, and of the others all does.
     */
    @ParameterizedTest
    @MethodSource("disciplinesAndSeeds")
    void eachIsWholeOnceAndInOrder(MuxScheduler discipline, long seed) {
        Random random = new Random(seed);
        LinkProfile profile = new LinkProfile()
                .rate(10_000_000_000L)
                .loss(random.nextInt(3) * 0.01)
                .reordering(random.nextInt(3) * 0.02, 20_000)
                .direct(random.nextInt(3) == 0);
        int segment = 1024 << random.nextInt(6);
        rig = new SimChannels(seed, profile, discipline, segment, 64 << 20, 1 << 20, 1 << 20);
        for (int i = 0; i < 8; i++) {
            rig.sender(1 + random.nextInt(4), i % 2);
        }
        Sender closing = rig.senders.get(3);
        for (int step = 0; step < 300; step++) {
            for (int i = 0; i < 8; i++) {
                Sender sender = rig.senders.get(random.nextInt(rig.senders.size()));
                if (sender != closing || step < 150) {
                    sender.post(length(random));
                }
            }
            if (step == 150) {
                closing.path.close();
            }
            if (random.nextInt(60) == 0) {
                rig.link.breakLink();
                rig.simulation.runFor(random.nextInt(200_000));
                rig.link.reconnect();
            }
            if (random.nextInt(10) == 0) {
                rig.senders.get(random.nextInt(rig.senders.size())).path.weight(1 + random.nextInt(4));
            }
            if (step / 50 % 2 == 0) { // for a while the second inbox alone is not read
                rig.take(1, 1 + random.nextInt(20));
            }
            rig.take(0, 1 + random.nextInt(20));
            rig.simulation.runFor(random.nextInt(100_000));
        }
        rig.drain(() ->
                rig.senders.stream().allMatch(each -> each == closing || each.isDone()) && closing.path.isReleased());
        assertThat(closing.received).isBetween(1, closing.posted);
        assertThat(rig.shared.queuePair().state()).isEqualTo(QpState.RTS);
    }
}
