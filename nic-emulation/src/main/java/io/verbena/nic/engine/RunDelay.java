package io.verbena.nic.engine;

import java.io.IOException;
import java.io.RandomAccessFile;
import org.jspecify.annotations.Nullable;

/**
 * How long a thread has waited for a processor, as Linux counts it in {@code /proc/thread-self/schedstat} (run time, wait
 * time, times run). A look is two system calls, about a microsecond. Elsewhere it is always 0.
 *
 * <p>For one thread at a time; when another takes over, the file is opened anew, for it belongs to the thread that opened
 * it. Allocates nothing once it is open.
 */
final class RunDelay implements AutoCloseable {
    private static final String FILE = "/proc/thread-self/schedstat";

    private final byte[] text = new byte[96];
    private @Nullable RandomAccessFile file;
    private @Nullable Thread of;
    private volatile boolean absent; // or closed for good

    /** Whether the calling thread is the one that looked last; the times of different threads do not compare. */
    boolean isOfCurrentThread() {
        return of == Thread.currentThread();
    }

    /** Nanoseconds that the calling thread was runnable and did not run, since it began. */
    long nanos() {
        if (absent) {
            return 0;
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
            return secondNumber(text, known.read(text));
        } catch (IOException e) {
            absent = true; // not Linux, or a container without it
            letGo();
            return 0;
        }
    }

    /** The second number of a text of numbers, each followed by one blank; 0 if it has none. */
    static long secondNumber(byte[] text, int length) {
        int i = 0;
        while (i < length && text[i] != ' ') {
            i++;
        }
        long value = 0;
        for (i++; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
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
