package io.verbena.bench.check.channels;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.check.channels.ChannelPlan.Feature;
import io.verbena.bench.check.channels.ChannelTally.Event;
import io.verbena.verification.walk.Ranges;
import io.verbena.verification.walk.Walks;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(600)
class SimulateChannelsTest {
    private static ChannelPlan plan(long seed, Set<Feature> off) {
        return new ChannelPlan(seed, ChannelPlan.STEPS, new BitSet(), off);
    }

    private static ChannelPlan plan(long seed) {
        return plan(seed, EnumSet.noneOf(Feature.class));
    }

    @Test
    void seedsPassAndEverythingHappens() {
        ChannelTally tally = new ChannelTally();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Walks<ChannelPlan> walks =
                new Walks<>(1, 120, 2, Long.MAX_VALUE, SimulateChannelsTest::plan, SimulateChannels.into(tally));
        walks.run(new PrintStream(said, true, StandardCharsets.UTF_8));
        assertThat(walks.failed())
                .as(said.toString(StandardCharsets.UTF_8))
                .extracting(ChannelPlan::replay)
                .isEmpty();
        assertThat(tally.count(Event.WALKS)).isEqualTo(120);
        assertThat(tally.missing()).isEmpty();
    }

    /** A late packet without a header was another channel's. */
    @Test
    void theSeedThatHasFoundAFaultPasses() {
        ChannelWalk walk = new ChannelWalk(plan(407), 16);
        walk.run();
        assertThat(walk.tally().count(Event.WALKS)).isOne();
    }

    @Test
    void aSeedDoesTheSameEachTime() {
        for (long seed = 1; seed <= 10; seed++) {
            long hash = hash(seed);
            hash(seed + 100);
            assertThat(hash(seed)).as("seed %d", seed).isEqualTo(hash);
        }
    }

    private static long hash(long seed) {
        ChannelWalk walk = new ChannelWalk(plan(seed), 16);
        walk.run();
        return walk.trace().hash();
    }

    @Test
    void theCommandSaysHowToRunASeedAgain() {
        ChannelPlan plan = new ChannelPlan(4711, 40, Ranges.parse("3,7-9"), EnumSet.of(Feature.LOSS, Feature.CRASHES));
        assertThat(plan.replay())
                .isEqualTo("verbena simulate channels --seed 4711 --steps 40 --without 3,7-9 --off loss,crashes");
        assertThat(new CommandLine(new SimulateChannels()).execute("--seeds", "0"))
                .isEqualTo(2);
        assertThat(new CommandLine(new SimulateChannels()).execute("--seeds", "3"))
                .isZero();
    }
}
