package io.verbena.papers.drum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of a store: values that the agent cuts, and what the server's processor does. */
@Tag("computed") // the same on every JDK
@Timeout(120)
class StoreLoadTest {
    private static final double REQUESTS = 10e6;

    private static StoreLoad load(boolean twoSided, int bytes) {
        return new StoreLoad(twoSided, 12, List.of(new StoreLoad.Kind("PUT", 0, bytes, bytes)), 1_000);
    }

    /** With the request's own 32 bytes a value of 64 KiB goes as five pieces. */
    @ParameterizedTest
    @ValueSource(ints = {1, SharedNic.MULTIPLEXED})
    void aQueuePairHasRoomForThePiecesOfARequest(int multiplexed) {
        StoreLoad.Run run = load(true, 64 << 10).run(1, Way.DRUM, REQUESTS, multiplexed, 200_000, 400_000);
        assertThat(run.samples().size()).isGreaterThan(12);
    }

    @Test
    void hostsSendWhatTheServerGrants() {
        StoreLoad load = new StoreLoad(true, 60, List.of(new StoreLoad.Kind("GET", 100, 32, 32)), 1_000);
        StoreLoad.Run granted = load.run(1, Way.DRUM, REQUESTS, 1e6, SharedNic.MULTIPLEXED, 400_000, 400_000);
        assertThat(granted.steps()).isPositive();
        assertThat(granted.mops()).isBetween(0.8, 1.0);
        StoreLoad.Run enough = load.run(1, Way.DRUM, REQUESTS, SharedNic.MULTIPLEXED, 200_000, 200_000);
        assertThat(enough.mops()).isGreaterThan(2);
    }

    @Test
    void theServersThreadsAreBusyForAsLongAsTheyAnswer() {
        long nanos = 200_000;
        StoreLoad.Run answered = load(true, 32).run(1, Way.RAW, REQUESTS, 1, 100_000, nanos);
        double service = answered.samples().size() * (double) StoreServer.SERVICE_NANOS / (StoreServer.THREADS * nanos);
        assertThat(answered.busy()).isBetween(service, Math.min(1, 3 * service));
        assertThat(load(false, 32).run(1, Way.RAW, REQUESTS, 1, 100_000, nanos).busy())
                .isZero();
    }
}
