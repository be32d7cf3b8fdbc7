package io.verbena.mux;

import static io.verbena.mux.SimChannels.DEPTH;
import static io.verbena.mux.SimChannels.MS;
import static io.verbena.mux.SimChannels.SEGMENT;
import static io.verbena.mux.SimChannels.length;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.mux.SimChannels.Sender;
import io.verbena.nic.Completion;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Channels to several inboxes share a queue pair: one that is full holds up those that lead there, one that is closed
 * ends them, and the others do not notice.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SeveralInboxesTest {
    private static final int SMALL = 512 << 10;

    private SimChannels rig;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 16);
    }

    private static LinkProfile profile(Random random) {
        return new LinkProfile()
                .rate(10_000_000_000L)
                .loss(random.nextInt(3) * 0.01)
                .duplication(random.nextInt(3) * 0.02)
                .reordering(random.nextInt(3) * 0.02, 20_000)
                .direct(random.nextInt(3) == 0);
    }

    /** Inboxes are read at different times, links break: each message is whole, once and in order. */
    @ParameterizedTest
    @MethodSource("seeds")
    void eachIsWholeOnceAndInOrder(long seed) {
        Random random = new Random(seed);
        rig = new SimChannels(seed, profile(random), 1024 << random.nextInt(6), 64 << 20, SMALL, SMALL, SMALL);
        for (int i = 0; i < 9; i++) {
            rig.sender(1 + random.nextInt(4), i % 3);
        }
        for (int step = 0; step < 400; step++) {
            for (int i = 0; i < 8; i++) {
                rig.senders.get(random.nextInt(rig.senders.size())).post(length(random));
            }
            if (random.nextInt(60) == 0) {
                rig.link.breakLink();
                rig.simulation.runFor(random.nextInt(200_000));
                rig.link.reconnect();
            }
            for (int inbox = 0; inbox < 3; inbox++) {
                if (step / 40 % 3 != inbox) { // one of them is not read for a while
                    rig.take(inbox, 1 + random.nextInt(20));
                }
            }
            rig.simulation.runFor(random.nextInt(100_000));
        }
        rig.finish();
        assertThat(rig.shared.queuePair().state()).isEqualTo(QpState.RTS);
        assertThat(rig.a.nic().counter(NicCounter.TAKEN_BACK)).isPositive();
    }

    /** Nobody reads one inbox: the others' messages go on arriving, and its own wait until it is read. */
    @ParameterizedTest
    @CsvSource({"false, 100", "true, 100", "false, 10000", "true, 10000"})
    void aFullInboxHoldsUpItsOwn(boolean direct, int length) {
        rig = new SimChannels(
                1, new LinkProfile().rate(10_000_000_000L).direct(direct), SEGMENT, 64 << 20, SMALL, SMALL);
        Sender stuck = rig.sender(1, 0);
        Sender neighbour = rig.sender(1, 0);
        Sender free = rig.sender(1, 1);
        int refused = 0;
        for (int step = 0; step < 3000; step++) {
            refused += stuck.post(length) ? 0 : 1;
            neighbour.post(length / 2);
            free.post(length);
            rig.take(1, 100);
            rig.simulation.runFor(20_000);
        }
        assertThat(refused).isPositive();
        assertThat(stuck.path.limit()).isEqualTo(Limit.RECEIVER);
        assertThat(stuck.received).isZero();
        assertThat(free.posted).isGreaterThan(2500); // it was never kept waiting for long
        assertThat(free.received).isGreaterThan(free.posted - 2 * DEPTH);
        assertThat(rig.a.nic().counter(NicCounter.TAKEN_BACK)).isBetween(1L, 200L); // the pauses grow
        rig.finish();
        assertThat(stuck.path.limit()).isNotEqualTo(Limit.RECEIVER);
    }

    /** An inbox is closed while messages are on their way to it: its channels end, each with its own error. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aClosedInboxEndsItsOwn(long seed) {
        Random random = new Random(seed);
        rig = new SimChannels(seed, profile(random), SEGMENT, 64 << 20, 4 << 20, 4 << 20);
        for (int i = 0; i < 6; i++) {
            rig.sender(1, i % 2);
        }
        for (int step = 0; step < 300; step++) {
            for (Sender sender : rig.senders) {
                sender.post(length(random));
            }
            rig.take(1 + random.nextInt(20));
            rig.simulation.runFor(random.nextInt(50_000));
            if (step == 150) {
                rig.inboxes.remove(1).destroy(true);
            }
        }
        List<Long> ended = new ArrayList<>();
        for (int i = 0; i < 5000 && (!isOneDone() || ended.size() < 3); i++) {
            rig.simulation.runFor(MS);
            rig.take(100);
            rig.errors.poll(c -> ended.add(refused(c)), 100);
        }
        assertThat(ended).containsExactlyInAnyOrder(2L, 4L, 6L);
        assertThat(isOneDone()).isTrue();
        assertThat(rig.shared.queuePair().state()).isEqualTo(QpState.RTS);
        assertThat(rig.peer.state()).isEqualTo(QpState.RTS);
    }

    private boolean isOneDone() {
        return rig.senders.stream().filter(s -> s.number % 2 == 0).allMatch(Sender::isDone);
    }

    private static long refused(Completion completion) {
        assertThat(completion.status()).isEqualTo(WcStatus.REM_INV_REQ_ERR);
        return completion.wrId();
    }

    /** A short message is refused after parts of a long one that are all answered: that one goes on before others. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aRefusalBetweenSegmentsLeavesTheMessageThatWasBegun(long seed) {
        Random random = new Random(seed);
        rig = new SimChannels(seed, new LinkProfile().rate(1_000_000_000L), 2 << 10, 64 << 20, 8 << 20, 8 << 20);
        List<Sender> innocent = List.of(rig.sender(1, 0), rig.sender(1, 1), rig.sender(8, 0), rig.sender(8, 1));
        for (int step = 0; step < 60; step++) {
            innocent.get(0).post(200_000);
            innocent.get(1).post(100_000);
            for (int i = 0; i < 2 * DEPTH; i++) {
                innocent.get(2 + i % 2).post(1 + random.nextInt(4_000));
            }
            assertThat(rig.sender(8, 1).postWithWrongKey(100)).isTrue();
            rig.simulation.runFor(random.nextInt(2_000_000));
            rig.take(100);
        }
        for (int i = 0; i < 2_000 && !innocent.stream().allMatch(Sender::isDone); i++) {
            rig.simulation.runFor(MS);
            rig.take(100);
        }
        assertThat(rig.shared.queuePair().state()).isEqualTo(QpState.RTS);
        assertThat(innocent).allMatch(Sender::isDone);
        assertThat(rig.a.nic().counter(NicCounter.TAKEN_BACK)).isPositive();
    }

    /** One that is closed while it waits for a full inbox leaves nothing behind, also when that is read later. */
    @Test
    void nothingIsKeptOfAChannelThatIsGone() {
        rig = new SimChannels(1, new LinkProfile().rate(10_000_000_000L), SEGMENT, 64 << 20, SMALL, SMALL);
        Sender other = rig.sender(1, 1);
        Sender filling = rig.sender(1, 0);
        assertThat(other.post(100)).isTrue();
        for (int i = 0; filling.path.limit() != Limit.RECEIVER; i++) {
            assertThat(i).as("messages until the inbox is full").isLessThan(10_000);
            filling.post(2_000);
            rig.simulation.runFor(MS / 10);
        }
        WeakReference<SharedPath> gone = closedWhileItWaits();
        rig.finish();
        for (int i = 0; i < 200 && gone.get() != null; i++) {
            System.gc();
            rig.simulation.runFor(MS);
        }
        assertThat(gone.get()).isNull();
    }

    private WeakReference<SharedPath> closedWhileItWaits() {
        Sender closing = rig.sender(1, 0);
        assertThat(closing.post(2_000)).isTrue();
        rig.simulation.runFor(MS);
        assertThat(closing.path.limit()).isEqualTo(Limit.RECEIVER);
        closing.path.close();
        closing.path.parts();
        assertThat(closing.path.isReleased()).isTrue();
        rig.senders.remove(closing);
        return new WeakReference<>(closing.path);
    }
}
