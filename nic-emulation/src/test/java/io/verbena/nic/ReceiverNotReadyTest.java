package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A receiver without receives is asked ever more seldom, for one message at a time, and misses nothing when it is
 * ready.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ReceiverNotReadyTest {
    private static final int MESSAGES = 64;
    private static final long MILLI = 1_000_000L;

    private final VerbsPair pair = new VerbsPair();

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void asksSeldomAndForOneMessage() {
        send();
        pair.simulation.runFor(1000 * MILLI);
        // Each 10 us and a round trip for 2 ms, then after 2, 4 and 8 ms more, and then 100 a second.
        assertThat(pair.a.nic.counter(NicCounter.RECEIVER_NOT_READY)).isBetween(150L, 320L);
        assertThat(pair.b.nic.counter(NicCounter.PACKETS_RECEIVED)).isLessThan(320 + MESSAGES);
    }

    @Test
    void findsTheReceiverReadyInTwiceTheTime() {
        send();
        pair.simulation.runFor(5 * MILLI);
        receive();
        pair.simulation.runFor(6 * MILLI);
        assertAllArrived();
    }

    @Test
    void losesNothingHoweverOftenItHasNone() {
        send();
        for (int i = 0; i < MESSAGES; i++) {
            pair.simulation.runFor(i % 3 * MILLI);
            pair.b.qp.postReceive(i, pair.b.region.key(), i * 8L, 8);
        }
        pair.until(() -> pair.a.wcs.size() == MESSAGES && pair.b.wcs.size() == MESSAGES);
        assertAllArrived();
    }

    @Test
    void aNumberOfTriesIsThatNumberAtTheReceiversPace() {
        QueuePair few = pair.a.newQueuePair();
        QueuePair other = pair.b.newQueuePair();
        ConnectAttributes attributes = new ConnectAttributes().rnrRetry(6).minRnrTimer(1);
        few.connect(pair.b.nic.id(), other.number(), attributes);
        other.connect(pair.a.nic.id(), few.number(), attributes);
        few.postSend(pair.a.request.send().local(pair.a.region.key(), 0, 8).wrId(1));
        pair.simulation.runFor(MILLI);
        assertThat(pair.a.statuses()).containsExactly(WcStatus.RNR_RETRY_EXC_ERR);
        assertThat(pair.a.nic.counter(NicCounter.RECEIVER_NOT_READY)).isEqualTo(7);
    }

    private void send() {
        for (int i = 0; i < MESSAGES; i++) {
            pair.a.region.buffer().putLong(i * 8, i);
            pair.a.qp.postSend(
                    pair.a.request.send().local(pair.a.region.key(), i * 8L, 8).wrId(i));
        }
    }

    private void receive() {
        for (int i = 0; i < MESSAGES; i++) {
            pair.b.qp.postReceive(i, pair.b.region.key(), i * 8L, 8);
        }
    }

    private void assertAllArrived() {
        List<Long> all = new ArrayList<>();
        for (long i = 0; i < MESSAGES; i++) {
            all.add(i);
            assertThat(pair.b.region.buffer().getLong((int) i * 8)).isEqualTo(i);
        }
        assertThat(pair.a.ids()).isEqualTo(all);
        assertThat(pair.b.ids()).isEqualTo(all);
        assertThat(pair.a.statuses()).containsOnly(WcStatus.SUCCESS);
    }
}
