package io.verbena.bench.cores;

import io.verbena.verification.RunException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The round trip of a cache line between two cores: the thread that asks, which is pinned to the near one, stores an
 * odd number with release, and a partner on the far core, which is parked between probes, the even number that follows.
 *
 * <p>Whoever else spins on the far core takes turns with the partner: that makes some batches long, and leaves the
 * median.
 */
public final class LineProbe implements AutoCloseable {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int AT = 16; // with two lines to itself on both sides: some processors fetch two at a time
    private static final int BATCH = 64;
    private static final int MAX_BATCHES = 1 << 14;
    private static final int LOOK = (1 << 12) - 1;
    private static final long SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final CorePair cores;
    private final long[] line = new long[2 * AT];
    private final long[] batches = new long[MAX_BATCHES];
    private final Thread partner = new Thread(this::answer, "line-probe");
    private long number;
    private volatile boolean probing;
    private volatile boolean closed;

    /** Starts the partner; without a pair there is none, and nothing to probe. */
    public LineProbe(CorePair cores) {
        this.cores = cores;
        partner.setDaemon(true);
        if (cores.isPinned()) {
            partner.start();
        }
    }

    /** Probes for 20 ms: the median of batches of {@value #BATCH} round trips, nanoseconds each; 0 without a pair. */
    public double nanos() {
        if (!cores.isPinned()) {
            return 0;
        }
        probing = true;
        LockSupport.unpark(partner);
        try {
            roundTrip(); // the partner is awake
            return median();
        } finally {
            probing = false;
        }
    }

    private double median() {
        int count = 0;
        long begin = System.nanoTime();
        long start = begin;
        while (start - begin < SPAN_NANOS && count < MAX_BATCHES) {
            for (int i = 0; i < BATCH; i++) {
                roundTrip();
            }
            long end = System.nanoTime();
            batches[count++] = end - start;
            start = end;
        }
        Arrays.sort(batches, 0, count);
        return (double) batches[count / 2] / BATCH;
    }

    private void roundTrip() {
        WORD.setRelease(line, AT, number + 1);
        long expected = number + 2;
        long limit = 0;
        for (int i = 1; (long) WORD.getAcquire(line, AT) != expected; i++) {
            Thread.onSpinWait();
            if ((i & LOOK) == 0) {
                limit = look(limit);
            }
        }
        number = expected;
    }

    private long look(long limit) {
        long now = System.nanoTime();
        if (limit != 0 && now - limit > 0) {
            throw new RunException("no answer from core " + cores.far() + " within 5 s");
        }
        return limit == 0 ? now + LIMIT_NANOS : limit;
    }

    /** The partner's. */
    private void answer() {
        cores.pinFar();
        while (!closed) {
            if (!probing) {
                LockSupport.park(this);
                continue;
            }
            long word = (long) WORD.getAcquire(line, AT);
            if ((word & 1) != 0) {
                WORD.setRelease(line, AT, word + 1);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(partner);
    }
}
