package io.verbena.papers.rdmabox;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.RegionStatistics;
import io.verbena.merge.MergeSettings;
import io.verbena.merge.Window;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.sim.Replacement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ways to a peer's memory for threads of the simulated host. */
@Timeout(60)
class RemoteAccessTest {
    private static final int MEMORY = 1 << 20;
    private static final int PAGE = 4096;

    @ParameterizedTest
    @EnumSource(Library.class)
    void allRecordsOfAFileAreMoved(Library library) {
        for (boolean reads : new boolean[] {false, true}) {
            BoxWorld world =
                    new BoxWorld(1, BoxWorld.card(BoxWorld.WQES, Replacement.LRU), 4 + library.pairs, 1, MEMORY);
            FileRun file = new FileRun(world, library.connect(world, 0, PAGE, Library.WINDOW, true), reads, PAGE, 400);
            for (int i = 0; i < 4; i++) {
                file.start("daemon " + i);
            }
            assertThat(file.run()).as("bytes a nanosecond").isBetween(0.01, 7.0); // 56 Gb/s
        }
    }

    /** While the one thread pays for what it has posted, what the others post waits for it, and merges. */
    @Test
    void whatComesWhileAThreadPaysMerges() {
        BoxWorld world = new BoxWorld(1, BoxWorld.card(BoxWorld.WQES, Replacement.LRU), 9, 1, MEMORY);
        MergeSettings settings = new MergeSettings(true, true, MEMORY, () -> Window.fixed(MEMORY));
        MergingPair pair = world.merging(0, 1, settings, 256, PAGE).get(0);
        world.cores.start("poller", BoxWorld.poller(world.cores, pair.completions(), Polling.adaptive(), 0, pair));
        FileRun file = new FileRun(world, List.of(pair), false, PAGE, 256);
        for (int i = 0; i < 8; i++) {
            file.start("daemon " + i);
        }
        file.run();
        world.simulation.runFor(100_000);
        RegionStatistics statistics = pair.statistics();
        assertThat(statistics.operations()).isEqualTo(256);
        assertThat(statistics.merged()).isPositive();
        assertThat(world.nic.wqes()).isEqualTo(statistics.workRequests()).isLessThan(256);
        assertThat(world.nic.mmios()).isEqualTo(statistics.doorbells());
        assertThat(statistics.bytesInFlight()).isZero();
    }

    @Test
    void aClockKeepsWhatIsUsed() {
        ResidentSet set = new ResidentSet(10, 4);
        set.use(0, true);
        set.use(1, false);
        assertThat(set.admit(9)).isEqualTo(-1); // in the place of 2, which was not used
        assertThat(set.has(2)).isFalse();
        assertThat(set.has(0)).isTrue();
        assertThat(set.admit(8)).isEqualTo(-1); // 3
        assertThat(set.admit(7)).as("written, and not used since").isEqualTo(0);
        assertThat(set.has(0)).isFalse();
        assertThat(set.has(7)).isTrue();
    }
}
