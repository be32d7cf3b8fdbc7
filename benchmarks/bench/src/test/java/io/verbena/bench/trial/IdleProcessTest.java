package io.verbena.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verification.RunException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class IdleProcessTest {
    @Test
    void readsWhatProcSays() {
        String stat = "4711 (a (strange) name) S 1 2 3 4 5 6 7 8 9 10 700 42 0 0 20 0 12 0 100 200 300";
        assertThat(IdleProcess.ticks(stat)).isEqualTo(742);
        assertThat(IdleProcess.proportionalSetSize(
                        List.of("55c0-7ffd ---p 00000000 00:00 0  [rollup]", "Pss:   24312 kB")))
                .isEqualTo(24312L << 10);
        assertThatThrownBy(() -> IdleProcess.proportionalSetSize(List.of("Rss: 1 kB")))
                .isInstanceOf(RunException.class);
    }

    @Test
    void anIdleProcessIsWatched() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/smaps_rollup")) && Files.isDirectory(Path.of("/dev/shm")));
        IdleProcess.Taken node = IdleProcess.measure(IdleProcess.NODE, 1);
        assertThat(node.residentBytes()).isGreaterThan(10 << 20);
        assertThat(node.processorShare()).isBetween(0.0, 4.0);
    }
}
