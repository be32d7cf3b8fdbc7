package io.verbena.file;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The directories of a file system, as on Unix: a file has as many names as it was given, and lives until the last of
 * them is deleted and the last channel closed.
 *
 * <p>Thread-safe: each operation is atomic, under one lock, which is held while names are looked up and never during
 * I/O.
 */
final class Tree {
    private final Clock clock;
    private final Supplier<RegularFile> files;
    private final Directory root;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    /** An entry of a directory, or the lack of one; what ends in "." or ".." or is the root has no directory. */
    private record Place(
            @Nullable Directory directory,
            String name,
            @Nullable Inode inode) {}

    Tree(Clock clock, Supplier<RegularFile> files) {
        this.clock = clock;
        this.files = files;
        this.root = new Directory(clock);
    }

    // ---- looking ----------------------------------------------------------------------------------------------------

    /** What a path stands for. */
    Inode find(RemotePath path) throws IOException {
        Lock shared = shared();
        try {
            return existing(place(path), path);
        } finally {
            shared.unlock();
        }
    }

    /** The names from the root, without dots. */
    List<String> realNames(RemotePath path) throws IOException {
        Lock shared = shared();
        try {
            List<String> names = new ArrayList<>();
            Inode at = root;
            for (String name : path.steps()) {
                Inode next = step(directory(at, path), name);
                at = existing(next, path);
                if (name.equals("..")) {
                    names = names.subList(0, Math.max(0, names.size() - 1));
                } else if (!name.equals(".")) {
                    names.add(name);
                }
            }
            return names;
        } finally {
            shared.unlock();
        }
    }

    /** The names in a directory, as they are now. */
    List<String> list(RemotePath path) throws IOException {
        Lock shared = shared();
        try {
            return directory(existing(place(path), path), path).names();
        } finally {
            shared.unlock();
        }
    }

    // ---- making -----------------------------------------------------------------------------------------------------

    void createDirectory(RemotePath path) throws IOException {
        Lock alone = alone();
        try {
            put(free(place(path), path), new Directory(clock));
        } finally {
            alone.unlock();
        }
    }

    /** Gives a file another name. */
    void createLink(RemotePath link, RemotePath existing) throws IOException {
        Lock alone = alone();
        try {
            Inode inode = existing(place(existing), existing);
            Place place = free(place(link), link);
            if (inode.isDirectory()) {
                throw new FileSystemException(link.toString(), existing.toString(), "a directory has one name");
            }
            put(place, inode);
        } finally {
            alone.unlock();
        }
    }

    /** What a channel is for; a file has a link more, which is the channel's. */
    Inode open(RemotePath path, OpenModes modes) throws IOException {
        Lock some = modes.mayCreate() ? alone() : shared();
        try {
            Place place = place(path);
            if (modes.createsNew() && place.inode() != null) {
                throw new FileAlreadyExistsException(path.toString());
            }
            Inode inode = place.inode();
            if (inode == null && modes.mayCreate()) {
                inode = files.get();
                put(place, inode);
            }
            inode = existing(inode, path);
            if (inode instanceof RegularFile file) {
                file.link();
            } else if (modes.writes()) {
                throw failed(path, "Is a directory");
            }
            return inode;
        } finally {
            some.unlock();
        }
    }

    /** Checks that something could be put there, before much is done for it. */
    void checkReplaceable(RemotePath path, boolean replaces) throws IOException {
        Lock shared = shared();
        try {
            replaceable(place(path), path, replaces);
        } finally {
            shared.unlock();
        }
    }

    /** Puts a file or directory there that has no name yet. */
    void put(RemotePath path, Inode inode, boolean replaces) throws IOException {
        Inode old;
        Lock alone = alone();
        try {
            Place place = place(path);
            old = replaceable(place, path, replaces);
            put(place, inode);
        } finally {
            alone.unlock();
        }
        unlink(old);
    }

    // ---- removing and moving ----------------------------------------------------------------------------------------

    void delete(RemotePath path) throws IOException {
        delete(path, null);
    }

    /** Deletes what a path stands for, if that is what is expected. */
    void delete(RemotePath path, @Nullable Inode expected) throws IOException {
        Inode inode;
        Lock alone = alone();
        try {
            Place place = place(path);
            inode = existing(place, path);
            if (expected != null && inode != expected) {
                return;
            }
            Directory directory = entry(place, path);
            checkEmpty(inode, path);
            directory.remove(place.name());
        } finally {
            alone.unlock();
        }
        unlink(inode);
    }

    /** Moves in one step, as rename(2) does. */
    void rename(RemotePath source, RemotePath target, boolean replaces, boolean atomic) throws IOException {
        Inode old;
        Lock alone = alone();
        try {
            Place from = place(source);
            Inode inode = existing(from, source);
            Place to = place(target);
            old = to.inode();
            if (old == inode) {
                return;
            }
            Directory before = entry(from, source);
            Directory after = to.directory();
            if (after != null && inode instanceof Directory moved && moved.contains(after)) {
                throw failed(source, target, "Invalid argument: a directory cannot be moved into itself");
            }
            if (atomic) {
                checkRename(inode, old, source, target);
            } else {
                replaceable(to, target, replaces);
            }
            Directory into = entry(to, target);
            before.remove(from.name());
            into.remove(to.name());
            into.put(to.name(), inode);
        } finally {
            alone.unlock();
        }
        unlink(old);
    }

    private static void checkRename(Inode inode, @Nullable Inode old, RemotePath source, RemotePath target)
            throws IOException {
        if (old == null) {
            return;
        }
        if (inode.isDirectory() != old.isDirectory()) {
            throw failed(source, target, old.isDirectory() ? "Is a directory" : "Not a directory");
        }
        checkEmpty(old, target);
    }

    // ---- parts, under the lock --------------------------------------------------------------------------------------

    private Place place(RemotePath path) throws IOException {
        List<String> steps = path.steps();
        if (steps.isEmpty()) {
            return new Place(null, "", root);
        }
        Directory at = root;
        for (String each : steps.subList(0, steps.size() - 1)) {
            at = directory(existing(step(at, each), path), path);
        }
        String name = steps.get(steps.size() - 1);
        boolean isEntry = !name.equals(".") && !name.equals("..");
        return new Place(isEntry ? at : null, name, step(at, name));
    }

    private static @Nullable Inode step(Directory at, String name) {
        return switch (name) {
            case "." -> at;
            case ".." -> at.parent();
            default -> at.get(name);
        };
    }

    private static Directory directory(Inode inode, RemotePath path) throws IOException {
        if (inode instanceof Directory directory) {
            return directory;
        }
        throw new NotDirectoryException(path.toString());
    }

    private static Inode existing(Place place, RemotePath path) throws IOException {
        return existing(place.inode(), path);
    }

    private static Inode existing(@Nullable Inode inode, RemotePath path) throws IOException {
        if (inode == null) {
            throw new NoSuchFileException(path.toString());
        }
        return inode;
    }

    private static Place free(Place place, RemotePath path) throws IOException {
        if (place.inode() != null) {
            throw new FileAlreadyExistsException(path.toString());
        }
        return place;
    }

    /** @return what is replaced */
    private static @Nullable Inode replaceable(Place place, RemotePath path, boolean replaces) throws IOException {
        Inode old = place.inode();
        if (old != null) {
            if (!replaces) {
                throw new FileAlreadyExistsException(path.toString());
            }
            entry(place, path);
            checkEmpty(old, path);
        }
        return old;
    }

    private static void checkEmpty(Inode inode, RemotePath path) throws IOException {
        if (inode instanceof Directory directory && !directory.isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
    }

    private static Directory entry(Place place, RemotePath path) throws IOException {
        Directory directory = place.directory();
        if (directory == null) {
            throw failed(path, "Invalid argument: its last name is no entry of a directory");
        }
        return directory;
    }

    private static void put(Place place, Inode inode) {
        Directory directory = place.directory();
        if (directory == null) {
            throw new IllegalStateException("the root and dots are there");
        }
        directory.remove(place.name());
        directory.put(place.name(), inode);
        if (inode instanceof RegularFile file) {
            file.link();
        }
    }

    private static void unlink(@Nullable Inode inode) {
        if (inode instanceof RegularFile file) {
            file.unlink();
        }
    }

    private static FileSystemException failed(RemotePath path, String reason) {
        return new FileSystemException(path.toString(), null, reason);
    }

    private static FileSystemException failed(RemotePath path, RemotePath other, String reason) {
        return new FileSystemException(path.toString(), other.toString(), reason);
    }

    private Lock shared() {
        lock.readLock().lock();
        return lock.readLock();
    }

    private Lock alone() {
        lock.writeLock().lock();
        return lock.writeLock();
    }
}
