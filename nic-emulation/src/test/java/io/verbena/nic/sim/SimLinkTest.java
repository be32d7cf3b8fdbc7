package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.port.Link;
import io.verbena.nic.sim.Tamper.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimLinkTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void arrivesAfterSerialisationAndDelay() {
        // 1000 bytes at 8 Gb/s take 1000 ns.
        SimPair pair = new SimPair(1, new LinkProfile().rate(8_000_000_000L).delay(5_000));
        pair.a.send(1, 1000);
        pair.a.send(2, 500);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.arrivals)
                .containsExactly(new SimPair.Arrival(1, 1000, 6_000), new SimPair.Arrival(2, 500, 6_500));

        pair.simulation.runFor(10_000 - pair.simulation.nowNanos());
        pair.b.send(3, 2000);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.a.arrivals).containsExactly(new SimPair.Arrival(3, 2000, 17_000));
    }

    @Test
    void overheadCountsOnTheWire() {
        SimPair pair = new SimPair(
                1, new LinkProfile().rate(8_000_000_000L).overhead(24).delay(0));
        pair.a.send(1, 1000);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.arrivals.get(0).atNanos()).isEqualTo(1_024);
    }

    @Test
    void fractionsOfANanosecondAreNotLost() {
        // 64 bytes at 100 Gb/s take 5.12 ns: 100 of them 512 ns, not 500.
        SimPair pair = new SimPair(1, new LinkProfile().delay(0));
        IntStream.range(0, 100).forEach(i -> pair.a.send(i, 64));
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.arrivals.get(0).atNanos()).isEqualTo(5);
        assertThat(pair.b.arrivals.get(99).atNanos()).isEqualTo(512);
    }

    @Test
    void withoutRateOnlyTheDelayCounts() {
        SimPair pair = new SimPair(1, new LinkProfile().rate(0).delay(77));
        pair.a.send(1, 4000);
        pair.a.send(2, 4000);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.arrivals).extracting(SimPair.Arrival::atNanos).containsExactly(77L, 77L);
    }

    @Test
    void nothingLeavesBeforeFlush() {
        SimPair pair = new SimPair(1, new LinkProfile().rate(0).delay(0));
        assertThat(pair.a.offer(1, 100)).isTrue();
        pair.simulation.runFor(1_000);
        assertThat(pair.b.arrivals).isEmpty();
        assertThat(pair.a.link().unsent()).isEqualTo(100);
        pair.a.link().flush();
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.arrivals).containsExactly(new SimPair.Arrival(1, 100, 1_000));
        assertThat(pair.a.link().unsent()).isZero();
    }

    @Test
    void windowIsBoundedAndOpensAsBitsLeave() {
        SimPair pair = new SimPair(
                1, new LinkProfile().rate(8_000_000_000L).window(2_500).delay(100));
        assertThat(pair.a.offer(1, 1000)).isTrue();
        assertThat(pair.a.offer(2, 1000)).isTrue();
        assertThat(pair.a.offer(3, 1000)).isFalse();
        assertThat(pair.a.offer(3, 500)).isTrue();
        pair.a.link().flush();
        assertThat(pair.a.link().unsent()).isEqualTo(2_500);
        pair.simulation.runFor(999);
        assertThat(pair.a.offer(4, 1)).isFalse();
        pair.simulation.runFor(1);
        assertThat(pair.a.link().unsent()).isEqualTo(1_500);
        assertThat(pair.a.offer(4, 1000)).isTrue();
        assertThat(pair.connection.a().counters().noRoom()).isEqualTo(2);
    }

    @Test
    void onePacketFitsAnyWindow() {
        SimPair pair = new SimPair(1, new LinkProfile().window(1));
        assertThat(pair.a.offer(1, 4000)).isTrue();
        assertThat(pair.a.offer(2, 16)).isFalse();
    }

    @Test
    void misuseIsRefused() {
        SimPair pair = new SimPair(1, new LinkProfile().maxPacket(1024));
        Link link = pair.a.link();
        assertThatThrownBy(() -> link.claim(1025)).hasMessageContaining("1025").hasMessageContaining("1024");
        assertThatThrownBy(() -> link.claim(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(link::commit).isInstanceOf(IllegalStateException.class);
        assertThat(link.claim(50)).as("given up by the next").isNotEqualTo(Link.NO_ROOM);
        int offset = link.claim(100);
        assertThat(offset % 8).isZero();
        link.buffer().putByte(offset + 100, (byte) 1);
        assertThatThrownBy(link::commit).hasMessageContaining("after a claim of 100");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void lossFollowsItsProbability(long seed) {
        int n = 20_000;
        SimPair pair = new SimPair(seed, new LinkProfile().rate(0).loss(0.1));
        pair.a.sendMany(n, 16);
        pair.simulation.runToIdle(SECOND);
        LinkCounters counters = pair.connection.a().counters();
        // Six standard deviations of a binomial.
        assertThat((double) counters.lost()).isCloseTo(n * 0.1, within(6 * Math.sqrt(n * 0.09)));
        assertThat(counters.sent()).isEqualTo(n);
        assertThat(counters.delivered()).isEqualTo(n - counters.lost()).isEqualTo(pair.b.arrivals.size());
        assertThat(pair.b.psns()).isSorted();
    }

    @Test
    void lossComesInBursts() {
        SimPair pair = new SimPair(3, new LinkProfile().rate(0).loss(0.01).lossBurst(5));
        pair.a.sendMany(5_000, 16);
        pair.simulation.runToIdle(SECOND);
        List<Integer> psns = pair.b.psns();
        int bursts = 0;
        for (int i = 1; i < psns.size(); i++) {
            int gap = psns.get(i) - psns.get(i - 1) - 1;
            if (gap > 0) {
                assertThat(gap).isGreaterThanOrEqualTo(5);
                bursts++;
            }
        }
        assertThat(bursts).isGreaterThan(10);
    }

    @Test
    void corruptedPacketsAreDroppedAndCounted() {
        SimPair pair = new SimPair(1, new LinkProfile().rate(0).corruption(0.25));
        pair.a.sendMany(4_000, 200);
        pair.simulation.runToIdle(SECOND);
        LinkCounters counters = pair.connection.a().counters();
        assertThat((double) counters.corrupted()).isCloseTo(1_000, within(200.0));
        assertThat(counters.delivered() + counters.corrupted()).isEqualTo(4_000);
    }

    @Test
    void duplicatesArriveTwice() {
        SimPair pair = new SimPair(1, new LinkProfile().rate(0).duplication(0.5));
        pair.a.sendMany(1_000, 40);
        pair.simulation.runToIdle(SECOND);
        LinkCounters counters = pair.connection.a().counters();
        assertThat((double) counters.duplicated()).isCloseTo(500, within(100.0));
        assertThat(pair.b.arrivals).hasSize((int) (1_000 + counters.duplicated()));
        assertThat(pair.b.psns().stream().distinct().count()).isEqualTo(1_000);
    }

    @Test
    void onlyReorderingChangesTheOrder() {
        SimPair jittered =
                new SimPair(1, new LinkProfile().rate(100_000_000L).delay(10).jitter(100_000));
        jittered.a.sendMany(500, 64);
        jittered.simulation.runToIdle(SECOND);
        assertThat(jittered.b.psns()).hasSize(500).isSorted();

        SimPair reordered =
                new SimPair(1, new LinkProfile().rate(100_000_000L).delay(10).reordering(0.1, 50_000));
        reordered.a.sendMany(500, 64);
        reordered.simulation.runToIdle(SECOND);
        assertThat(reordered.connection.a().counters().reordered()).isBetween(20L, 90L);
        assertThat(reordered.b.psns()).hasSize(500).isNotEqualTo(jittered.b.psns());
        assertThat(reordered.b.psns()).containsExactlyInAnyOrderElementsOf(jittered.b.psns());
    }

    @Test
    void partitionsCutOneDirectionOrBoth() {
        SimPair pair = new SimPair(1, new LinkProfile());
        pair.connection.cutAToB(true);
        pair.a.send(1, 100);
        pair.b.send(2, 100);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.arrivals).isEmpty();
        assertThat(pair.a.psns()).containsExactly(2);
        assertThat(pair.connection.a().counters().cut()).isEqualTo(1);

        pair.connection.cut();
        pair.b.send(3, 100);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.a.psns()).containsExactly(2);

        pair.connection.heal();
        pair.a.send(4, 100);
        pair.b.send(5, 100);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.psns()).containsExactly(4);
        assertThat(pair.a.psns()).containsExactly(2, 5);
        assertThat(pair.a.link().state()).isEqualTo(Link.State.UP);
    }

    @Test
    void tamperChoosesPackets() {
        SimPair pair = new SimPair(1, new LinkProfile().loss(1).reordering(0, 1_000_000));
        List<Verdict> verdicts = new ArrayList<>(
                List.of(Verdict.DELIVER, Verdict.DROP, Verdict.DUPLICATE, Verdict.HOLD, Verdict.DELIVER, Verdict.PASS));
        pair.connection.a().tamper((buffer, offset, length) -> verdicts.remove(0));
        IntStream.rangeClosed(1, 6).forEach(i -> pair.a.send(i, 20));
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.psns()).containsExactly(1, 3, 3, 5, 4);
        assertThat(pair.connection.a().counters().lost()).isEqualTo(2);
    }

    @Test
    void injectedBytesArriveWhateverTheyAre() {
        SimPair pair = new SimPair(1, new LinkProfile().loss(1));
        List<Integer> lengths = new ArrayList<>();
        pair.simulation.participant("b").pause();
        pair.connection.a().inject(new UnsafeBuffer(new byte[] {1, 2, 3, 4}), 1, 3);
        pair.simulation.runUntil(pair.connection.b()::hasInbound, SECOND);
        assertThat(pair.simulation.trace().text()).contains("no BTH len=3 injected");
        pair.connection.b().poll((link, buffer, offset, length) -> lengths.add(length), 1);
        assertThat(lengths).containsExactly(3);
    }

    @Test
    void aReceiverThatDoesNotPollLosesWhatDoesNotFit() {
        SimPair pair = new SimPair(1, new LinkProfile().rate(0).inbound(8_000));
        pair.simulation.participant("b").pause();
        pair.a.sendMany(10, 1_000);
        pair.simulation.runFor(10_000);
        assertThat(pair.b.arrivals).isEmpty();
        assertThat(pair.connection.a().counters().overrun()).isEqualTo(2);
        pair.simulation.participant("b").resume();
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.psns()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void breakLosesWhatIsUnderWayAndReconnectBringsANewLink() {
        SimPair pair = new SimPair(1, new LinkProfile().delay(1_000));
        pair.a.send(1, 100);
        pair.simulation.runFor(500);
        pair.connection.breakLink();
        Link old = pair.a.link();
        assertThat(old.state()).isEqualTo(Link.State.DOWN);
        assertThat(old.claim(100)).isEqualTo(Link.NO_ROOM);
        assertThat(old.unsent()).isZero();
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.arrivals).isEmpty();
        assertThat(pair.connection.a().counters().cut()).isEqualTo(1);

        pair.connection.reconnect();
        assertThat(pair.a.link()).isNotSameAs(old);
        assertThat(pair.a.link().peerNic()).isEqualTo(SimPair.NIC_B);
        assertThat(pair.b.link().peerNic()).isEqualTo(SimPair.NIC_A);
        pair.a.send(2, 100);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.psns()).containsExactly(2);
        assertThatThrownBy(pair.connection::reconnect).hasMessageContaining("UP");
    }

    @Test
    void closeDeliversWhatWasFlushedThenThePeerIsDown() {
        SimPair pair = new SimPair(1, new LinkProfile().delay(1_000));
        pair.a.send(1, 4_000);
        pair.a.send(2, 4_000);
        pair.a.link().close();
        pair.a.link().close();
        assertThat(pair.a.link().state()).isEqualTo(Link.State.CLOSED);
        assertThat(pair.b.link().state()).isEqualTo(Link.State.UP);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.b.psns()).containsExactly(1, 2);
        assertThat(pair.b.link().state()).isEqualTo(Link.State.DOWN);
    }

    @Test
    void deathIsSeenByTheSurvivor() {
        SimPair pair = new SimPair(1, new LinkProfile().delay(1_000));
        pair.connection.killB();
        assertThat(pair.a.link().state()).isEqualTo(Link.State.UP);
        pair.simulation.runToIdle(SECOND);
        assertThat(pair.a.link().state()).isEqualTo(Link.State.DEAD);
        assertThat(pair.b.link().state()).isEqualTo(Link.State.CLOSED);
        assertThat(pair.a.waiter.wakes()).isPositive();
    }

    @Test
    void directLinksMapThePeersMemory() {
        SimPair pair = new SimPair(1, new LinkProfile().direct(true));
        int id = pair.b.memory.allocate(64).id();
        assertThat(pair.a.link().peerMemory().control()).isSameAs(pair.b.memory.control());
        assertThat(pair.a.link().peerMemory().segment(id)).isSameAs(pair.b.memory.segment(id));
        assertThat(pair.a.link().peerMemory().segment(99)).isNull();
        assertThat(new SimPair(1, new LinkProfile()).a.link().peerMemory()).isNull();
    }

    @Test
    void wakePeerWakesItsWaiter() {
        SimPair pair = new SimPair(1, new LinkProfile().delay(300));
        pair.a.link().wakePeer(0);
        assertThat(pair.b.waiter.wakes()).isZero();
        pair.simulation.runFor(300);
        assertThat(pair.b.waiter.wakes()).isEqualTo(1);
    }

    @Test
    void aDeliveredPacketIsGone() {
        SimPair pair = new SimPair(1, new LinkProfile());
        List<UnsafeBuffer> kept = new ArrayList<>();
        pair.simulation.participant("b").pause();
        pair.a.send(1, 32);
        pair.simulation.runUntil(pair.connection.b()::hasInbound, SECOND);
        pair.connection
                .b()
                .poll((link, buffer, offset, length) -> kept.add(new UnsafeBuffer(buffer, offset, length)), 1);
        for (int i = 0; i < 32; i++) {
            assertThat(kept.get(0).getByte(i)).isEqualTo((byte) 0xA5);
        }
    }
}
