package io.verbena.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.verbena.bench.suite.VerbPair.Medium;
import io.verbena.bench.suite.VerbPair.Verb;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The data path allocates nothing in steady state: both NICs run in the calling thread, whose allocation the JVM
 * counts. The tolerance is for the JVM's own odd byte: a single object an operation would be more than a hundred times
 * as much. A round in which a class is loaded, because something rare happened for the first time (a receiver that was
 * not ready), is followed by another one: classes are loaded once.
 */
@Timeout(180)
class AllocationTest {
    private static final int WARM_UP = 30_000;
    private static final int OPERATIONS = 100_000;
    private static final int MAX_ROUNDS = 3;
    private static final long TOLERANCE = OPERATIONS / 10;

    static Stream<Arguments> inProcess() {
        return Stream.of(Medium.LOCAL_DIRECT, Medium.LOCAL_PACKETS)
                .flatMap(medium -> Arrays.stream(Verb.values()).map(verb -> Arguments.of(medium, verb)));
    }

    @ParameterizedTest
    @MethodSource("inProcess")
    void anOperationAllocatesNothing(Medium medium, Verb verb) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (VerbPair pair = new VerbPair(medium, 3000)) {
            for (int i = 0; i < WARM_UP; i++) {
                pair.operate(verb);
            }
            long bytes = Long.MAX_VALUE;
            int rounds = 0;
            while (bytes >= TOLERANCE && rounds < MAX_ROUNDS) {
                long before =
                        threads.getThreadAllocatedBytes(Thread.currentThread().getId());
                for (int i = 0; i < OPERATIONS; i++) {
                    pair.operate(verb);
                }
                bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
                rounds++;
            }
            assertThat(bytes).as("bytes for %d operations", OPERATIONS).isLessThan(TOLERANCE);
            assertThat(pair.operations()).isEqualTo(WARM_UP + rounds * OPERATIONS);
        }
    }
}
