package io.verbena.file;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Who uses a file's content: several that share it, or one alone. Whoever finds it in use stands in line, and so do all
 * that come later: nobody passes the first of the line, however many others share it; the others follow in about the
 * order in which they came. Thread-safe, and not reentrant.
 */
final class ContentLock {
    private static final long LOOK_MILLIS = 10;

    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final ReentrantLock line = new ReentrantLock(true); // whose owner is the first

    /** Takes it together with others. @return what to unlock */
    Lock share(Opener opener) throws IOException {
        return acquire(lock.readLock(), opener);
    }

    /** Takes it alone. @return what to unlock */
    Lock own(Opener opener) throws IOException {
        return acquire(lock.writeLock(), opener);
    }

    /** Takes it alone once all have left; there are no others any more. @return what to unlock */
    Lock own() {
        lock.writeLock().lock();
        return lock.writeLock();
    }

    /** Whether somebody waits. */
    boolean isAwaited() {
        return line.isLocked();
    }

    private Lock acquire(Lock wanted, Opener opener) throws IOException {
        if (line.isLocked() || !wanted.tryLock()) {
            await(line, opener);
            try {
                await(wanted, opener);
            } finally {
                line.unlock();
            }
        }
        return wanted;
    }

    /** Waits, unless whoever wants it is gone or interrupted meanwhile. */
    private static void await(Lock lock, Opener opener) throws IOException {
        try {
            while (!lock.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (opener.gone().getAsBoolean()) {
                    throw opener.failed("closed while it waited for others that use the file");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(opener.path() + ": interrupted while it waited for others");
        }
    }
}
