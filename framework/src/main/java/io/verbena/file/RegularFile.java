package io.verbena.file;

import java.time.Clock;

/**
 * A file: its content, who has locked it, and how many names and open channels it has. With the last of those its
 * blocks go back. Thread-safe.
 */
final class RegularFile extends Inode {
    private final FileContent content;
    private final FileLocks locks = new FileLocks();
    private int links; // names and channels; under this

    RegularFile(Clock clock, FileContent content) {
        super(clock);
        this.content = content;
    }

    @Override
    boolean isDirectory() {
        return false;
    }

    @Override
    long size() {
        return content.size();
    }

    FileContent content() {
        return content;
    }

    FileLocks locks() {
        return locks;
    }

    /** It has a name or a channel more. */
    synchronized void link() {
        links++;
    }

    /** It has one less. The caller holds no lock. */
    void unlink() {
        boolean isLast;
        synchronized (this) {
            isLast = --links == 0;
        }
        if (isLast) {
            content.release();
        }
    }
}
