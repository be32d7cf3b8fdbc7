package io.verbena.bench.suite;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Cores;
import io.verbena.bench.cores.IterationTag;
import io.verbena.bench.path.FarThread;
import io.verbena.bench.path.PathKind;
import io.verbena.bench.path.PingPongMeter;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
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
 * A message to another thread and back, both spinning: median and percentiles of the full round trip. For READ: from
 * posting to the completion. Both threads are pinned; each iteration says in what state their cores were.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RoundTrip {
    /** The path; {@link PathKind} lists them. */
    @Param({
        "verbena-append-local",
        "verbena-append-shm",
        "aeron-ipc",
        "agrona-one-to-one",
        "agrona-many-to-one",
        "verbena-send-local",
        "verbena-send-shm",
        "verbena-write-local",
        "verbena-write-shm",
        "verbena-read-local",
        "verbena-read-shm",
        "verbena-append-uds",
        "verbena-send-uds",
        "verbena-write-uds",
        "verbena-read-uds",
        "netty-uds",
        "verbena-append-tcp",
        "verbena-send-tcp",
        "verbena-write-tcp",
        "verbena-read-tcp",
        "netty-tcp",
    })
    public String path = "";

    /** Bytes of a message. */
    @Param("32")
    public int bytes;

    @SuppressWarnings("NullAway.Init") // by setup
    private FarThread far;

    @SuppressWarnings("NullAway.Init")
    private PingPongMeter meter;

    @SuppressWarnings("NullAway.Init")
    private IterationTag tag;

    /** Opens the path. */
    @Setup
    public void open() {
        CorePair cores = CorePair.of(Cores.pinnable(), 1);
        far = new FarThread(PathKind.of(path), bytes, true, cores);
        tag = new IterationTag(cores, System.out);
        meter = new PingPongMeter(far.near(), far::check);
    }

    /** Probes the cores. */
    @Setup(Level.Iteration)
    public void begin() {
        tag.begin();
    }

    /** Probes them again. */
    @TearDown(Level.Iteration)
    public void end() {
        tag.end();
    }

    /** There and back. */
    @Benchmark
    public long roundTrip() {
        return meter.roundTrip();
    }

    /** Closes the path. */
    @TearDown
    public void close() {
        tag.close();
        far.close();
    }
}
