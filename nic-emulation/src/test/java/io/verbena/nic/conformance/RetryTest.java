package io.verbena.nic.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.AsyncEventType;
import io.verbena.nic.NicCounter;
import io.verbena.nic.QpState;
import io.verbena.nic.WcStatus;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.Tamper.Verdict;
import io.verbena.nic.wire.AckTimeout;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.RnrTimer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Retries: how often, how long, and what then. Times are exact, because they are virtual. */
class RetryTest {
    private static final long MICRO = 1_000L;

    private Players p;

    @AfterEach
    void close() {
        p.close();
    }

    // ---- acknowledgement timeouts ------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({"0, 8", "1, 8", "3, 10", "7, 5"})
    void aPeerThatIsCutOffForGoodFailsAfterExactlyTheRetries(int retries, int timeout) {
        p = Players.connected(1, Players.attributes().retryCount(retries).timeout(timeout));
        int[] sent = new int[1];
        p.link.cut();
        p.link.a().tamper((buffer, offset, length) -> {
            sent[0]++;
            return Verdict.PASS;
        });
        long start = p.simulation.nowNanos();
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 10));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.RETRY_EXC_ERR);
        assertThat(sent[0]).isEqualTo(1 + retries);
        long budget = (1 + retries) * AckTimeout.nanos(timeout);
        assertThat(p.simulation.nowNanos() - start).isBetween(budget, budget + budget / 100 + 10 * MICRO);
        assertThat(p.a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(p.b.qp.state()).isEqualTo(QpState.RTS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void aPeerThatIsCutOffForLessThanTheRetriesIsReachedAgain(int retries) {
        p = Players.connected(1, Players.attributes().retryCount(retries).timeout(8));
        long budget = (1 + retries) * AckTimeout.nanos(8);
        for (int i = 0; i < 10; i++) {
            p.link.cut();
            p.simulation.after(budget - AckTimeout.nanos(8) - MICRO, p.link::heal);
            p.a.qp.postSend(p.a.request.fetchAdd(p.b.key(), 0, 1).local(p.a.key(), 0, 8));
            p.untilSent(i + 1);
        }
        assertThat(p.a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(p.b.region.buffer().getLong(0)).isEqualTo(10);
    }

    @Test
    void onlyTheWayBackIsCut() {
        p = Players.connected(1, Players.attributes().retryCount(7).timeout(8));
        p.link.cutBToA(true);
        p.simulation.after(5 * AckTimeout.nanos(8), () -> p.link.cutBToA(false));
        p.b.qp.postReceive(1, p.b.key(), 0, 100);
        p.a.fill(0, 100, 1);
        p.a.qp.postSend(p.a.request.send().local(p.a.key(), 0, 100));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(p.b.receives).hasSize(1);
        assertThat(p.b.nic.counter(NicCounter.DUPLICATE_REQUESTS)).isPositive();
        assertThat(p.link.b().counters().cut()).isPositive();
    }

    @Test
    void timeoutZeroIsForEver() {
        p = Players.connected(1, Players.attributes().retryCount(0).timeout(0));
        p.link.cut();
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 10));
        p.simulation.runFor(100 * Players.SECOND);
        assertThat(p.a.sends).isEmpty();
        assertThat(p.a.qp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void theRetriesStartAgainOnProgress() {
        p = Players.connected(1, Players.attributes().retryCount(2).timeout(8));
        // Of each packet the first two copies are lost: never three timeouts for one, many in all.
        int[] copies = new int[1];
        int[] psn = {-1};
        p.link.a().tamper((buffer, offset, length) -> {
            int present = BthFlyweight.psn(buffer, offset);
            if (present != psn[0]) {
                psn[0] = present;
                copies[0] = 0;
            }
            return ++copies[0] <= 2 ? Verdict.DROP : Verdict.PASS;
        });
        for (int i = 0; i < 20; i++) {
            p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 10));
            p.untilSent(i + 1);
        }
        assertThat(p.a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(p.a.nic.counter(NicCounter.RETRANSMISSIONS)).isGreaterThanOrEqualTo(40);
    }

    @Test
    void aMessageThatTakesLongerThanTheTimeoutIsNotSentTwice() {
        // 200 KB at 80 Mb/s take 20 ms; the timeout is 1 ms.
        LinkProfile slow = new LinkProfile().rate(80_000_000).delay(10 * MICRO);
        p = Players.connected(1, slow, Players.attributes().timeout(8).retryCount(3));
        p.a.fill(0, 200_000, 1);
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 200_000));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(p.b.holds(0, 200_000, 1)).isTrue();
        assertThat(p.link.a().counters().sentBytes()).isLessThan(210_000);
    }

    @Test
    void aReadThatTakesLongerThanTheTimeoutIsNotAskedForTwice() {
        LinkProfile slow = new LinkProfile().rate(80_000_000).delay(10 * MICRO);
        p = Players.connected(1, slow, Players.attributes().timeout(8).retryCount(3));
        p.b.fill(0, 200_000, 1);
        p.a.qp.postSend(p.a.request.read(p.b.key(), 0).local(p.a.key(), 0, 200_000));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(p.a.holds(0, 200_000, 1)).isTrue();
        assertThat(p.link.b().counters().sentBytes()).isLessThan(210_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aLongReadOverALossyLinkGetsThere(int seed) {
        // 250 packets and one in fifty is lost: whoever starts from the beginning each time never ends.
        p = Players.connected(seed, Players.attributes());
        p.link.b().profile().loss(0.02);
        p.b.fill(0, 250_000, 1);
        p.a.qp.postSend(p.a.request.read(p.b.key(), 0).local(p.a.key(), 0, 250_000));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(p.a.holds(0, 250_000, 1)).isTrue();
        assertThat(p.link.b().counters().lost()).isPositive();
        assertThat(p.link.b().counters().sentBytes()).isLessThan(2_000_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aLongWriteOverALossyLinkGetsThere(int seed) {
        p = Players.connected(seed, Players.attributes());
        p.link.a().profile().loss(0.02);
        p.a.fill(0, 250_000, 1);
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 250_000));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(p.b.holds(0, 250_000, 1)).isTrue();
        assertThat(p.link.a().counters().lost()).isPositive();
        assertThat(p.link.a().counters().sentBytes()).isLessThan(2_000_000);
    }

    @Test
    void aLostPacketIsAskedForAtOnce() {
        p = Players.connected(1, Players.attributes().timeout(20));
        int[] count = new int[1];
        p.link.a().tamper((buffer, offset, length) -> ++count[0] == 3 ? Verdict.DROP : Verdict.PASS);
        p.a.fill(0, 10_000, 1);
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 10_000));
        p.untilSent(1);
        assertThat(p.simulation.nowNanos())
                .as("long before the timeout of 4.3 s")
                .isLessThan(Players.MILLI);
        assertThat(p.b.holds(0, 10_000, 1)).isTrue();
        assertThat(p.b.nic.counter(NicCounter.OUT_OF_SEQUENCE)).isPositive();
    }

    // ---- receiver not ready ------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 5", "3, 12", "6, 20"})
    void aReceiverThatIsNeverReadyFailsAfterExactlyTheRnrRetries(int retries, int timer) {
        p = Players.connected(
                1, Players.attributes().rnrRetry(retries).minRnrTimer(timer).timeout(20));
        int[] sent = new int[1];
        p.link.a().tamper((buffer, offset, length) -> {
            sent[0]++;
            return Verdict.PASS;
        });
        long start = p.simulation.nowNanos();
        p.a.qp.postSend(p.a.request.send().wrId(1).local(p.a.key(), 0, 10));
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).wrId(2).local(p.a.key(), 0, 0));
        p.untilSent(2);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.RNR_RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
        long waited = retries * RnrTimer.nanos(timer);
        assertThat(p.simulation.nowNanos() - start).isBetween(waited, waited + (1 + retries) * (10 * MICRO));
        assertThat(p.a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(p.b.qp.state()).isEqualTo(QpState.RTS);
        assertThat(p.a.nic.counter(NicCounter.RECEIVER_NOT_READY)).isEqualTo(1 + retries);
    }

    @Test
    void rnrRetrySevenIsForEver() {
        p = Players.connected(1, Players.attributes().rnrRetry(7).minRnrTimer(10));
        p.a.fill(0, 3_000, 1);
        p.a.qp.postSend(p.a.request.send().local(p.a.key(), 0, 3_000));
        p.simulation.runFor(500 * Players.MILLI);
        assertThat(p.a.sends).isEmpty();
        p.b.qp.postReceive(1, p.b.key(), 0, 3_000);
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(p.b.holds(0, 3_000, 1)).isTrue();
        assertThat(p.b.receives).hasSize(1);
    }

    @Test
    void retryCountSevenIsSeven() {
        p = Players.connected(1, Players.attributes().retryCount(7).timeout(5));
        p.link.cut();
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 10));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.RETRY_EXC_ERR);
    }

    @Test
    void theRnrRetriesStartAgainOnProgress() {
        p = Players.connected(1, Players.attributes().rnrRetry(3).minRnrTimer(10));
        for (int i = 0; i < 20; i++) {
            p.a.qp.post(p.a.request.send().local(p.a.key(), 0, 100));
        }
        p.a.qp.doorbell();
        for (int i = 0; i < 20; i++) {
            p.simulation.after((i + 1L) * 2 * RnrTimer.nanos(10), () -> p.b.qp.postReceive(1, p.b.key(), 0, 100));
        }
        p.untilSent(20);
        assertThat(p.a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(p.a.nic.counter(NicCounter.RECEIVER_NOT_READY)).isGreaterThanOrEqualTo(20);
    }

    @Test
    void aDuplicateOfAnRnrNakCountsOnce() {
        p = Players.connected(1, Players.attributes().rnrRetry(2).minRnrTimer(10));
        p.link.b().tamper((buffer, offset, length) -> Verdict.DUPLICATE);
        p.a.qp.postSend(p.a.request.send().local(p.a.key(), 0, 100));
        p.simulation.after(RnrTimer.nanos(10) + RnrTimer.nanos(10) / 2, () -> p.b.qp.postReceive(1, p.b.key(), 0, 100));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
    }

    @Test
    void aLostRnrNakIsAnotherTimeout() {
        p = Players.connected(
                1, Players.attributes().rnrRetry(2).minRnrTimer(10).retryCount(3));
        int[] count = new int[1];
        p.link.b().tamper((buffer, offset, length) -> ++count[0] <= 2 ? Verdict.DROP : Verdict.PASS);
        p.a.qp.postSend(p.a.request.send().local(p.a.key(), 0, 100));
        p.simulation.after(
                2 * AckTimeout.nanos(5) + RnrTimer.nanos(10) + RnrTimer.nanos(10) / 2,
                () -> p.b.qp.postReceive(1, p.b.key(), 0, 100));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
    }

    @Test
    void writeWithImmediateWaitsForAReceiveToo() {
        p = Players.connected(1, Players.attributes().rnrRetry(7).minRnrTimer(5));
        p.a.fill(0, 5_000, 1);
        p.a.qp.postSend(p.a.request.writeImmediate(p.b.key(), 0, 3).local(p.a.key(), 0, 5_000));
        p.simulation.runFor(10 * Players.MILLI);
        assertThat(p.a.sends).isEmpty();
        p.b.qp.postReceive(1, 0, 0, 0);
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(p.b.receives).hasSize(1);
        assertThat(p.b.receives.get(0).byteLength()).isEqualTo(5_000);
        assertThat(p.b.holds(0, 5_000, 1)).isTrue();
    }

    @Test
    void anAppendQueueWithoutSpaceIsRnrAndNothingIsOverwritten() {
        p = Players.connected(1, Players.attributes().rnrRetry(2).minRnrTimer(5));
        p.b.newAppendQueue(new AppendQueueAttributes()
                .chunkLength(64 * 1024)
                .maxMessage(8_000)
                .reserveChunks(1)
                .memoryLimit(3 * 64 * 1024));
        p.b.polls = false;
        int posted = 0;
        while (p.a.sends.stream().allMatch(Wc::isSuccess)) {
            p.a.fill(0, 8_000, posted);
            p.a.qp.postSend(p.a.request
                    .append(p.b.appendQueue.id(), p.b.appendQueue.key())
                    .wrId(posted)
                    .local(p.a.key(), 0, 8_000));
            p.untilSent(++posted);
            assertThat(posted).isLessThan(100);
        }
        assertThat(p.a.sends.get(posted - 1).status()).isEqualTo(WcStatus.RNR_RETRY_EXC_ERR);
        p.b.polls = true;
        p.settle();
        assertThat(p.b.messages).hasSize(posted - 1).hasSizeGreaterThan(6);
        for (int i = 0; i < posted - 1; i++) {
            byte[] bytes = p.b.messages.get(i).bytes();
            for (int k = 0; k < bytes.length; k++) {
                assertThat(bytes[k]).isEqualTo(Player.pattern(i, k));
            }
        }
    }

    // ---- broken links ------------------------------------------------------------------------------------------

    @Test
    void aLinkThatComesBackWithinTheBudgetGoesOnWhereItWas() {
        p = Players.connected(
                1, new LinkProfile().rate(1_000_000_000L), Players.attributes().timeout(10));
        p.a.fill(0, 200_000, 1);
        p.b.fill(0, 200_000, 2);
        p.a.qp.post(p.a.request.write(p.b.key(), 200_000).wrId(1).local(p.a.key(), 0, 50_000));
        p.a.qp.post(p.a.request.fetchAdd(p.b.key(), 255_000, 1).wrId(2).local(p.a.key(), 255_000, 8));
        p.a.qp.post(p.a.request.read(p.b.key(), 0).wrId(3).local(p.a.key(), 0, 200_000));
        p.a.qp.doorbell();
        for (int i = 1; i <= 5; i++) {
            p.simulation.after(i * (600 * MICRO), p.link::breakLink);
            p.simulation.after(i * (600 * MICRO) + 100 * MICRO, p.link::reconnect);
        }
        p.untilSent(3);
        assertThat(p.a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(p.a.holds(0, 200_000, 2)).isTrue();
        assertThat(p.b.region.buffer().getLong(255_000)).isEqualTo(1);
        p.settle();
        assertThat(p.a.eventTypes()).contains(AsyncEventType.PORT_ERR, AsyncEventType.PORT_ACTIVE);
    }

    @Test
    void aLinkThatDoesNotComeBackFailsAfterTheBudget() {
        p = Players.connected(1, Players.attributes().timeout(10).retryCount(2));
        p.link.breakLink();
        p.settle();
        assertThat(p.a.qp.state()).as("nothing was to be sent").isEqualTo(QpState.RTS);
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).wrId(1).local(p.a.key(), 0, 10));
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).wrId(2).local(p.a.key(), 0, 10));
        long start = p.simulation.nowNanos();
        p.untilSent(2);
        assertThat(p.simulation.nowNanos() - start).isBetween(3 * AckTimeout.nanos(10), 4 * AckTimeout.nanos(10));
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void aDeadPeerFailsAtOnce() {
        p = Players.connected(1, Players.attributes().timeout(20));
        p.link.cutBToA(true);
        p.a.qp.postReceive(9, p.a.key(), 0, 10);
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).wrId(1).local(p.a.key(), 0, 10));
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).wrId(2).local(p.a.key(), 0, 10));
        p.simulation.runFor(100 * MICRO);
        p.simulation.participant("b").remove();
        p.link.killB();
        p.untilSent(2);
        assertThat(p.simulation.nowNanos()).isLessThan(Players.MILLI);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
        p.settle();
        assertThat(p.a.receives).extracting(Wc::status).containsExactly(WcStatus.WR_FLUSH_ERR);
        assertThat(p.a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(p.a.eventTypes()).contains(AsyncEventType.QP_FATAL);
    }

    @Test
    void aTimerDoesNotFireIntoADestroyedQueuePair() {
        p = Players.connected(1, Players.attributes().timeout(8).retryCount(1));
        p.link.cut();
        p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 10));
        p.simulation.runFor(100 * MICRO);
        p.a.qp.close();
        p.settle();
        assertThat(p.a.sends).isEmpty();
        p.a.qp.close();
    }

    @Test
    void aLongPauseOfThePeerIsRiddenOut() {
        p = Players.connected(1, Players.attributes().timeout(10).retryCount(7));
        p.simulation.participant("b").pauseFor(20 * Players.MILLI);
        p.a.qp.postSend(p.a.request.fetchAdd(p.b.key(), 0, 1).local(p.a.key(), 0, 8));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        p.settle();
        assertThat(p.b.region.buffer().getLong(0)).isEqualTo(1);
        assertThat(p.b.nic.counter(NicCounter.DUPLICATE_REQUESTS)).isPositive();
    }

    @Test
    void aPauseLongerThanTheBudgetIsAnErrorOnThisSideAlone() {
        p = Players.connected(1, Players.attributes().timeout(8).retryCount(1));
        p.simulation.participant("b").pauseFor(20 * Players.MILLI);
        p.a.qp.postSend(p.a.request.fetchAdd(p.b.key(), 0, 1).local(p.a.key(), 0, 8));
        p.untilSent(1);
        assertThat(p.a.sendStatuses()).containsExactly(WcStatus.RETRY_EXC_ERR);
        p.simulation.runFor(30 * Players.MILLI);
        assertThat(p.b.region.buffer().getLong(0)).as("at most once").isBetween(0L, 1L);
        assertThat(p.b.qp.state()).isEqualTo(QpState.RTS);
        assertThat(p.a.sends).hasSize(1);
    }

    @Test
    void acknowledgementsAreNotLostToAFullWindow() {
        // The way back carries the answers of a READ; its window is one packet.
        LinkProfile narrow = new LinkProfile().rate(100_000_000L).window(1);
        p = Players.connected(1, narrow, Players.attributes().timeout(14));
        p.b.fill(0, 50_000, 1);
        p.a.fill(100_000, 50_000, 2);
        p.a.qp.post(p.a.request.read(p.b.key(), 0).local(p.a.key(), 0, 50_000));
        for (int i = 0; i < 30; i++) {
            p.a.qp.post(p.a.request.write(p.b.key(), 100_000).local(p.a.key(), 100_000, 1_500));
        }
        p.a.qp.doorbell();
        p.untilSent(31);
        assertThat(p.a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(p.link.b().counters().sent()).isPositive();
        assertThat(p.a.nic.counter(NicCounter.RETRANSMISSIONS)).isZero();
    }
}
