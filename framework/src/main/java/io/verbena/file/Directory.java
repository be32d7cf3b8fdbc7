package io.verbena.file;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A directory: names, and what they stand for. Guarded by the lock of its {@link Tree}. */
final class Directory extends Inode {
    private final TreeMap<String, Inode> entries = new TreeMap<>();
    private @Nullable Directory parent; // null: the root, or deleted

    Directory(Clock clock) {
        super(clock);
    }

    @Override
    boolean isDirectory() {
        return true;
    }

    @Override
    long size() {
        return 0;
    }

    /** The directory that it is in; itself if it is the root. */
    Directory parent() {
        return parent == null ? this : parent;
    }

    @Nullable
    Inode get(String name) {
        return entries.get(name);
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** The names, in order. */
    List<String> names() {
        return new ArrayList<>(entries.keySet());
    }

    void put(String name, Inode inode) {
        entries.put(name, inode);
        if (inode instanceof Directory directory) {
            directory.parent = this;
        }
        touch();
    }

    void remove(String name) {
        if (entries.remove(name) instanceof Directory directory) {
            directory.parent = null;
        }
        touch();
    }

    /** Whether another is this, or somewhere below it. */
    boolean contains(Directory other) {
        for (Directory each = other; each != null; each = each.parent) {
            if (each == this) {
                return true;
            }
        }
        return false;
    }
}
