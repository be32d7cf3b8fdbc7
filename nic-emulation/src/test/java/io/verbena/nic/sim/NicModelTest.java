package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.RethFlyweight;
import java.util.LinkedHashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class NicModelTest {
    private final UnsafeBuffer b = new UnsafeBuffer(new byte[4096]);

    @Test
    void freeByDefault() {
        assertThat(new NicModel().send(100, packet(Opcode.SEND_ONLY, 1), 0, 1000, 0))
                .isEqualTo(100);
    }

    @Test
    void pcieAndPacketWorkQueueUp() {
        // 1000 bytes at 8 Gb/s take 1000 ns.
        NicModel model = new NicModel().packet(50).pcie(8_000_000_000L);
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 1), 0, 1000, 0)).isEqualTo(1_050);
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 1), 0, 1000, 0)).isEqualTo(2_050);
        assertThat(model.receive(0, packet(Opcode.SEND_ONLY, 1), 0, 100, 0)).isEqualTo(150);
        assertThat(model.send(5_000, packet(Opcode.SEND_ONLY, 1), 0, 100, 0)).isEqualTo(5_150);
    }

    @Test
    void connectionsBeyondTheCacheMissEachTime() {
        for (int connections = 1; connections <= 40; connections++) {
            NicModel model = new NicModel().contexts(20, 500);
            for (int round = 0; round < 10; round++) {
                for (int qp = 0; qp < connections; qp++) {
                    model.send(0, packet(Opcode.SEND_MIDDLE, qp), 0, 64, 0);
                }
            }
            // The knee of a round robin over an LRU cache is a step.
            assertThat(model.contextMisses()).isEqualTo(connections <= 20 ? connections : 10L * connections);
        }
    }

    @Test
    void wqesAreFetchedWhereARequestStarts() {
        NicModel model = new NicModel().wqes(1, 300);
        assertThat(model.send(0, packet(Opcode.SEND_FIRST, 1), 0, 64, 0)).isEqualTo(300);
        assertThat(model.send(300, packet(Opcode.SEND_MIDDLE, 1), 0, 64, 0)).isEqualTo(300);
        assertThat(model.send(300, packet(Opcode.SEND_ONLY, 1), 0, 64, 0)).isEqualTo(300);
        assertThat(model.send(300, packet(Opcode.SEND_ONLY, 2), 0, 64, 0)).isEqualTo(600);
        assertThat(model.send(600, packet(Opcode.ACKNOWLEDGE, 1), 0, 24, 0)).isEqualTo(600);
        assertThat(model.wqeMisses()).isEqualTo(2);
    }

    @Test
    void remoteMemoryIsTranslatedPageByPage() {
        NicModel model = new NicModel().translations(4, 4096, 100);
        assertThat(model.receive(0, request(0, 8192), 0, 32, 0)).isEqualTo(300);
        assertThat(model.receive(1_000, request(4096, 100), 0, 32, 0)).isEqualTo(1_000);
        assertThat(model.receive(2_000, request(1 << 20, 100), 0, 32, 0)).isEqualTo(2_100);
        assertThat(model.translationMisses()).isEqualTo(4);
    }

    @Test
    void linksOfOneNicShareItsPipeline() {
        Simulation simulation = new Simulation(1);
        SimFabric fabric = new SimFabric(simulation);
        fabric.model(SimPair.NIC_A, new NicModel().packet(1_000));
        fabric.model(SimPair.NIC_B, new NicModel().packet(10));
        SimPair pair = new SimPair(simulation, fabric, new LinkProfile().rate(0).delay(0));
        pair.a.send(1, 100);
        pair.a.send(2, 100);
        assertThat(pair.a.link().unsent()).isEqualTo(200);
        simulation.runToIdle(1_000_000);
        assertThat(pair.b.arrivals)
                .containsExactly(new SimPair.Arrival(1, 100, 1_010), new SimPair.Arrival(2, 100, 2_010));
    }

    @Test
    void lruForgetsTheLeastRecentlyUsed() {
        // Against a plain model.
        SimRandom random = new SimRandom(5);
        NicCache cache = new NicCache(7, Replacement.LRU);
        Set<Long> model = new LinkedHashSet<>();
        for (int i = 0; i < 20_000; i++) {
            long key = random.nextInt(14);
            boolean there = model.remove(key);
            model.add(key);
            if (model.size() > 7) {
                model.remove(model.iterator().next());
            }
            assertThat(cache.use(key)).isEqualTo(there);
        }
        assertThat(cache.hits() + cache.misses()).isEqualTo(20_000);
    }

    @Test
    void fifoForgetsTheFirstThatCame() {
        SimRandom random = new SimRandom(6);
        NicCache cache = new NicCache(5, Replacement.FIFO);
        Set<Long> model = new LinkedHashSet<>();
        for (int i = 0; i < 20_000; i++) {
            long key = random.nextInt(9);
            boolean there = model.contains(key);
            if (!there) {
                model.add(key);
                if (model.size() > 5) {
                    model.remove(model.iterator().next());
                }
            }
            assertThat(cache.use(key)).isEqualTo(there);
        }
    }

    @Test
    void randomReplacementHasNoKneeButASlope() {
        // A round robin over one more than fits: LRU misses always, random replacement often hits.
        NicCache lru = new NicCache(20, Replacement.LRU);
        NicCache any = new NicCache(20, Replacement.RANDOM);
        for (int i = 0; i < 21_000; i++) {
            lru.use(i % 21);
            any.use(i % 21);
        }
        assertThat(lru.hits()).isZero();
        assertThat(any.hits()).isBetween(12_000L, 20_000L);
    }

    @Test
    void unitsWorkSideBySideAndAQueuePairStaysWithItsUnit() {
        NicModel model = new NicModel().units(2).packet(100);
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 2), 0, 64, 0)).isEqualTo(100);
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 3), 0, 64, 0)).isEqualTo(100);
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 2), 0, 64, 0)).isEqualTo(200);
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 4), 0, 64, 0)).isEqualTo(300);
    }

    @Test
    void aDoorbellCostsWhereItsUnitStandsIdle() {
        NicModel model = new NicModel().packet(10).doorbell(200).pcieLatency(1_000);
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 1), 0, 64, 0)).isEqualTo(1_210);
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 1), 0, 64, 0)).isEqualTo(1_220);
        assertThat(model.send(500, packet(Opcode.SEND_MIDDLE, 1), 0, 64, 0)).isEqualTo(1_510);
        assertThat(model.send(900, packet(Opcode.SEND_ONLY, 1), 0, 64, 0)).isEqualTo(2_110);
        assertThat(model.doorbells()).isEqualTo(2);
    }

    @Test
    void presetsHaveTheKneeOfTheirPaper() {
        for (int connections : new int[] {20, 21}) {
            NicModel model = NicModel.roce100();
            for (int round = 0; round < 10; round++) {
                for (int qp = 0; qp < connections; qp++) {
                    model.send(0, packet(Opcode.SEND_MIDDLE, qp), 0, 64, 0);
                }
            }
            assertThat(model.contextMisses()).isEqualTo(connections == 20 ? 20 : 210);
        }
        // 1250 bytes take 78.125 ns at 128 Gb/s.
        NicModel model = NicModel.roce100().contexts(20, 0);
        long first = model.send(0, packet(Opcode.SEND_MIDDLE, 2), 0, 1250, 0);
        long second = model.send(0, packet(Opcode.SEND_MIDDLE, 3), 0, 1250, 0);
        assertThat(first).isEqualTo(10 + 78 + 250);
        assertThat(second - first).isEqualTo(78);
    }

    @Test
    void anIdlePortDelaysNothingAndABusyOneServesAllLinksInTurn() {
        // 900 bytes and 100 of framing at 8 Gb/s take 1000 ns.
        NicModel model = new NicModel().port(8_000_000_000L);
        assertThat(model.receive(5_000, packet(Opcode.SEND_ONLY, 1), 0, 900, 100))
                .isEqualTo(5_000);
        assertThat(model.receive(5_000, packet(Opcode.SEND_ONLY, 2), 0, 900, 100))
                .isEqualTo(6_000);
        assertThat(model.receive(5_300, packet(Opcode.SEND_ONLY, 3), 0, 400, 100))
                .isEqualTo(6_500);
        assertThat(model.receive(7_000, packet(Opcode.SEND_ONLY, 1), 0, 900, 100))
                .isEqualTo(7_500);
        assertThat(model.receive(20_000, packet(Opcode.SEND_ONLY, 1), 0, 900, 100))
                .isEqualTo(20_000);
        // Sending, the link itself takes the packet's time; the next one waits for it.
        assertThat(model.send(5_000, packet(Opcode.SEND_ONLY, 1), 0, 900, 100)).isEqualTo(5_000);
        assertThat(model.send(5_000, packet(Opcode.SEND_ONLY, 2), 0, 900, 100)).isEqualTo(6_000);
    }

    @Test
    void aPortKeepsItsRateToTheNanosecond() {
        // 100 bytes at 56 Gb/s take 14.2857 ns; 56 of them 800 ns.
        NicModel model = NicModel.infiniband56();
        long first = model.receive(1_000, packet(Opcode.SEND_ONLY, 1), 0, 66, 34);
        long last = first;
        for (int i = 0; i < 56; i++) {
            last = model.receive(1_000, packet(Opcode.SEND_ONLY, i), 0, 66, 34);
        }
        assertThat(last - first).isEqualTo(800);
    }

    @Test
    void twoLinksIntoOnePortTakeTwiceAsLong() {
        for (long port : new long[] {0, 8_000_000_000L}) {
            Simulation simulation = new Simulation(1);
            SimFabric fabric = new SimFabric(simulation);
            fabric.model(SimPair.NIC_B, new NicModel().port(port));
            LinkProfile profile = new LinkProfile().rate(8_000_000_000L).delay(0);
            SimPair one = new SimPair(simulation, fabric, profile);
            SimPair other = new SimPair(simulation, fabric, profile);
            for (int i = 0; i < 10; i++) {
                one.a.send(i, 1_000);
                other.a.send(i, 1_000);
            }
            simulation.runToIdle(1_000_000);
            long last = Math.max(lastArrival(one), lastArrival(other));
            assertThat(last).isEqualTo(port == 0 ? 10_000 : 20_000);
        }
    }

    private static long lastArrival(SimPair pair) {
        return pair.b.arrivals.get(pair.b.arrivals.size() - 1).atNanos();
    }

    @Test
    void anAtomicTakesItsTimeAndItsUnits() {
        NicModel model = NicModel.infiniband56().port(0);
        assertThat(model.receive(100, packet(Opcode.FETCH_ADD, 1), 0, 48, 0)).isEqualTo(2_100);
        assertThat(model.receive(100, packet(Opcode.COMPARE_SWAP, 1), 0, 56, 0)).isEqualTo(4_100);
        assertThat(model.receive(9_000, packet(Opcode.WRITE_ONLY, 1), 0, 48, 0)).isEqualTo(9_000);
    }

    @Test
    void aWqeIsPushedFetchedAndNeededOnceMore() {
        NicModel model = new NicModel().wqes(2, 300).wqeFetch(40).completion(10);
        model.post(1, true, 1024, false);
        model.post(1, true, 1024, false);
        model.post(1, true, 1024, true);
        model.ring(1);
        // The first came with the doorbell; the others are read, and the third pushes the first out.
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 1, 0), 0, 64, 0)).isZero();
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 1, 1), 0, 64, 0)).isEqualTo(40);
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 1, 2), 0, 64, 0)).isEqualTo(80);
        // All three complete: one was pushed out, one wants a completion.
        assertThat(model.receive(1_000, acknowledge(1, 2), 0, 24, 0)).isEqualTo(1_310);
        assertThat(model.receive(2_000, acknowledge(1, 2), 0, 24, 0)).isEqualTo(2_000);
        assertThat(model.wqes()).isEqualTo(3);
        assertThat(model.mmios()).isEqualTo(1);
        assertThat(model.wqeFetches()).isEqualTo(2);
        assertThat(model.wqeMisses()).isEqualTo(1);
        assertThat(model.completionWrites()).isEqualTo(1);
    }

    @Test
    void oneQueuePairMissesWhenMoreIsUnderWayThanTheCacheHolds() {
        for (int depth : new int[] {8, 9, 16}) {
            NicModel model = new NicModel().wqes(8, 100);
            int psn = 0;
            for (int round = 0; round < 50; round++) {
                for (int i = 0; i < depth; i++) {
                    model.post(1, true, 1024, true);
                    model.ring(1);
                    model.send(0, packet(Opcode.WRITE_ONLY, 1, psn++), 0, 64, 0);
                }
                model.receive(0, acknowledge(1, psn - 1), 0, 24, 0);
            }
            // What is pushed out before it is complete is fetched again: all above the eight.
            assertThat(model.wqeMisses()).as("depth %d", depth).isEqualTo(50L * (depth - 8));
        }
    }

    @Test
    void aRequestThatIsSentAgainNeedsItsWqeAgain() {
        NicModel model = new NicModel().wqes(1, 300);
        model.post(1, true, 1024, true);
        model.ring(1);
        model.post(2, true, 1024, true);
        model.ring(2); // pushes the other out
        assertThat(model.send(0, packet(Opcode.SEND_ONLY, 1, 7), 0, 64, 0)).isEqualTo(300);
        assertThat(model.send(1_000, packet(Opcode.SEND_ONLY, 1, 7), 0, 64, 0)).isEqualTo(1_000);
        model.receive(2_000, acknowledge(1, 7), 0, 24, 0);
        assertThat(model.send(3_000, packet(Opcode.SEND_ONLY, 1, 7), 0, 64, 0)).isEqualTo(3_000);
        assertThat(model.completionWrites()).isEqualTo(1);
    }

    @Test
    void aReadCompletesWithItsLastResponse() {
        NicModel model = new NicModel().wqes(4, 300).completion(10);
        model.post(1, true, 1024, true);
        model.post(1, true, 1024, true);
        model.ring(1);
        packet(Opcode.READ_REQUEST, 1, 5);
        RethFlyweight.encode(b, Opcode.READ_REQUEST.rethOffset(), 0, 9, 3_000); // PSNs 5, 6 and 7
        model.send(0, b, 0, 48, 0);
        model.send(0, packet(Opcode.WRITE_ONLY, 1, 8), 0, 64, 0);
        assertThat(model.receive(0, packet(Opcode.READ_RESPONSE_FIRST, 1, 5), 0, 1048, 0))
                .isZero();
        assertThat(model.receive(0, packet(Opcode.READ_RESPONSE_MIDDLE, 1, 6), 0, 1040, 0))
                .isZero();
        assertThat(model.receive(0, packet(Opcode.READ_RESPONSE_LAST, 1, 7), 0, 1000, 0))
                .isEqualTo(10);
        assertThat(model.receive(100, acknowledge(1, 8), 0, 24, 0)).isEqualTo(110);
        assertThat(model.completionWrites()).isEqualTo(2);
    }

    @Test
    void aRefusedRequestIsNotComplete() {
        NicModel model = new NicModel().wqes(4, 300).completion(10);
        for (int i = 0; i < 2; i++) {
            model.post(1, true, 1024, true);
            model.ring(1);
            model.send(0, packet(Opcode.SEND_ONLY, 1, i), 0, 64, 0);
        }
        packet(Opcode.ACKNOWLEDGE, 1, 1);
        AethFlyweight.encode(b, Opcode.ACKNOWLEDGE.aethOffset(), AethSyndrome.rnrNak(1), 0);
        assertThat(model.receive(0, b, 0, 24, 0)).isEqualTo(10);
        assertThat(model.receive(500, acknowledge(1, 1), 0, 24, 0)).isEqualTo(510);
    }

    @Test
    void anUnreliableRequestCompletesWhenItIsSent() {
        NicModel model = new NicModel().wqes(4, 300).completion(10);
        model.post(1, false, 1024, true);
        model.ring(1);
        assertThat(model.send(0, packet(Opcode.SEND_FIRST, 1, 0), 0, 1040, 0)).isZero();
        assertThat(model.send(0, packet(Opcode.SEND_LAST, 1, 1), 0, 100, 0)).isEqualTo(10);
    }

    @Test
    void receivesWriteCompletionsAndWhatHasNoneSavesPcie() {
        // 64 bytes at 5.12 Gb/s take 100 ns.
        NicModel model = new NicModel().completion(1).pcie(5_120_000_000L);
        assertThat(model.receive(0, packet(Opcode.SEND_ONLY, 1), 0, 64, 0)).isEqualTo(201);
        assertThat(model.receive(1_000, packet(Opcode.WRITE_ONLY, 1), 0, 64, 0)).isEqualTo(1_100);
        assertThat(model.completionWrites()).isEqualTo(1);
    }

    @Test
    void whatLeavesACacheMakesRoom() {
        for (Replacement replacement : Replacement.values()) {
            SimRandom random = new SimRandom(8);
            NicCache cache = new NicCache(6, replacement);
            Set<Long> model = new LinkedHashSet<>();
            for (int i = 0; i < 5_000; i++) {
                long key = random.nextInt(40);
                if (model.contains(key) || model.size() == 6) {
                    long out = model.contains(key) ? key : model.iterator().next();
                    assertThat(cache.take(out)).isTrue();
                    assertThat(cache.take(out)).isFalse();
                    model.remove(out);
                } else {
                    cache.put(key);
                    model.add(key);
                }
            }
        }
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new NicModel().port(-1)).hasMessageContaining("port rate -1");
        assertThatThrownBy(() -> new NicModel().atomic(-2)).hasMessageContaining("atomic -2");
        NicModel model = new NicModel();
        assertThatThrownBy(() -> model.contexts(0, 1)).hasMessageContaining("contexts 0 < 1");
        assertThatThrownBy(() -> model.packet(-1)).hasMessageContaining("-1");
    }

    private UnsafeBuffer packet(Opcode opcode, int qp) {
        BthFlyweight.encode(b, 0, opcode.code(), 0, qp, 0, qp);
        return b;
    }

    private UnsafeBuffer packet(Opcode opcode, int qp, int psn) {
        BthFlyweight.encode(b, 0, opcode.code(), 0, qp, psn, qp);
        return b;
    }

    private UnsafeBuffer acknowledge(int qp, int psn) {
        packet(Opcode.ACKNOWLEDGE, qp, psn);
        AethFlyweight.encode(b, Opcode.ACKNOWLEDGE.aethOffset(), AethSyndrome.ACK, 0);
        return b;
    }

    private UnsafeBuffer request(long remoteOffset, int length) {
        packet(Opcode.READ_REQUEST, 1);
        RethFlyweight.encode(b, Opcode.READ_REQUEST.rethOffset(), remoteOffset, 9, length);
        return b;
    }
}
