package io.verbena.nic.poll;

import java.io.IOException;
import java.io.RandomAccessFile;
import org.jspecify.annotations.Nullable;

/**
 * How long a thread has waited for a processor, as Linux counts it in {@code /proc/thread-self/schedstat} (run time,
 * wait time, times run). A look is two system calls, about a microsecond. Elsewhere it is always 0. On simulated cores
 * somebody else counts ({@link Counts}).
 *
 * <p>For one thread at a time; when another takes over, the file is opened anew, for it belongs to the thread that
 * opened it. Allocates nothing once it is open.
 */
public final class RunDelay implements AutoCloseable {
    private static final String FILE = "/proc/thread-self/schedstat";

    /** Who counts in place of Linux, such as a simulation of the thread. */
    public interface Counts {
        /** Nanoseconds that the thread has been runnable and not run, since it began. */
        long nanos();

        /** How often it has been given a processor. */
        long runs();
    }

    private final byte[] text = new byte[96];
    private final @Nullable Counts counts;
    private @Nullable RandomAccessFile file;
    private @Nullable Thread of;
    private volatile boolean absent; // or closed for good
    private long nanos;
    private long runs;
    private long sum;

    /** Has not looked yet. */
    public RunDelay() {
        this.counts = null;
    }

    /**
     * Of a thread that somebody else counts for.
     *
     * @param counts asked at each look
     */
    public RunDelay(Counts counts) {
        this.counts = counts;
    }

    /** Whether the calling thread is the one that looked last; the times of different threads do not compare. */
    public boolean isOfCurrentThread() {
        return of == Thread.currentThread();
    }

    /** Whether the kernel does not tell, or the file is closed for good. */
    public boolean isAbsent() {
        return absent;
    }

    /** Nanoseconds that the thread that looked last had been runnable and not run then, since it began. */
    public long nanos() {
        return nanos;
    }

    /** How often the thread that looked last had been given a processor then. */
    public long runs() {
        return runs;
    }

    /**
     * Looks, and adds up how many nanoseconds threads have waited between two looks of the same thread with none of
     * another's in between.
     */
    public long sum() {
        boolean comparable = isOfCurrentThread();
        long before = nanos;
        look();
        sum += comparable ? Math.max(0, nanos - before) : 0;
        return sum;
    }

    /** Looks for the calling thread. */
    public void look() {
        nanos = 0;
        runs = 0;
        if (absent) {
            return;
        }
        Counts others = counts;
        if (others != null) {
            of = Thread.currentThread();
            nanos = others.nanos();
            runs = others.runs();
            return;
        }
        try {
            RandomAccessFile known = file;
            if (known == null || !isOfCurrentThread()) {
                letGo();
                known = new RandomAccessFile(FILE, "r");
                file = known;
                of = Thread.currentThread();
            }
            known.seek(0);
            int length = known.read(text);
            nanos = number(text, length, 1);
            runs = number(text, length, 2);
        } catch (IOException e) {
            absent = true; // not Linux, or a container without it
            letGo();
        }
    }

    /**
     * One of the numbers of a text of numbers with one blank between them, the first is 0; 0 if it has no such number.
     */
    static long number(byte[] text, int length, int index) {
        int i = 0;
        for (int before = index; before > 0 && i < length; i++) {
            if (text[i] == ' ') {
                before--;
            }
        }
        long value = 0;
        for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
            value = value * 10 + text[i] - '0';
        }
        return value;
    }

    /** Lets go of the file; any look after this finds 0. */
    @Override
    public void close() {
        absent = true;
        letGo();
    }

    private void letGo() {
        RandomAccessFile open = file;
        file = null;
        of = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                absent = true;
            }
        }
    }
}
