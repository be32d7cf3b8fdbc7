package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AckTimeout;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.RnrTimer;
import io.verbena.verification.conformance.Way.Fate;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Retries: how often, how long, and what then. Times are exact, because they are virtual. */
final class RetryTest extends ConformanceTest {

    // ---- acknowledgement timeouts ------------------------------------------------------------------------------

    @Proves({Row.ACK_TIMEOUT, Row.RETRY_EXC_ERR, Row.NOT_SEVEN_FOREVER})
    @ParameterizedTest
    @CsvSource({"0, 8", "1, 8", "3, 10", "7, 5"})
    void aPeerThatIsCutOffForGoodFailsAfterExactlyTheRetries(int retries, int timeout) {
        needsPackets();
        reconnect(attributes().retryCount(retries).timeout(timeout));
        int[] sent = new int[1];
        p.cut();
        p.toB.filter((buffer, offset, length) -> {
            sent[0]++;
            return Fate.PASS;
        });
        long start = p.now();
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 10));
        sendsEnd(WcStatus.RETRY_EXC_ERR);
        assertThat(sent[0]).isEqualTo(1 + retries);
        long budget = (1 + retries) * AckTimeout.nanos(timeout);
        assertThat(p.now() - start).isBetween(budget, budget + budget / 100 + 10 * MICRO);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.CUT_SHORTER)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void aPeerThatIsCutOffForLessThanTheRetriesIsReachedAgain(int retries) {
        needsPackets();
        reconnect(attributes().retryCount(retries).timeout(8));
        long budget = (1 + retries) * AckTimeout.nanos(8);
        for (int i = 0; i < 10; i++) {
            p.cut();
            p.after(budget - AckTimeout.nanos(8) - MICRO, p::heal);
            a.qp.postSend(a.request.fetchAdd(b.key(), 0, 1).local(a.key(), 0, 8));
            p.untilSent(i + 1);
        }
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(b.region.buffer().getLong(0)).isEqualTo(10);
    }

    @Proves(Row.LOST_ANSWER)
    @Test
    void onlyTheWayBackIsCut() {
        reconnect(attributes().retryCount(7).timeout(8));
        p.toA.cut(true);
        p.after(5 * AckTimeout.nanos(8), () -> p.toA.cut(false));
        b.qp.postReceive(1, b.key(), 0, 100);
        a.fill(0, 100, 1);
        a.qp.postSend(a.request.send().local(a.key(), 0, 100));
        sendsEnd(WcStatus.SUCCESS);
        assertThat(b.receives).hasSize(1);
        assertThat(b.nic.counter(NicCounter.DUPLICATE_REQUESTS)).isPositive();
        assertThat(p.toA.lost).isPositive();
    }

    @Proves(Row.TIMEOUT_ZERO)
    @Test
    void timeoutZeroIsForEver() {
        needsPackets();
        reconnect(attributes().retryCount(0).timeout(0));
        p.cut();
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 10));
        p.runFor(100 * Players.SECOND);
        assertThat(a.sends).isEmpty();
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.RETRIES_RESTART)
    @Test
    void theRetriesStartAgainOnProgress() {
        needsPackets();
        reconnect(attributes().retryCount(2).timeout(8));
        // Of each packet the first two copies are lost: never three timeouts for one, many in all.
        int[] copies = new int[1];
        int[] psn = {-1};
        p.toB.filter((buffer, offset, length) -> {
            int present = BthFlyweight.psn(buffer, offset);
            if (present != psn[0]) {
                psn[0] = present;
                copies[0] = 0;
            }
            return ++copies[0] <= 2 ? Fate.DROP : Fate.PASS;
        });
        for (int i = 0; i < 20; i++) {
            a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 10));
            p.untilSent(i + 1);
        }
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(a.nic.counter(NicCounter.RETRANSMISSIONS)).isGreaterThanOrEqualTo(40);
    }

    @Proves(Row.SLOW_MEDIUM)
    @Test
    void aMessageThatTakesLongerThanTheTimeoutIsNotSentTwice() {
        // 200 packets take 20 ms; the timeout is 2.1 ms.
        needsPackets();
        reconnect(attributes().timeout(9).retryCount(3));
        p.toB.pace(100 * MICRO);
        a.fill(0, 200_000, 1);
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 200_000));
        sendsEnd(WcStatus.SUCCESS);
        assertThat(b.holds(0, 200_000, 1)).isTrue();
        assertThat(p.toB.sentBytes).isLessThan(210_000);
    }

    @Proves(Row.SLOW_MEDIUM)
    @Test
    void aReadThatTakesLongerThanTheTimeoutIsNotAskedForTwice() {
        needsPackets();
        reconnect(attributes().timeout(9).retryCount(3));
        p.toA.pace(100 * MICRO);
        b.fill(0, 200_000, 1);
        a.qp.postSend(a.request.read(b.key(), 0).local(a.key(), 0, 200_000));
        sendsEnd(WcStatus.SUCCESS);
        assertThat(a.holds(0, 200_000, 1)).isTrue();
        assertThat(p.toA.sentBytes).isLessThan(210_000);
    }

    @Proves(Row.LOST_ANSWER)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aLongReadOverALossyLinkGetsThere(int seed) {
        needsPackets();
        // 250 packets and one in fifty is lost: whoever starts from the beginning each time never ends.
        reconnect(attributes());
        lossy(p.toA, seed);
        b.fill(0, 250_000, 1);
        a.qp.postSend(a.request.read(b.key(), 0).local(a.key(), 0, 250_000));
        sendsEnd(WcStatus.SUCCESS);
        assertThat(a.holds(0, 250_000, 1)).isTrue();
        assertThat(p.toA.lost).isPositive();
        assertThat(p.toA.sentBytes).isLessThan(2_000_000);
    }

    @Proves(Row.LOST_REQUEST)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aLongWriteOverALossyLinkGetsThere(int seed) {
        needsPackets();
        reconnect(attributes());
        lossy(p.toB, seed);
        a.fill(0, 250_000, 1);
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 250_000));
        sendsEnd(WcStatus.SUCCESS);
        assertThat(b.holds(0, 250_000, 1)).isTrue();
        assertThat(p.toB.lost).isPositive();
        assertThat(p.toB.sentBytes).isLessThan(2_000_000);
    }

    @Proves(Row.LOST_REQUEST)
    @Test
    void aLostPacketIsAskedForAtOnce() {
        needsPackets();
        reconnect(attributes().timeout(20));
        int[] count = new int[1];
        p.toB.filter((buffer, offset, length) -> ++count[0] == 3 ? Fate.DROP : Fate.PASS);
        a.fill(0, 10_000, 1);
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 10_000));
        p.untilSent(1);
        assertThat(p.now()).as("long before the timeout of 4.3 s").isLessThan(MILLI);
        assertThat(b.holds(0, 10_000, 1)).isTrue();
        assertThat(b.nic.counter(NicCounter.OUT_OF_SEQUENCE)).isPositive();
    }

    // ---- receiver not ready ------------------------------------------------------------------------------------

    @Proves({Row.RNR_DELAY, Row.RNR_RETRY_EXC_ERR})
    @ParameterizedTest
    @CsvSource({"0, 1", "1, 5", "3, 12", "6, 20"})
    void aReceiverThatIsNeverReadyFailsAfterExactlyTheRnrRetries(int retries, int timer) {
        reconnect(attributes().rnrRetry(retries).minRnrTimer(timer).timeout(20));
        int[] sent = new int[1];
        p.toB.filter((buffer, offset, length) -> {
            sent[0]++;
            return Fate.PASS;
        });
        long start = p.now();
        a.qp.postSend(a.request.send().wrId(1).local(a.key(), 0, 10));
        a.qp.postSend(a.request.write(b.key(), 0).wrId(2).local(a.key(), 0, 0));
        sendsEnd(WcStatus.RNR_RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
        long waited = retries * RnrTimer.nanos(timer);
        assertThat(p.now() - start).isBetween(waited, waited + (1 + retries) * (10 * MICRO));
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        assertThat(a.nic.counter(NicCounter.RECEIVER_NOT_READY)).isEqualTo(1 + retries);
    }

    @Proves(Row.RNR_FOREVER)
    @Test
    void rnrRetrySevenIsForEver() {
        reconnect(attributes().rnrRetry(7).minRnrTimer(10));
        a.fill(0, 3_000, 1);
        a.qp.postSend(a.request.send().local(a.key(), 0, 3_000));
        p.runFor(500 * MILLI);
        assertThat(a.sends).isEmpty();
        b.qp.postReceive(1, b.key(), 0, 3_000);
        sendsEnd(WcStatus.SUCCESS);
        assertThat(b.holds(0, 3_000, 1)).isTrue();
        assertThat(b.receives).hasSize(1);
    }

    @Proves(Row.NOT_SEVEN_FOREVER)
    @Test
    void retryCountSevenIsSeven() {
        needsPackets();
        reconnect(attributes().retryCount(7).timeout(5));
        p.cut();
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 10));
        sendsEnd(WcStatus.RETRY_EXC_ERR);
    }

    @Proves(Row.RETRIES_RESTART)
    @Test
    void theRnrRetriesStartAgainOnProgress() {
        reconnect(attributes().rnrRetry(3).minRnrTimer(10));
        for (int i = 0; i < 20; i++) {
            a.qp.post(a.request.send().local(a.key(), 0, 100));
        }
        a.qp.doorbell();
        for (int i = 0; i < 20; i++) {
            p.after((i + 1L) * 2 * RnrTimer.nanos(10), () -> b.qp.postReceive(1, b.key(), 0, 100));
        }
        p.untilSent(20);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(a.nic.counter(NicCounter.RECEIVER_NOT_READY)).isGreaterThanOrEqualTo(20);
    }

    @Proves(Row.RNR_DELAY)
    @Test
    void aDuplicateOfAnRnrNakCountsOnce() {
        reconnect(attributes().rnrRetry(2).minRnrTimer(10));
        p.toA.filter((buffer, offset, length) -> Fate.TWICE);
        a.qp.postSend(a.request.send().local(a.key(), 0, 100));
        p.after(RnrTimer.nanos(10) + RnrTimer.nanos(10) / 2, () -> b.qp.postReceive(1, b.key(), 0, 100));
        sendsEnd(WcStatus.SUCCESS);
    }

    @Proves(Row.RNR_DELAY)
    @Test
    void aLostRnrNakIsAnotherTimeout() {
        reconnect(attributes().rnrRetry(2).minRnrTimer(10).retryCount(3));
        int[] count = new int[1];
        p.toA.filter((buffer, offset, length) -> ++count[0] <= 2 ? Fate.DROP : Fate.PASS);
        a.qp.postSend(a.request.send().local(a.key(), 0, 100));
        p.after(
                2 * AckTimeout.nanos(5) + RnrTimer.nanos(10) + RnrTimer.nanos(10) / 2,
                () -> b.qp.postReceive(1, b.key(), 0, 100));
        sendsEnd(WcStatus.SUCCESS);
    }

    @Proves({Row.RNR_FOREVER, Row.RC_WRITE_IMMEDIATE})
    @Test
    void writeWithImmediateWaitsForAReceiveToo() {
        reconnect(attributes().rnrRetry(7).minRnrTimer(5));
        a.fill(0, 5_000, 1);
        a.qp.postSend(a.request.writeImmediate(b.key(), 0, 3).local(a.key(), 0, 5_000));
        p.runFor(10 * MILLI);
        assertThat(a.sends).isEmpty();
        b.qp.postReceive(1, 0, 0, 0);
        sendsEnd(WcStatus.SUCCESS);
        assertThat(b.receives).hasSize(1);
        assertThat(b.receives.get(0).byteLength()).isEqualTo(5_000);
        assertThat(b.holds(0, 5_000, 1)).isTrue();
    }

    @Proves({Row.AQ_FULL, Row.RNR_RETRY_EXC_ERR})
    @Test
    void anAppendQueueWithoutSpaceIsRnrAndNothingIsOverwritten() {
        reconnect(attributes().rnrRetry(2).minRnrTimer(5));
        AppendQueue queue = b.newAppendQueue(new AppendQueueAttributes()
                .chunkLength(64 * 1024)
                .maxMessage(8_000)
                .reserveChunks(1)
                .memoryLimit(3 * 64 * 1024));
        b.polls = false;
        int posted = 0;
        while (a.sends.stream().allMatch(Wc::isSuccess)) {
            a.fill(0, 8_000, posted);
            a.qp.postSend(a.request.append(queue.id(), queue.key()).wrId(posted).local(a.key(), 0, 8_000));
            p.untilSent(++posted);
            assertThat(posted).isLessThan(100);
        }
        assertThat(a.sends.get(posted - 1).status()).isEqualTo(WcStatus.RNR_RETRY_EXC_ERR);
        b.polls = true;
        p.settle();
        assertThat(b.messages).hasSize(posted - 1).hasSizeGreaterThan(6);
        for (int i = 0; i < posted - 1; i++) {
            byte[] bytes = b.messages.get(i).bytes();
            for (int k = 0; k < bytes.length; k++) {
                assertThat(bytes[k]).isEqualTo(TestNic.pattern(i, k));
            }
        }
    }

    // ---- broken links ------------------------------------------------------------------------------------------

    @Proves({Row.LINK_RESUMES, Row.EV_PORT_ACTIVE, Row.EV_PORT_ERR})
    @Test
    void aLinkThatComesBackWithinTheBudgetGoesOnWhereItWas() {
        needsPackets();
        needsLinksThatBreak();
        reconnect(attributes().timeout(10));
        p.toB.pace(10 * MICRO);
        p.toA.pace(10 * MICRO);
        a.fill(0, 200_000, 1);
        b.fill(0, 200_000, 2);
        a.qp.post(a.request.write(b.key(), 200_000).wrId(1).local(a.key(), 0, 50_000));
        a.qp.post(a.request.fetchAdd(b.key(), 255_000, 1).wrId(2).local(a.key(), 255_000, 8));
        a.qp.post(a.request.read(b.key(), 0).wrId(3).local(a.key(), 0, 200_000));
        a.qp.doorbell();
        for (int i = 1; i <= 5; i++) {
            p.runFor(300 * MICRO);
            p.breakLink();
            p.runFor(100 * MICRO);
            p.reconnect();
        }
        assertThat(a.sends).as("more is to come after the last break").hasSizeLessThan(3);
        p.untilSent(3);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(a.holds(0, 200_000, 2)).isTrue();
        assertThat(b.region.buffer().getLong(255_000)).isEqualTo(1);
        p.settle();
        assertThat(a.eventTypes()).contains(AsyncEventType.PORT_ERR, AsyncEventType.PORT_ACTIVE);
    }

    @Proves(Row.LINK_GONE)
    @Test
    void aLinkThatDoesNotComeBackFailsAfterTheBudget() {
        needsLinksThatBreak();
        reconnect(attributes().timeout(10).retryCount(2));
        p.breakLink();
        p.settle();
        assertThat(a.qp.state()).as("nothing was to be sent").isEqualTo(QpState.RTS);
        a.qp.postSend(a.request.write(b.key(), 0).wrId(1).local(a.key(), 0, 10));
        a.qp.postSend(a.request.write(b.key(), 0).wrId(2).local(a.key(), 0, 10));
        long start = p.now();
        p.untilSent(2);
        assertThat(p.now() - start).isBetween(3 * AckTimeout.nanos(10), 4 * AckTimeout.nanos(10));
        assertThat(a.sendStatuses()).containsExactly(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
    }

    @Proves({Row.DEAD_PEER, Row.EV_QP_FATAL})
    @Test
    void aDeadPeerFailsAtOnce() {
        Assumptions.assumeFalse(
                fabric.isSocket(), "a socket that ends does not say whether the peer's process has; retries decide");
        reconnect(attributes().timeout(20));
        p.toA.cut(true);
        a.qp.postReceive(9, a.key(), 0, 10);
        a.qp.postSend(a.request.send().wrId(1).local(a.key(), 0, 10));
        a.qp.postSend(a.request.write(b.key(), 0).wrId(2).local(a.key(), 0, 10));
        p.runFor(100 * MICRO);
        p.killB();
        p.untilSent(2);
        assertThat(p.now()).isLessThan(MILLI);
        assertThat(a.sendStatuses()).containsExactly(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
        p.settle();
        assertThat(a.receives).extracting(Wc::status).containsExactly(WcStatus.WR_FLUSH_ERR);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(a.eventTypes()).contains(AsyncEventType.QP_FATAL);
    }

    @Proves(Row.NOT_INTO_DESTROYED)
    @Test
    void aTimerDoesNotFireIntoADestroyedQueuePair() {
        needsPackets();
        reconnect(attributes().timeout(8).retryCount(1));
        p.cut();
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 10));
        p.runFor(100 * MICRO);
        assertThat(a.nic.engine(0).nextDeadlineNanos()).isNotEqualTo(Long.MAX_VALUE);
        a.qp.close();
        assertThat(a.nic.engine(0).nextDeadlineNanos())
                .as("its timer went with it")
                .isEqualTo(Long.MAX_VALUE);
        p.settle();
        assertThat(a.sends).isEmpty();
        a.qp.close();
    }

    @Proves(Row.PAUSED_PEER)
    @Test
    void aLongPauseOfThePeerIsRiddenOut() {
        needsPackets();
        reconnect(attributes().timeout(10).retryCount(7));
        b.pauseFor(20 * MILLI);
        a.qp.postSend(a.request.fetchAdd(b.key(), 0, 1).local(a.key(), 0, 8));
        sendsEnd(WcStatus.SUCCESS);
        p.settle();
        assertThat(b.region.buffer().getLong(0)).isEqualTo(1);
        assertThat(b.nic.counter(NicCounter.DUPLICATE_REQUESTS)).isPositive();
    }

    @Proves({Row.PAUSED_PEER, Row.CUT_LONGER})
    @Test
    void aPauseLongerThanTheBudgetIsAnErrorOnThisSideAlone() {
        needsPackets();
        reconnect(attributes().timeout(8).retryCount(1));
        b.pauseFor(20 * MILLI);
        a.qp.postSend(a.request.fetchAdd(b.key(), 0, 1).local(a.key(), 0, 8));
        sendsEnd(WcStatus.RETRY_EXC_ERR);
        p.runFor(30 * MILLI);
        assertThat(b.region.buffer().getLong(0)).as("at most once").isBetween(0L, 1L);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        assertThat(a.sends).hasSize(1);
    }

    @Proves(Row.FULL_WINDOW)
    @Test
    void acknowledgementsAreNotLostToAFullWindow() {
        needsPackets();
        // The way back carries the answers of a READ; its window is one packet.
        reconnect(attributes().timeout(14));
        p.toB.window(1);
        p.toA.window(1);
        p.toA.delay(20 * MICRO);
        p.toB.delay(20 * MICRO);
        b.fill(0, 50_000, 1);
        a.fill(100_000, 50_000, 2);
        a.qp.post(a.request.read(b.key(), 0).local(a.key(), 0, 50_000));
        for (int i = 0; i < 30; i++) {
            a.qp.post(a.request.write(b.key(), 100_000).local(a.key(), 100_000, 1_500));
        }
        a.qp.doorbell();
        p.untilSent(31);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(p.toA.sent).isPositive();
        assertThat(a.nic.counter(NicCounter.RETRANSMISSIONS)).isZero();
    }

    /** Loses one packet in fifty, by a sequence of chance that the seed decides. */
    private static void lossy(Way way, int seed) {
        Random random = new Random(seed);
        way.filter((buffer, offset, length) -> random.nextInt(50) == 0 ? Fate.DROP : Fate.PASS);
    }
}
