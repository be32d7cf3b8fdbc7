package io.verbena.nic.arbiter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a flow, or what a group on one engine, has sent and waited for.
 *
 * <p>Concurrency: written under the engine's baton; each number may be read by any thread, and is not older than the
 * last visit but one. Numbers that are read together may be a visit apart.
 */
public final class FlowStatistics {
    private static final VarHandle BYTES;
    private static final VarHandle SURCHARGE;
    private static final VarHandle MESSAGES;
    private static final VarHandle CHUNKS;
    private static final VarHandle VISITS;
    private static final VarHandle CONTENDED;
    private static final VarHandle BACKLOGGED;
    private static final VarHandle DELAY;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            BYTES = lookup.findVarHandle(FlowStatistics.class, "bytes", long.class);
            SURCHARGE = lookup.findVarHandle(FlowStatistics.class, "surcharge", long.class);
            MESSAGES = lookup.findVarHandle(FlowStatistics.class, "messages", long.class);
            CHUNKS = lookup.findVarHandle(FlowStatistics.class, "chunks", long.class);
            VISITS = lookup.findVarHandle(FlowStatistics.class, "visits", long.class);
            CONTENDED = lookup.findVarHandle(FlowStatistics.class, "contended", long.class);
            BACKLOGGED = lookup.findVarHandle(FlowStatistics.class, "backlogged", long.class);
            DELAY = lookup.findVarHandle(FlowStatistics.class, "delay", DelayHistogram.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long bytes;
    private long surcharge; // what was charged beyond the bytes; nothing where they are the unit
    private long messages;
    private long chunks;
    private long visits;
    private long contended;
    private long backlogged;
    private @Nullable DelayHistogram delay;

    /** Creates zeros. */
    public FlowStatistics() {}

    /** Counts of a flow that counts elsewhere, as they are now: messages, and bytes that were charged. */
    public static FlowStatistics of(long messages, long bytes) {
        FlowStatistics counts = new FlowStatistics();
        counts.messages = messages;
        counts.bytes = bytes;
        return counts;
    }

    /** Counts a visit: what {@link Arbiter#charge} was told. Charged are the bytes. */
    public void visit(int sent, int completed) {
        visit(sent, completed, sent);
    }

    /**
     * Counts a visit.
     *
     * @param sent bytes
     * @param completed messages
     * @param units charged for it
     */
    public void visit(int sent, int completed, long units) {
        BYTES.setOpaque(this, bytes + sent);
        if (units != sent) {
            SURCHARGE.setOpaque(this, surcharge + units - sent);
        }
        MESSAGES.setOpaque(this, messages + completed);
        VISITS.setOpaque(this, visits + 1);
    }

    /** Counts a chunk that was begun. */
    public void chunk() {
        CHUNKS.setOpaque(this, chunks + 1);
    }

    /** Adds what was charged for a visit that began while another group had work too. */
    public void contended(long units) {
        CONTENDED.setOpaque(this, contended + units);
    }

    /** Adds a time for which there was work to send, and a group beside had some too. */
    public void backlogged(long nanos) {
        BACKLOGGED.setOpaque(this, backlogged + nanos);
    }

    /** Counts a sampled time between having work and being served, if delays are counted. */
    public void delayed(long nanos) {
        DelayHistogram histogram = delay;
        if (histogram != null) {
            histogram.record(nanos);
        }
    }

    /** Bytes sent, as the link carries them. */
    public long bytes() {
        return (long) BYTES.getOpaque(this);
    }

    /** What was charged for them, in the {@link ChargedUnit}. */
    public long charged() {
        return (long) BYTES.getOpaque(this) + (long) SURCHARGE.getOpaque(this);
    }

    /** Messages begun or answered. */
    public long messages() {
        return (long) MESSAGES.getOpaque(this);
    }

    /** Chunks begun. */
    public long chunks() {
        return (long) CHUNKS.getOpaque(this);
    }

    /** Visits of the arbiter. */
    public long visits() {
        return (long) VISITS.getOpaque(this);
    }

    /** What was charged for visits that began while another group had work too; of a group alone. */
    public long contended() {
        return (long) CONTENDED.getOpaque(this);
    }

    /** Nanoseconds for which there was work to send, and a group beside had some too; of a group alone. */
    public long backloggedNanos() {
        return (long) BACKLOGGED.getOpaque(this);
    }

    /**
     * Delays between having work and being served, in nanoseconds, some of them: of those that met others with work,
     * one in sixteen. A snapshot of what was counted since the first call. Any thread.
     */
    public Histogram delays() {
        Histogram counts = DelayHistogram.empty();
        delay().addTo(counts);
        return counts;
    }

    /** Where delays are counted, from the first call on. */
    DelayHistogram delay() {
        DelayHistogram histogram = (DelayHistogram) DELAY.getAcquire(this);
        if (histogram != null) {
            return histogram;
        }
        DelayHistogram fresh = new DelayHistogram();
        histogram = (DelayHistogram) DELAY.compareAndExchange(this, null, fresh);
        return histogram == null ? fresh : histogram;
    }
}
