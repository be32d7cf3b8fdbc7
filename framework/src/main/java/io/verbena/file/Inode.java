package io.verbena.file;

import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.util.concurrent.TimeUnit;

/** A file or a directory, whatever its names are. Thread-safe. */
abstract class Inode {
    private final Clock clock;
    private volatile long created; // all in ns since 1970
    private volatile long modified;
    private volatile long accessed;

    Inode(Clock clock) {
        this.clock = clock;
        this.created = now();
        this.modified = created;
        this.accessed = created;
    }

    abstract boolean isDirectory();

    /** Bytes. */
    abstract long size();

    private long now() {
        return TimeUnit.MILLISECONDS.toNanos(clock.millis());
    }

    /** What is in it has changed. */
    final void touch() {
        modified = now();
    }

    final FileTime created() {
        return FileTime.from(created, TimeUnit.NANOSECONDS);
    }

    final FileTime modified() {
        return FileTime.from(modified, TimeUnit.NANOSECONDS);
    }

    final FileTime accessed() {
        return FileTime.from(accessed, TimeUnit.NANOSECONDS);
    }

    final void create(FileTime time) {
        created = time.to(TimeUnit.NANOSECONDS);
    }

    final void modify(FileTime time) {
        modified = time.to(TimeUnit.NANOSECONDS);
    }

    final void access(FileTime time) {
        accessed = time.to(TimeUnit.NANOSECONDS);
    }

    /** Takes another's times. */
    final void copyTimes(Inode other) {
        created = other.created;
        modified = other.modified;
        accessed = other.accessed;
    }
}
