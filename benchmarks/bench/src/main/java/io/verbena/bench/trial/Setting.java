package io.verbena.bench.trial;

import io.verbena.bench.path.End;
import io.verbena.bench.path.PathKind;
import io.verbena.bench.path.PathSettings;
import io.verbena.bench.path.Waiting;
import io.verbena.verification.RunException;

/**
 * Everything that says how a path is measured, but for how long.
 *
 * @param path its name
 * @param measure what is measured
 * @param bytes of a message
 * @param depth messages under way, {@link Measure#WINDOW} and one-sided streams
 * @param batch messages a doorbell, {@link Measure#STREAM} and {@link Measure#WINDOW}
 * @param threads whether both ends are threads of one process; else each has a process of its own
 * @param rate messages a second, {@link Measure#SCHEDULED}; else 0
 * @param waiting how both ends wait
 * @param busy processes that only burn a core meanwhile
 * @param queuePairs that share the messages
 * @param producers threads that send to one consumer
 */
public record Setting(
        String path,
        Measure measure,
        int bytes,
        int depth,
        int batch,
        boolean threads,
        long rate,
        Waiting waiting,
        int busy,
        int queuePairs,
        int producers) {
    private static final int MAX_BUSY = 64;
    private static final int STREAM_DEPTH = 512;

    /** Checks the ranges. */
    public Setting {
        RunException.requireRange("bytes", bytes, End.MIN_LENGTH, PathSettings.MAX_LENGTH);
        RunException.requireRange("depth", depth, 1, PathSettings.MAX_DEPTH);
        RunException.requireRange("batch", batch, 1, PathSettings.MAX_DEPTH);
        RunException.requireRange("busy", busy, 0, MAX_BUSY);
        RunException.requireRange("qps", queuePairs, 1, PathSettings.MAX_QUEUE_PAIRS);
        RunException.requireRange("producers", producers, 1, PathSettings.MAX_PRODUCERS);
        RunException.requireRange("rate", rate, measure == Measure.SCHEDULED ? 1 : 0, 1_000_000_000);
    }

    /** Of two processes, one message at a time and a doorbell each, both ends spinning a little and then yielding. */
    public static Setting of(String path, Measure measure, int bytes) {
        int depth = measure == Measure.STREAM || measure == Measure.SCHEDULED ? STREAM_DEPTH : 1;
        long rate = measure == Measure.SCHEDULED ? 1 : 0;
        return new Setting(path, measure, bytes, depth, 1, false, rate, Waiting.SPIN_THEN_YIELD, 0, 1, 1);
    }

    /** The same for another path. */
    public Setting withPath(String value) {
        return new Setting(value, measure, bytes, depth, batch, threads, rate, waiting, busy, queuePairs, producers);
    }

    /** The same with another size. */
    public Setting withBytes(int value) {
        return new Setting(path, measure, value, depth, batch, threads, rate, waiting, busy, queuePairs, producers);
    }

    /** The same with another depth. */
    public Setting withDepth(int value) {
        return new Setting(path, measure, bytes, value, batch, threads, rate, waiting, busy, queuePairs, producers);
    }

    /** The same with another batch. */
    public Setting withBatch(int value) {
        return new Setting(path, measure, bytes, depth, value, threads, rate, waiting, busy, queuePairs, producers);
    }

    /** The same in one process, or in two. */
    public Setting withThreads(boolean value) {
        return new Setting(path, measure, bytes, depth, batch, value, rate, waiting, busy, queuePairs, producers);
    }

    /** The same at another rate. */
    public Setting withRate(long value) {
        return new Setting(path, measure, bytes, depth, batch, threads, value, waiting, busy, queuePairs, producers);
    }

    /** The same with other waiting. */
    public Setting withWaiting(Waiting value) {
        return new Setting(path, measure, bytes, depth, batch, threads, rate, value, busy, queuePairs, producers);
    }

    /** The same with so many busy processes. */
    public Setting withBusy(int value) {
        return new Setting(path, measure, bytes, depth, batch, threads, rate, waiting, value, queuePairs, producers);
    }

    /** The same over so many queue pairs. */
    public Setting withQueuePairs(int value) {
        return new Setting(path, measure, bytes, depth, batch, threads, rate, waiting, busy, value, producers);
    }

    /** The same with so many producers. */
    public Setting withProducers(int value) {
        return new Setting(path, measure, bytes, depth, batch, threads, rate, waiting, busy, queuePairs, value);
    }

    /** How many times as long as a path in memory it warms up. */
    public int warmUpFactor() {
        return PathKind.find(path).map(PathKind::warmUpFactor).orElse(1);
    }

    /** What both ends are opened with. */
    PathSettings ofPath() {
        PathSettings.Traffic traffic =
                measure == Measure.ROUND_TRIP ? PathSettings.Traffic.ROUND_TRIP : PathSettings.Traffic.STREAM;
        return new PathSettings(bytes, traffic, depth, batch, queuePairs, producers, waiting);
    }
}
