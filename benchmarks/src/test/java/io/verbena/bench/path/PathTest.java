package io.verbena.bench.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.verbena.bench.BenchException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PathTest {
    @ParameterizedTest
    @EnumSource
    void messagesComeBack(PathKind kind) {
        assumeThat(Epoll.isAvailable() || !kind.name().startsWith("NETTY")).isTrue();
        try (FarThread far = new FarThread(kind, 32, true)) {
            PingPongMeter meter = new PingPongMeter(far.near(), far::check);
            for (int i = 0; i < 700; i++) {
                assertThat(meter.roundTrip()).isEqualTo(i);
            }
            assertThat(far.near().taken()).isEqualTo(700);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "VERBENA_(WRITE|READ)_.*")
    void streamsComeWholeAndInOrder(PathKind kind) {
        assertThat(kind.isStream()).isTrue();
        assumeThat(Epoll.isAvailable() || !kind.name().startsWith("NETTY")).isTrue();
        int count = 5_000;
        try (FarThread far = new FarThread(kind, 40, false)) {
            for (int i = 0; i < count; i++) {
                far.near().offerNow(i);
                if (i % 16 == 15) {
                    far.near().flush();
                }
            }
            far.near().flush();
            Deadline deadline = Deadline.ofSeconds(20, "all messages");
            while (far.taken() < count) {
                far.near().poll(16);
                far.check();
                deadline.run();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbena-append-local", "verbena-send-local", "aeron-ipc", "agrona-many-to-one"})
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
            Deadline deadline = Deadline.ofSeconds(20, "failure");
            assertThatThrownBy(() -> {
                        while (true) {
                            far.check();
                            deadline.run();
                        }
                    })
                    .isInstanceOf(BenchException.class)
                    .hasMessageContaining("message 1 was expected, 2 came");
            assertThatThrownBy(far::close).hasMessageContaining("message 1 was expected");
        } catch (BenchException again) {
            assertThat(again).hasMessageContaining("message 1 was expected");
        }
    }

    @Test
    void unknownPathsAndLengthsAreNamed() {
        assertThatThrownBy(() -> PathKind.of("aeron")).hasMessageContaining("unknown path 'aeron'");
        assertThatThrownBy(() -> PathKind.AERON_IPC.open(Rendezvous.pair()[0], true, 7))
                .hasMessage("length 7 < minimum 8");
    }
}
