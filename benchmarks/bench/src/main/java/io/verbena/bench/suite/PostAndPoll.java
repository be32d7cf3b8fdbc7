package io.verbena.bench.suite;

import io.verbena.bench.path.OneThread;
import io.verbena.bench.path.PathKind;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What posting and polling cost one thread, nanoseconds a message: together, and each for {@value #BATCH} at a time.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PostAndPoll {
    private static final int BATCH = 64;

    /** A path with both ends in this thread. */
    @State(Scope.Benchmark)
    public static class Both {
        /** The path; {@link PathKind} lists them. */
        @Param({"verbena-append-local", "verbena-send-local", "aeron-ipc", "agrona-one-to-one", "agrona-many-to-one"})
        public String path = "";

        /** Bytes of a message. */
        @Param("32")
        public int bytes;

        @SuppressWarnings("NullAway.Init") // by setup
        OneThread ends;

        long sent;

        /** Opens the path. */
        @Setup
        public void open() {
            ends = new OneThread(PathKind.of(path), bytes);
        }

        /** Closes the path. */
        @TearDown
        public void close() {
            ends.close();
        }

        void post(int count) {
            ends.post(sent, count);
            sent += count;
        }

        void poll() {
            ends.poll(sent);
        }
    }

    /** Empty when an invocation begins. */
    @State(Scope.Benchmark)
    public static class Drained extends Both {
        /** Takes what the invocation has posted. */
        @TearDown(Level.Invocation)
        public void drain() {
            poll();
        }
    }

    /** Full when an invocation begins. */
    @State(Scope.Benchmark)
    public static class Filled extends Both {
        /** Posts what the invocation will take. */
        @Setup(Level.Invocation)
        public void fill() {
            post(BATCH);
        }
    }

    /** Posts a message and takes it. */
    @Benchmark
    public long postAndPoll(Both state) {
        state.post(1);
        state.poll();
        return state.sent;
    }

    /** Posts messages. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long post(Drained state) {
        state.post(BATCH);
        return state.sent;
    }

    /** Takes messages. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long poll(Filled state) {
        state.poll();
        return state.sent;
    }
}
