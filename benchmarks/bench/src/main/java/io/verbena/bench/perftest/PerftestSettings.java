package io.verbena.bench.perftest;

import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.LinkSecurity;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a test is run with. Both ends must have the same, except for the mode of the engine.
 *
 * @param kind the test
 * @param fabric what carries it
 * @param mode who runs the engine at this end
 * @param sizes message sizes in bytes, each at least 1
 * @param iterations messages (or round trips) a size, unless there is a duration
 * @param durationNanos how long each size is measured; 0: for its iterations
 * @param warmupNanos how long each size runs before it is measured; the first size five times as long
 * @param queuePairs queue pairs that share the traffic
 * @param txDepth requests outstanding on a queue pair
 * @param rxDepth receives posted on a queue pair
 * @param signalEvery requests per completion
 * @param postList requests a doorbell
 * @param inline most bytes that are sent inline
 * @param validate whether the data is looked at when it arrives
 * @param timeoutNanos how long a side waits for the other
 * @param security of links over sockets
 */
record PerftestSettings(
        TestKind kind,
        FabricKind fabric,
        EngineMode mode,
        List<Integer> sizes,
        int iterations,
        long durationNanos,
        long warmupNanos,
        int queuePairs,
        int txDepth,
        int rxDepth,
        int signalEvery,
        int postList,
        int inline,
        boolean validate,
        long timeoutNanos,
        LinkSecurity security) {

    static final int MAX_SIZE = 1 << 30;

    PerftestSettings {
        for (int size : sizes) {
            inRange("size", size, 1, MAX_SIZE);
        }
        inRange("iterations", iterations, 5, Integer.MAX_VALUE);
        inRange("queue pairs", queuePairs, 1, 1024);
        inRange("tx-depth", txDepth, 1, 32768);
        inRange("rx-depth", rxDepth, 1, 32768);
        inRange("post-list", postList, 1, txDepth);
        inRange("cq-mod", signalEvery, 1, txDepth);
        inRange("inline size", inline, 0, 4096);
        if (kind.isLatency() && queuePairs != 1) {
            throw new RunException(kind.commandName() + " runs on one queue pair, not on " + queuePairs);
        }
    }

    static long inRange(String name, long value, long minimum, long maximum) {
        if (value < minimum || value > maximum) {
            throw new RunException(name + " " + value + " outside " + minimum + ".." + maximum);
        }
        return value;
    }

    /** What both ends must have in common, as a message. */
    ControlLine agreement() {
        return new ControlLine("hello")
                .with("test", kind.commandName())
                .with("fabric", fabric.optionName())
                .with("sizes", sizes.stream().map(String::valueOf).collect(Collectors.joining(",")))
                .with("iterations", durationNanos > 0 ? 0 : iterations)
                .with("seconds", durationNanos / 1_000_000_000)
                .with("qps", queuePairs)
                .with("tx-depth", txDepth)
                .with("rx-depth", rxDepth)
                .with("validate", validate ? 1 : 0);
    }

    /** Of one size, whether it goes inline. */
    boolean isInline(int size) {
        return size <= inline && kind.verb() != TestKind.Verb.READ;
    }
}
