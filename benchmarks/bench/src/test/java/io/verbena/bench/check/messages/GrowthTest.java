package io.verbena.bench.check.messages;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.check.messages.Resources.Kind;
import io.verbena.bench.trial.JavaProcess;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The judge of a soak: what it takes for growth, and what not. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class GrowthTest {
    private static final long MIB = 1 << 20;

    /** What is said after each minute of a run, one look a minute, until something is said or the minutes are over. */
    private static List<String> judge(Kind kind, int minutes, IntToLongFunction value) {
        Growth growth = new Growth();
        for (int minute = 1; minute <= minutes; minute++) {
            growth.look(new Resources(Map.of(kind, value.applyAsLong(minute))));
            growth.endMinute();
            List<String> grown = growth.grown();
            if (!grown.isEmpty()) {
                return grown;
            }
        }
        return List.of();
    }

    @Test
    void whatStandsAfterItsStartIsNoGrowth() {
        assertThat(judge(Kind.RESIDENT, 60, minute -> Math.min(minute, 5) * 60L * MIB))
                .isEmpty();
    }

    @Test
    void whatComesAndGoesIsNoGrowth() {
        SplittableRandom random = new SplittableRandom(5);
        assertThat(judge(Kind.RESIDENT, 60, minute -> (300 + random.nextInt(40)) * MIB))
                .isEmpty();
        assertThat(judge(Kind.DELETED, 60, minute -> random.nextInt(30))).isEmpty();
        assertThat(judge(Kind.DESCRIPTORS, 60, minute -> 40 + random.nextInt(12)))
                .isEmpty();
    }

    @Test
    void whatGrowsFastIsFoundAtOnce() {
        assertThat(judge(Kind.RESIDENT, 10, minute -> (200 + 50L * minute) * MIB))
                .singleElement()
                .asString()
                .isEqualTo("native MB: 450 at most in the first 5 minutes, 550 at least in the last 3");
        assertThat(judge(Kind.THREADS, 10, minute -> 40 + 5L * minute)).isNotEmpty();
    }

    @Test
    void whatGrowsSlowlyIsFoundInTheEnd() {
        SplittableRandom random = new SplittableRandom(6);
        assertThat(judge(Kind.RESIDENT, 60, minute -> (300 + minute + random.nextInt(6)) * MIB))
                .singleElement()
                .asString()
                .startsWith("native MB: ")
                .contains("at most in minutes 6 to ");
        assertThat(judge(Kind.HEAP, 60, minute -> 20 * MIB + minute * MIB / 4)).isNotEmpty();
        assertThat(judge(Kind.DESCRIPTORS, 60, minute -> 40 + minute / 2)).isNotEmpty();
    }

    @Test
    void itCannotBeToldBeforeTheEighthMinute() {
        assertThat(judge(Kind.RESIDENT, 7, minute -> (100 * MIB) << minute)).isEmpty();
    }

    /**
     * Blocks of several threads that lie between others that stay, freed: the C library keeps them, and they do not
     * count.
     */
    @Test
    void whatWasFreedDoesNotCount() {
        assertThat(grown(ResourcesProcess.FREED, Kind.RESIDENT))
                .as("MiB more than before, of 256 that came and went")
                .isLessThan(144);
    }

    /** How much of its heap a collector keeps is no growth, and no shrinking, of what is outside of it. */
    @Test
    void theHeapDoesNotCount() {
        Map<?, ?> grown = grown(ResourcesProcess.HEAP);
        assertThat(mebibytes(grown, Kind.HEAP)).as("MiB of the heap").isGreaterThan(100);
        assertThat(mebibytes(grown, Kind.RESIDENT))
                .as("MiB outside of the heap")
                .isBetween(-48L, 48L);
    }

    private static long grown(String what, Kind kind) {
        return mebibytes(grown(what), kind);
    }

    /** In a JVM of its own: what other tests have left changes nothing there. */
    private static Map<?, ?> grown(String what) {
        try (JavaProcess process = new JavaProcess(ResourcesProcess.class, List.of(what, "{}"))) {
            return process.result(Map.class, 50);
        }
    }

    private static long mebibytes(Map<?, ?> grown, Kind kind) {
        return ((Number) grown.get(kind.name())).longValue() / MIB;
    }
}
