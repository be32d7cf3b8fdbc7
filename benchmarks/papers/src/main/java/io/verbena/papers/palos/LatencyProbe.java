package io.verbena.papers.palos;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.Simulation;
import java.util.Arrays;

/**
 * A flow of small WRITEs one after the other, and how long each takes from the post until its bytes are in the peer's
 * memory, where an application that polls would see them. After each it rests for a random time, so that it meets other
 * traffic at all its phases.
 */
public final class LatencyProbe implements Actor {
    private static final int MAX_SAMPLES = 1 << 16;

    private final Simulation simulation;
    private final QueuePair qp;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final int targetOffset;
    private final int bytes;
    private final long restNanos;
    private final SimRandom random;
    private final SendRequest request = new SendRequest();
    private final long[] samples = new long[MAX_SAMPLES];
    private int count;
    private boolean recording;
    private long sequence;
    private long postedNanos;
    private boolean underWay;
    private long resumeNanos;

    /**
     * A probe that has not started.
     *
     * @param qp connected
     * @param source where messages come from
     * @param target where they go, at an offset that nobody else writes to
     * @param bytes of a message, at least 8
     * @param restNanos from one's arrival to the next, evenly from 0 to this
     */
    LatencyProbe(
            Simulation simulation,
            QueuePair qp,
            MemoryRegion source,
            MemoryRegion target,
            int targetOffset,
            int bytes,
            long restNanos) {
        this.simulation = simulation;
        this.qp = qp;
        this.source = source;
        this.target = target;
        this.targetOffset = targetOffset;
        this.bytes = bytes;
        this.restNanos = restNanos;
        random = simulation.newRandom();
    }

    /** Counts from now on. */
    public void record() {
        recording = true;
    }

    @Override
    public int step() {
        long now = simulation.nowNanos();
        if (underWay) {
            if (target.buffer().getLong(targetOffset) != sequence) {
                return 0;
            }
            underWay = false;
            if (recording && count < samples.length) {
                samples[count++] = now - postedNanos;
            }
            resumeNanos = now + random.nextLong(restNanos + 1);
            return 1;
        }
        if (now < resumeNanos || qp.outstanding() == qp.maxSend()) {
            return 0;
        }
        source.buffer().putLong(0, ++sequence);
        request.write(target.key(), targetOffset).local(source.key(), 0, bytes).signaled(false);
        if (qp.postSend(request) != PostResult.POSTED) {
            throw new IllegalStateException("no room with " + qp.outstanding() + " outstanding");
        }
        postedNanos = now;
        underWay = true;
        return 1;
    }

    @Override
    public long nextDeadlineNanos() {
        return underWay ? NO_DEADLINE : resumeNanos;
    }

    /** What was counted. */
    public Latency latency() {
        if (count == 0) {
            throw new IllegalStateException("no message arrived");
        }
        long[] sorted = Arrays.copyOf(samples, count);
        Arrays.sort(sorted);
        double sum = 0;
        for (long sample : sorted) {
            sum += sample;
        }
        return new Latency(count, sum / count, sorted[(int) (count * 99L / 100)], sorted[count - 1]);
    }

    /**
     * Latencies of small messages, in nanoseconds.
     *
     * @param samples how many
     * @param mean of all
     * @param p99 that one in a hundred reaches
     * @param most the longest
     */
    public record Latency(int samples, double mean, long p99, long most) {}
}
