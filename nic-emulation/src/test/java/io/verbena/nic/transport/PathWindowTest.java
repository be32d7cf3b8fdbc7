package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.NIC_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.FlowGroup;
import org.junit.jupiter.api.Test;

/** How many bytes may be under way on a contended path, and how their rate and delay are measured. */
class PathWindowTest {
    private static final int MIN = PathWindow.MIN;
    private static final int DRAINED = 4 * 1024;
    private static final int PROBE = 8 * 1024;
    private static final long MILLI = 1_000_000;

    private final TransportPair pair = new TransportPair();
    private final PathWindow window = pair.a.path(NIC_B).window();
    private final FlowGroup one = new FlowGroup(1, 1, 1);
    private final FlowGroup two = new FlowGroup(2, 1, 1);
    private long delivered;
    private long given;

    private boolean binds(FlowGroup group) {
        return window.binds(group, pair.a);
    }

    private void contest() {
        binds(one);
        binds(two);
    }

    /** So many bytes are given to the path. */
    private void send(int bytes) {
        window.sent(bytes, pair.a);
        given += bytes;
    }

    private int room() {
        return window.room((int) (given - delivered), pair.now);
    }

    /** Lets one measurement of the delay pass that takes so long. */
    private void probe(long delay) {
        delivered = given;
        assertThat(room()).isEqualTo(PROBE);
        send(PROBE);
        pair.now += delay;
        assertThat(room()).isZero();
        delivered = given;
        assertThat(room()).isPositive();
    }

    @Test
    void whoIsAloneIsNotBound() {
        assertThat(binds(one)).isFalse();
        assertThat(binds(one)).isFalse();
        assertThat(window.isContended()).isFalse();
        assertThat(window.hasRoom(Integer.MAX_VALUE)).isTrue();
        assertThat(binds(two)).isTrue();
        assertThat(window.isContended()).isTrue();
    }

    @Test
    void firstMeasurementDrainsThePath() {
        contest();
        send(DRAINED + 1);
        assertThat(room()).isZero();
        assertThat(window.limit()).isEqualTo(DRAINED);
        assertThat(window.hasRoom(0)).isFalse();
        delivered = 1; // what is left may lie there
        assertThat(room()).isEqualTo(PROBE);
    }

    @Test
    void probeIsAFewPacketsAlone() {
        contest();
        assertThat(room()).isEqualTo(PROBE);
        send(5000);
        assertThat(room()).isEqualTo(PROBE - 5000);
        send(PROBE - 5000);
        assertThat(room()).isZero();
        pair.now += 30_000;
        delivered = given - DRAINED - 1;
        assertThat(room()).isZero();
        assertThat(window.leastDelay()).isZero();
        delivered++;
        assertThat(room()).isEqualTo(MIN - DRAINED);
        assertThat(window.leastDelay()).isEqualTo(30_000);
        assertThat(window.limit()).isEqualTo(MIN);
    }

    @Test
    void windowIsFullUntilHalfOfItIsFree() {
        contest();
        probe(1000);
        send(MIN - 1);
        assertThat(room()).isOne();
        assertThat(window.hasRoom(MIN - 1)).isTrue();
        assertThat(window.hasRoom(MIN)).isFalse();
        send(1);
        assertThat(room()).isZero();
        assertThat(window.limit()).isEqualTo(MIN / 2);
        delivered += MIN / 2;
        assertThat(room()).isZero();
        delivered++;
        assertThat(room()).isEqualTo(MIN / 2 + 1);
        assertThat(window.limit()).isEqualTo(MIN);
    }

    @Test
    void measurementsFollowQuicklyUntilThereAreEnough() {
        contest();
        for (int i = 0; i < PathWindow.PROBES; i++) {
            probe(1000);
            pair.now += (i < PathWindow.PROBES - 1 ? 20 * MILLI : PathWindow.PROBE_INTERVAL) - 1;
            assertThat(room()).isEqualTo(MIN);
            pair.now++;
        }
        assertThat(room()).isEqualTo(PROBE);
    }

    @Test
    void leastDelayIsOfTheLastMeasurements() {
        contest();
        long[] delays = {5000, 700, 6000, 8000, 9000, 5000, 5000, 5000, 4000};
        for (int i = 0; i < delays.length; i++) {
            probe(delays[i]);
            assertThat(window.leastDelay()).isEqualTo(i == 0 ? 5000 : 700);
            pair.now += PathWindow.PROBE_INTERVAL;
        }
        probe(4500);
        assertThat(window.leastDelay()).isEqualTo(4000);
    }

    @Test
    void measurementThatTakesTooLongIsGivenUp() {
        contest();
        send(100_000);
        assertThat(room()).isZero();
        pair.now += 200 * MILLI;
        assertThat(room()).isZero();
        assertThat(window.limit()).isEqualTo(DRAINED);
        pair.now++;
        assertThat(room()).isEqualTo(MIN - 100_000);
        pair.now += 20 * MILLI - 1;
        assertThat(room()).isEqualTo(MIN - 100_000);
        pair.now++;
        assertThat(room()).isZero();
    }

    @Test
    void windowIsTwiceRateTimesDelay() {
        contest();
        probe(MILLI); // 1 ms
        for (int i = 0; i < 3; i++) {
            pair.now += 2 * MILLI;
            send(1_000_000);
            delivered = given;
            room();
        }
        assertThat(window.window()).isEqualTo(1_000_000); // 2 * 500 B/us * 1 ms
        assertThat(window.toString()).isEqualTo("window of 1000000 bytes, contended, delay 1000000 ns");
    }

    @Test
    void windowHasALeastAndAMost() {
        contest();
        probe(MILLI);
        pair.now += 2 * MILLI;
        send(10);
        delivered = given;
        room();
        assertThat(window.window()).isEqualTo(MIN);
        pair.now += 2 * MILLI;
        send(1_000_000_000);
        delivered = given;
        room();
        assertThat(window.window()).isEqualTo(PathWindow.MAX);
    }

    @Test
    void greatestRateOfTheLastIntervalsCounts() {
        contest();
        probe(MILLI);
        pair.now += 2 * MILLI;
        room(); // an interval begins
        int[] bytes = {1_000_000, 3_000_000, 10, 10, 10, 10, 10, 10, 10};
        for (int i = 0; i < bytes.length; i++) {
            pair.now += 2 * MILLI;
            send(bytes[i]);
            delivered = given;
            room();
            assertThat(window.window()).isEqualTo(i == 0 ? 1_000_000 : 3_000_000);
        }
        pair.now += 2 * MILLI;
        room();
        assertThat(window.window()).isEqualTo(MIN);
    }

    @Test
    void rateIsMeasuredOverTwoDelaysOrTwoMilliseconds() {
        contest();
        probe(3 * MILLI); // and 6 ms for a rate
        send(1_000_000);
        delivered = given;
        pair.now += 6 * MILLI;
        room();
        int measured = window.window();
        pair.now += 6 * MILLI - 1;
        send(50_000_000);
        delivered = given;
        room();
        assertThat(window.window()).isEqualTo(measured);
        pair.now++;
        room();
        assertThat(window.window()).isGreaterThan(measured);
    }

    @Test
    void contentionThatComesAgainBeginsOpen() {
        contest();
        probe(1000);
        send(MIN);
        room();
        assertThat(window.limit()).isEqualTo(MIN / 2);
        send(Contention.CONTENDED_BYTES);
        pair.now += Contention.CONTENDED + 1;
        assertThat(binds(two)).isFalse();
        assertThat(binds(one)).isTrue();
        assertThat(window.limit()).isEqualTo(MIN);
    }

    @Test
    void anotherLinkIsMeasuredAnew() {
        contest();
        probe(MILLI);
        for (int i = 0; i < 2; i++) {
            pair.now += 2 * MILLI;
            send(1_000_000);
            delivered = given;
            room();
        }
        assertThat(window.window()).isGreaterThan(MIN);
        pair.a.path(NIC_B).attach(pair.ab);
        assertThat(window.window()).isEqualTo(MIN);
        assertThat(window.leastDelay()).isZero();
        assertThat(room()).isEqualTo(PROBE);
        assertThat(window.toString()).isEqualTo("window of 262144 bytes, contended, delay 0 ns");
    }

    @Test
    void textOfAPathThatNobodyContests() {
        assertThat(window.toString()).isEqualTo("window of 262144 bytes, delay 0 ns");
    }
}
