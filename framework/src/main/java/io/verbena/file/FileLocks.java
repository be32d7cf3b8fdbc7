package io.verbena.file;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.List;

/**
 * The locks of a file. Whoever can use the file is in this process, which by the contract of {@link FileLock} has a
 * range once: a range that overlaps is refused and never waited for. Thread-safe.
 */
final class FileLocks {
    private final List<Range> ranges = new ArrayList<>(); // under this

    /** A range that a channel has locked. */
    private final class Range extends FileLock {
        private boolean released; // under FileLocks.this

        Range(FileChannel channel, long position, long size, boolean shared) {
            super(channel, position, size, shared);
        }

        @Override
        public boolean isValid() {
            synchronized (FileLocks.this) {
                return !released && acquiredBy().isOpen();
            }
        }

        @Override
        public void release() throws IOException {
            if (!acquiredBy().isOpen()) {
                throw new ClosedChannelException();
            }
            synchronized (FileLocks.this) {
                released = true;
                ranges.remove(this);
            }
        }
    }

    /** Locks a range for a channel. */
    synchronized FileLock lock(FileChannel channel, long position, long size, boolean shared) {
        for (Range each : ranges) {
            if (each.overlaps(position, size)) {
                throw new OverlappingFileLockException();
            }
        }
        Range range = new Range(channel, position, size, shared);
        ranges.add(range);
        return range;
    }

    /** Releases what a channel has locked, which is closed. */
    synchronized void releaseAll(FileChannel channel) {
        ranges.removeIf(each -> each.acquiredBy() == channel);
    }
}
