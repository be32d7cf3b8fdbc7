package io.verbena.bench.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.bench.path.PathSettings.Traffic;
import io.verbena.verification.RunException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PathTest {
    static Stream<PathKind> streams() {
        return Arrays.stream(PathKind.values()).filter(PathKind::isStream);
    }

    static Stream<PathKind> requests() {
        return Arrays.stream(PathKind.values()).filter(PathKind::isRequest);
    }

    static Stream<PathKind> ofManyProducers() {
        return streams().filter(kind -> kind.maxProducers() > 1);
    }

    private static void assumeAvailable(PathKind kind) {
        assumeThat(kind.unavailable()).as("why it is not there").isNull();
    }

    @ParameterizedTest
    @EnumSource
    void messagesComeBack(PathKind kind) {
        assumeAvailable(kind);
        try (FarThread far = new FarThread(kind, 32, true)) {
            PingPongMeter meter = new PingPongMeter(far.near(), far::check);
            for (int i = 0; i < 300; i++) {
                assertThat(meter.roundTrip()).isEqualTo(i);
            }
            assertThat(far.near().taken()).isEqualTo(300);
        }
    }

    @ParameterizedTest
    @MethodSource("streams")
    void streamsComeWholeAndInOrder(PathKind kind) {
        assumeAvailable(kind);
        stream(kind, PathSettings.ofLength(40).withBatch(16), 2_000);
    }

    @ParameterizedTest
    @MethodSource("streams")
    void longMessagesComeWholeAndInOrder(PathKind kind) {
        assumeAvailable(kind);
        stream(kind, PathSettings.ofLength(300_001).withDepth(4), 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbena-append-local", "verbena-send-shm", "verbena-send-srq-shm", "verbena-append-tcp"})
    void queuePairsTakeTurns(String name) {
        PathKind kind = PathKind.of(name);
        stream(kind, PathSettings.ofLength(32).withQueuePairs(20).withBatch(4), 2_000);
        stream(kind, PathSettings.ofLength(1024).withQueuePairs(20), 1_000);
    }

    private static void stream(PathKind kind, PathSettings shape, int count) {
        PathSettings settings = shape.withTraffic(Traffic.STREAM);
        try (FarThread far = new FarThread(kind, settings, false)) {
            for (int i = 0; i < count; i++) {
                far.near().offerNow(i);
                if ((i + 1) % settings.batch() == 0) {
                    far.near().flush();
                }
            }
            far.near().flush();
            await(far, count);
        }
    }

    private static void await(FarThread far, long count) {
        WaitLimit deadline = WaitLimit.ofSeconds(20, "all messages");
        while (far.taken() < count) {
            far.near().poll(16);
            far.check();
            deadline.run();
        }
        assertThat(far.taken()).isEqualTo(count);
    }

    @ParameterizedTest
    @MethodSource("ofManyProducers")
    void producersShareTheFarEnd(PathKind kind) {
        assumeAvailable(kind);
        int count = 500;
        int producers = 3;
        PathSettings settings =
                PathSettings.ofLength(40).withProducers(producers).withTraffic(Traffic.STREAM);
        try (FarThread far = new FarThread(kind, settings, false)) {
            far.near().produce((producer, index) -> {
                for (int i = 0; i < count; i++) {
                    producer.offerNow(i);
                    producer.flush();
                }
            });
            await(far, (long) producers * count);
        }
    }

    @ParameterizedTest
    @MethodSource("requests")
    void requestsInAWindowAreComplete(PathKind kind) {
        assumeAvailable(kind);
        window(kind, PathSettings.ofLength(64).withDepth(32).withBatch(4), 1_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "netty-framed-tcp",
                "netty-framed-tls-tcp",
                "netty-uds",
                "verbena-append-tcp",
                "verbena-append-tls-tcp",
                "verbena-write-tls-tcp",
                "aeron-ipc",
                "verbena-write-shm"
            })
    void streamsAnswerInAWindow(String name) {
        PathKind kind = PathKind.of(name);
        assumeAvailable(kind);
        window(kind, PathSettings.ofLength(64).withDepth(32).withBatch(4), 1_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbena-write-local", "verbena-read-shm", "verbena-write-tcp", "memcpy", "grpc-unary"})
    void longRequestsAreComplete(String name) {
        PathKind kind = PathKind.of(name);
        assumeAvailable(kind);
        window(kind, PathSettings.ofLength(300_001).withDepth(3), 20);
    }

    private static void window(PathKind kind, PathSettings shape, int count) {
        PathSettings settings = shape.withTraffic(Traffic.STREAM);
        try (FarThread far = new FarThread(kind, settings, true)) {
            End near = far.near();
            WaitLimit deadline = WaitLimit.ofSeconds(20, "all answers");
            long sent = 0;
            while (near.taken() < count) {
                while (sent < count && sent - near.taken() < settings.depth() && near.offer(sent)) {
                    sent++;
                }
                near.flush();
                near.poll(64);
                far.check();
                deadline.run();
            }
            assertThat(near.taken()).isEqualTo(count);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "verbena-append-local",
                "verbena-send-local",
                "verbena-send-srq-local",
                "aeron-ipc",
                "agrona-many-to-one"
            })
    void oneThreadServesBothEnds(String name) {
        try (OneThread ends = new OneThread(PathKind.of(name), 32)) {
            for (int i = 0; i < 20; i++) {
                ends.post(i * 64L, 64);
                ends.poll((i + 1) * 64L);
            }
        }
    }

    @Test
    void aNumberOutOfOrderEndsTheMeasurement() {
        try (FarThread far = new FarThread(PathKind.AGRONA_ONE_TO_ONE, 32, false)) {
            far.near().offerNow(0);
            far.near().offerNow(2);
            WaitLimit deadline = WaitLimit.ofSeconds(20, "failure");
            assertThatThrownBy(() -> {
                        while (true) {
                            far.check();
                            deadline.run();
                        }
                    })
                    .isInstanceOf(RunException.class)
                    .hasMessageContaining("message 1 was expected, 2 came");
            assertThatThrownBy(far::close).hasMessageContaining("message 1 was expected");
        } catch (RunException again) {
            assertThat(again).hasMessageContaining("message 1 was expected");
        }
    }

    @Test
    void whatAPathCannotDoIsNamed() {
        assertThatThrownBy(() -> PathKind.of("aeron")).hasMessageContaining("unknown path 'aeron'");
        assertThatThrownBy(() -> PathKind.AERON_IPC.open(Rendezvous.pair()[0], true, 7))
                .hasMessage("length 7 < minimum 8");
        PathSettings two = PathSettings.ofLength(32).withProducers(2);
        assertThatThrownBy(() -> PathKind.AERON_IPC.open(Rendezvous.pair()[0], true, two))
                .hasMessage("producers 2 > maximum 1 of aeron-ipc");
        PathSettings pairs = PathSettings.ofLength(32).withQueuePairs(2);
        assertThatThrownBy(() -> PathKind.NETTY_TCP.open(Rendezvous.pair()[0], true, pairs))
                .hasMessage("queuePairs 2 > maximum 1 of netty-tcp");
    }
}
