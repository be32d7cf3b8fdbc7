package io.verbena.papers.receive;

import io.verbena.nic.Nic;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.papers.workload.SizeDistribution;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * A shared receive queue for each class of sizes, with buffers of the class' largest size (RIMA 2.2; Table 6 rows 1 and
 * 2). The sender must know the classes, and picks the queue pair by a message's size; between sizes there is no order.
 * How many buffers each queue needs depends on the traffic: {@link #under} fits them to a distribution and an amount of
 * memory.
 */
public final class SrqBySize extends Scheme {
    private final String label;
    private final SizeClasses classes;
    private final int[] counts;
    private final boolean aliased;

    /**
     * With given numbers of buffers.
     *
     * @param classes of sizes
     * @param counts buffers of each class, 1 to {@link SharedReceiveQueue#MAX_DEPTH}
     */
    public SrqBySize(SizeClasses classes, int... counts) {
        this(counts.length + " shared receive queues", classes, counts, false);
    }

    private SrqBySize(String label, SizeClasses classes, int[] counts, boolean aliased) {
        if (counts.length != classes.count()) {
            throw new IllegalArgumentException(
                    counts.length + " numbers of buffers for " + classes.count() + " classes");
        }
        for (int count : counts) {
            if (count < 1 || count > SharedReceiveQueue.MAX_DEPTH) {
                throw new IllegalArgumentException(count + " buffers outside 1.." + SharedReceiveQueue.MAX_DEPTH);
            }
        }
        if (classes.max() > Integer.MAX_VALUE - Long.BYTES) {
            throw new IllegalArgumentException(
                    "buffers of " + classes.max() + " bytes > maximum " + (Integer.MAX_VALUE - Long.BYTES));
        }
        this.label = label;
        this.classes = classes;
        this.counts = counts.clone();
        this.aliased = aliased;
    }

    /**
     * One shared receive queue, every buffer as long as the longest message (RIMA 2.2, Table 6 row 1).
     *
     * @param largest message in bytes
     * @param buffers posted, 1 to {@link SharedReceiveQueue#MAX_DEPTH}
     */
    public static SrqBySize single(int largest, int buffers) {
        return new SrqBySize("one shared receive queue", SizeClasses.single(largest), new int[] {buffers}, false);
    }

    /**
     * Two shared receive queues, for messages up to a cut and for those above, each of which gets a buffer of the
     * largest size (RIMA 5.2.1, the first option; Table 6 row 2).
     *
     * @param cut largest small message in bytes
     * @param small buffers for those
     * @param largest message in bytes
     * @param large buffers for messages above the cut
     */
    public static SrqBySize preallocated(int cut, int small, int largest, int large) {
        return new SrqBySize("large buffers posted", SizeClasses.of(cut, largest), new int[] {small, large}, false);
    }

    /**
     * With as many buffers as memory allows, shared out as messages come: so that all queues run out of buffers
     * together.
     *
     * @param bytes of all buffers, at least {@code least} of each class
     * @param sizes of the messages
     * @param classes of sizes
     * @param least buffers of a class, at least 1
     */
    public static SrqBySize under(long bytes, SizeDistribution sizes, SizeClasses classes, int least) {
        int[] counts = counts(0, sizes, classes, least);
        if (memory(classes, counts) > bytes) {
            throw new IllegalArgumentException(
                    "memory " + bytes + " < " + memory(classes, counts) + " of " + least + " buffers a class");
        }
        double low = 0; // messages that fit
        double high = (double) bytes / classes.limit(0) + 1;
        while (high - low > 0.5) {
            double middle = (low + high) / 2;
            if (memory(classes, counts(middle, sizes, classes, least)) <= bytes) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return new SrqBySize(classes, counts(low, sizes, classes, least));
    }

    private static int[] counts(double messages, SizeDistribution sizes, SizeClasses classes, int least) {
        int[] counts = new int[classes.count()];
        for (int i = 0; i < counts.length; i++) {
            double share = sizes.cdf(classes.limit(i)) - (i == 0 ? 0 : sizes.cdf(classes.above(i)));
            counts[i] = (int) Math.max(least, Math.min(SharedReceiveQueue.MAX_DEPTH, messages * share));
        }
        return counts;
    }

    private static long memory(SizeClasses classes, int[] counts) {
        long sum = 0;
        for (int i = 0; i < counts.length; i++) {
            sum += counts[i] * classes.limit(i);
        }
        return sum;
    }

    /**
     * The same with the buffers of each queue all in the same memory: what is counted is as before, what messages
     * contain is worth nothing. For queues that no machine could hold.
     */
    public SrqBySize withAliasedBuffers() {
        return new SrqBySize(label + ", aliased", classes, counts, true);
    }

    @Override
    public String label() {
        return label;
    }

    /** The classes of sizes. */
    public SizeClasses classes() {
        return classes;
    }

    /** Buffers of a class. */
    public int buffers(int index) {
        return counts[index];
    }

    @Override
    public ReceiveScheme receiver(Nic nic) {
        int[] lengths = new int[classes.count()];
        Arrays.setAll(lengths, i -> (int) classes.limit(i));
        return new SrqReceiver(label, nic, settings, lengths, counts, aliased, 0, 0);
    }

    @Override
    public SendScheme sender(Nic nic) {
        return new Sender(nic);
    }

    private final class Sender extends SenderEnd {
        Sender(Nic nic) {
            super(nic, SrqBySize.this.settings, classes.count(), 1);
        }

        @Override
        public boolean offer(DirectBuffer buffer, int offset, int length, int number) {
            checkLength(length, classes.max());
            request.sendImmediate(number);
            return postMessage(lane(classes.classOf(length)), buffer, offset, length);
        }
    }
}
