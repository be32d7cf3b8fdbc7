package io.verbena.nic.arbiter;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * What a group has sent and waited for, over all engines of its NIC: sums of one {@link FlowStatistics} an engine.
 *
 * <p>Concurrency: an engine writes its own part, senders count refusals, any thread reads.
 */
public final class GroupStatistics {
    private static final int LINE = 16; // longs
    private static final int DEMOTED = 0;
    private static final int ENTITLED = 1;
    private static final int HELD = 2;

    private final FlowStatistics[] parts;
    private final AtomicLongArray cells;
    private final LongAdder[] refusals = new LongAdder[Limit.values().length]; // written by those who send

    GroupStatistics(int engines) {
        parts = new FlowStatistics[engines];
        for (int i = 0; i < engines; i++) {
            parts[i] = new FlowStatistics();
            parts[i].delay(); // counted from the beginning
        }
        cells = new AtomicLongArray((engines + 1) * LINE);
        Arrays.setAll(refusals, i -> new LongAdder());
    }

    /** One engine's part, which that engine writes. */
    public FlowStatistics part(int engine) {
        return parts[engine];
    }

    /**
     * Counts urgent visits that an engine has treated as bulk, because the group's urgent traffic was above its bound.
     */
    public void demote(int engine, int count) {
        add(engine, DEMOTED, count);
    }

    /** Adds what the group was entitled to on an engine, in the charged unit. */
    public void entitle(int engine, long units) {
        add(engine, ENTITLED, units);
    }

    /** Counts that an engine had work of the group, and its rate of operations let it send none. */
    public void held(int engine) {
        add(engine, HELD, 1);
    }

    /** How often the group had work, and its rate of operations let it send none; once a millisecond at least. */
    public long held() {
        return sum(HELD);
    }

    /**
     * Counts that a sender was refused with "not now". Called by what refused it, such as channels and regions. Any
     * thread.
     */
    public void refuse(Limit limit) {
        refusals[limit.ordinal()].increment();
    }

    /** How often a sender was told "not now" for this. A sender that tries again and again counts each time. */
    public long refusals(Limit limit) {
        return refusals[limit.ordinal()].sum();
    }

    /** Bytes sent, as links carry them. */
    public long bytes() {
        long sum = 0;
        for (FlowStatistics part : parts) {
            sum += part.bytes();
        }
        return sum;
    }

    /** What was charged for them, in the {@link ChargedUnit}. */
    public long charged() {
        long sum = 0;
        for (FlowStatistics part : parts) {
            sum += part.charged();
        }
        return sum;
    }

    /**
     * What of {@link #charged} was for visits that began while another group had work too: of that, each has its
     * weight's part. The rest nobody else wanted at that moment. Only the discipline CHUNKS counts this.
     */
    public long contended() {
        long sum = 0;
        for (FlowStatistics part : parts) {
            sum += part.contended();
        }
        return sum;
    }

    /** Messages begun or answered. */
    public long messages() {
        long sum = 0;
        for (FlowStatistics part : parts) {
            sum += part.messages();
        }
        return sum;
    }

    /** Chunks begun. */
    public long chunks() {
        long sum = 0;
        for (FlowStatistics part : parts) {
            sum += part.chunks();
        }
        return sum;
    }

    /** Visits of arbiters. */
    public long visits() {
        long sum = 0;
        for (FlowStatistics part : parts) {
            sum += part.visits();
        }
        return sum;
    }

    /**
     * Nanoseconds for which there was work to send, and a group beside had some too: in which shares mean something. Of
     * all engines together.
     */
    public long backloggedNanos() {
        long sum = 0;
        for (FlowStatistics part : parts) {
            sum += part.backloggedNanos();
        }
        return sum;
    }

    /** Urgent visits that were treated as bulk. */
    public long demoted() {
        return sum(DEMOTED);
    }

    /**
     * What it was entitled to: of all that was charged while it had work, its weight's part among those that had work.
     * A ceiling or a floor is not taken into account; only the discipline CHUNKS counts this.
     */
    public long entitled() {
        return sum(ENTITLED);
    }

    /**
     * Delays between having work and being served, in nanoseconds, some of them: of those that met others with work,
     * one in sixteen. A snapshot of all since the group began; {@link Histogram#subtract} an earlier one for those of
     * an interval.
     */
    public Histogram delays() {
        Histogram sum = DelayHistogram.empty();
        for (FlowStatistics part : parts) {
            part.delay().addTo(sum);
        }
        return sum;
    }

    /** The part that it got of what all of these were charged; 0 if that is nothing. */
    public double share(GroupStatistics... all) {
        long sum = 0;
        for (GroupStatistics one : all) {
            sum += one.charged();
        }
        return sum == 0 ? 0 : charged() / (double) sum;
    }

    /** The part that it was entitled to, of what all of these were; 0 if that is nothing. */
    public double entitlement(GroupStatistics... all) {
        long sum = 0;
        for (GroupStatistics one : all) {
            sum += one.entitled();
        }
        return sum == 0 ? 0 : entitled() / (double) sum;
    }

    private void add(int engine, int what, long amount) {
        int cell = (engine + 1) * LINE + what;
        cells.setOpaque(cell, cells.getPlain(cell) + amount);
    }

    private long sum(int what) {
        long sum = 0;
        for (int i = 1; i <= parts.length; i++) {
            sum += cells.getOpaque(i * LINE + what);
        }
        return sum;
    }
}
