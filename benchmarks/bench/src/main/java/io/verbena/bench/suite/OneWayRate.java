package io.verbena.bench.suite;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Cores;
import io.verbena.bench.cores.IterationTag;
import io.verbena.bench.path.End;
import io.verbena.bench.path.FarThread;
import io.verbena.bench.path.PathKind;
import io.verbena.bench.path.WaitLimit;
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
 * Messages a microsecond (millions a second) from one thread to another, both spinning. A message counts when the path
 * has taken it; after each iteration everything must have come, in order. Both threads are pinned; each iteration says
 * in what state their cores were.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class OneWayRate {
    /** The path; {@link PathKind} lists them. */
    @Param({
        "verbena-append-local",
        "verbena-append-shm",
        "aeron-ipc",
        "agrona-one-to-one",
        "agrona-many-to-one",
        "verbena-send-shm",
        "verbena-append-uds",
        "netty-uds",
        "verbena-append-tcp",
        "netty-tcp",
    })
    public String path = "";

    /** Bytes of a message. */
    @Param("32")
    public int bytes;

    /** Messages a doorbell (Netty: a flush); Aeron and Agrona publish each message. */
    @Param({"1", "16"})
    public int batch;

    @SuppressWarnings("NullAway.Init") // by setup
    private FarThread far;

    @SuppressWarnings("NullAway.Init")
    private End near;

    @SuppressWarnings("NullAway.Init")
    private IterationTag tag;

    private long sent;
    private int pending;

    /** Opens the path. */
    @Setup
    public void open() {
        CorePair cores = CorePair.of(Cores.pinnable(), 1);
        far = new FarThread(PathKind.of(path), bytes, false, cores);
        tag = new IterationTag(cores, System.out);
        near = far.near();
    }

    /** Probes the cores. */
    @Setup(Level.Iteration)
    public void begin() {
        tag.begin();
    }

    /** One message. */
    @Benchmark
    public long offer() {
        near.offerNow(sent);
        if (++pending == batch) {
            pending = 0;
            near.flush();
        }
        return sent++;
    }

    /** Waits until everything has come, and probes the cores again. */
    @TearDown(Level.Iteration)
    public void drain() {
        near.flush();
        pending = 0;
        WaitLimit deadline = WaitLimit.ofSeconds(10, "all of " + sent + " messages");
        while (far.taken() != sent) {
            near.poll(64);
            far.check();
            deadline.run();
        }
        tag.end();
    }

    /** Closes the path. */
    @TearDown
    public void close() {
        tag.close();
        far.close();
    }
}
