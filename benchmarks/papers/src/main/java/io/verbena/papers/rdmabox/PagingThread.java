package io.verbena.papers.rdmabox;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.RemoteRegion;
import io.verbena.SendResult;
import io.verbena.verification.RunException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A thread that pages: each fault reads the page that is missing and those that follow, a request each as a block
 * device gets them, and waits for all; some write as many that make room for them first. Pages say their number in
 * each of their ends, which is checked.
 */
final class PagingThread extends Thread {
    /** Bytes. */
    static final int PAGE = 4096;

    /** Pages that are read at a fault, as Linux reads ahead when it swaps. */
    static final int CLUSTER = 8;

    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int DIGITS = 3;

    private final RemoteRegion region;
    private final PageChoice choice;
    private final int cluster;
    private final double writes;
    private final SplittableRandom random;
    private final long until;
    private final UnsafeBuffer pages = new UnsafeBuffer(new byte[CLUSTER * PAGE]);
    private final AtomicInteger underWay = new AtomicInteger();
    private final OperationHandler ends = this::onEnd;
    private final Histogram faults = new Histogram(MAX_NANOS, DIGITS);
    private volatile Outcome failed = Outcome.DONE;
    private volatile @Nullable Throwable failure;

    /**
     * Creates it.
     *
     * @param region polled by its node
     * @param choice of the pages that are missing
     * @param cluster pages of a fault, 1 to {@value #CLUSTER}
     * @param writes part of the faults that write pages first
     * @param untilNanos when it ends, of {@link System#nanoTime}
     */
    PagingThread(RemoteRegion region, PageChoice choice, int cluster, double writes, long seed, long untilNanos) {
        super("paging-" + seed);
        setDaemon(true);
        this.region = region;
        this.choice = choice;
        this.cluster = cluster;
        this.writes = writes;
        this.random = new SplittableRandom(seed);
        this.until = untilNanos;
    }

    @Override
    public void run() {
        try {
            long begin = System.nanoTime();
            do {
                if (random.nextDouble() < writes) {
                    writeOut(choice.next(random));
                }
                readIn(choice.next(random));
                long end = System.nanoTime();
                faults.recordValue(Math.min(end - begin, MAX_NANOS));
                begin = end;
            } while (begin - until < 0);
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    private void writeOut(int first) {
        for (int i = 0; i < cluster; i++) {
            mark(pages, i, first + i);
            post(false, first + i, i);
        }
        await();
    }

    /** A page says its number at its ends. */
    static void mark(UnsafeBuffer buffer, int index, int page) {
        buffer.putLong(index * PAGE, page);
        buffer.putLong((index + 1) * PAGE - Long.BYTES, ~page);
    }

    private void readIn(int first) {
        for (int i = 0; i < cluster; i++) {
            post(true, first + i, i);
        }
        await();
        for (int i = 0; i < cluster; i++) {
            if (pages.getLong(i * PAGE) != first + i || pages.getLong((i + 1) * PAGE - Long.BYTES) != ~(first + i)) {
                throw new RunException("page " + (first + i) + " came as page " + pages.getLong(i * PAGE));
            }
        }
    }

    private void post(boolean reads, int page, int index) {
        underWay.incrementAndGet();
        long offset = (long) page * PAGE;
        SendResult result;
        do {
            result = reads
                    ? region.read(offset, pages, index * PAGE, PAGE, page, ends)
                    : region.write(offset, pages, index * PAGE, PAGE, page, ends);
            if (result == SendResult.BACK_PRESSURED) {
                Thread.yield();
            }
        } while (result == SendResult.BACK_PRESSURED);
        if (result != SendResult.SENT) {
            throw new RunException("page " + page + " was refused: " + result);
        }
    }

    private void onEnd(long page, Outcome outcome, long value) {
        if (outcome != Outcome.DONE) {
            failed = outcome;
        }
        if (underWay.decrementAndGet() == 0) {
            LockSupport.unpark(this);
        }
    }

    private void await() {
        long begin = System.nanoTime();
        while (underWay.get() > 0) {
            LockSupport.parkNanos(MAX_NANOS);
            if (System.nanoTime() - begin > MAX_NANOS) {
                throw new RunException(underWay + " pages have not come within 20 s");
            }
        }
        if (failed != Outcome.DONE) {
            throw new RunException("a page ended as " + failed);
        }
    }

    /** Waits for its end. Returns how long each fault took; throws what ended it before its time. */
    Histogram faults() throws InterruptedException {
        join(TimeUnit.NANOSECONDS.toMillis(2 * MAX_NANOS));
        Throwable cause = failure;
        if (cause != null || isAlive()) {
            throw new RunException(getName() + (cause == null ? " does not end" : " failed: " + cause), cause);
        }
        return faults;
    }
}
