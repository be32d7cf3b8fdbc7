package io.verbena.bench.suite;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One operation of a verb at a time, both NICs in the measuring thread. What counts is not the time but what JMH's gc
 * profiler says of it, {@code gc.alloc.rate.norm}: bytes that an operation allocates in steady state.
 *
 * <pre>
 *   ./verbena bench jmh VerbAllocation -prof gc
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "-Djmh.executor=CUSTOM",
            "-Djmh.executor.class=io.verbena.bench.suite.SocketThreads",
            "-Dio.netty.leakDetection.level=disabled"
        })
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class VerbAllocation {
    /** What lies between the NICs. */
    @Param({"LOCAL_DIRECT", "LOCAL_PACKETS", "SHM", "UDS", "TCP", "SIMULATED"})
    public VerbPair.Medium medium = VerbPair.Medium.LOCAL_DIRECT;

    /** What an operation does. */
    @Param({"SEND", "WRITE", "WRITE_IMMEDIATE", "READ", "FETCH_ADD", "COMPARE_SWAP", "APPEND"})
    public VerbPair.Verb verb = VerbPair.Verb.SEND;

    /** Bytes of a message: one packet, or several. */
    @Param("3000")
    public int bytes;

    @SuppressWarnings("NullAway.Init") // by setup
    private VerbPair pair;

    /** Opens the NICs; by the thread that measures, which owns the sockets. */
    @Setup
    public void open() {
        pair = new VerbPair(medium, bytes);
    }

    /** Closes them. */
    @TearDown
    public void close() {
        pair.close();
    }

    /** One operation. */
    @Benchmark
    public int operate() {
        pair.operate(verb);
        return pair.operations();
    }
}
