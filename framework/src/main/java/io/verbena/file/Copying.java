package io.verbena.file;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies and moves. The target of a copy has its name once all is copied: nobody sees a half of it, and what it
 * replaces stays until then.
 */
record Copying(boolean replaces, boolean copiesAttributes, boolean isAtomic) {
    /** Understands options. */
    static Copying of(CopyOption... options) {
        boolean replaces = false;
        boolean copiesAttributes = false;
        boolean isAtomic = false;
        for (CopyOption each : options) {
            Objects.requireNonNull(each, "option");
            replaces |= each == StandardCopyOption.REPLACE_EXISTING;
            copiesAttributes |= each == StandardCopyOption.COPY_ATTRIBUTES;
            isAtomic |= each == StandardCopyOption.ATOMIC_MOVE;
            if (!(each instanceof StandardCopyOption || each == LinkOption.NOFOLLOW_LINKS)) {
                throw new UnsupportedOperationException("option " + each);
            }
        }
        return new Copying(replaces, copiesAttributes, isAtomic);
    }

    void copy(RemotePath source, RemotePath target) throws IOException {
        if (isAtomic) {
            throw new UnsupportedOperationException("ATOMIC_MOVE of a copy");
        }
        Inode from = source.getFileSystem().tree().open(source, OpenModes.READ);
        try {
            if (from != findOrNull(target)) {
                copy(from, source, target);
            }
        } finally {
            if (from instanceof RegularFile file) {
                file.unlink();
            }
        }
    }

    private void copy(Inode from, RemotePath source, RemotePath target) throws IOException {
        RemoteFileSystem system = target.getFileSystem();
        system.tree().checkReplaceable(target, replaces);
        if (!(from instanceof RegularFile file)) {
            put(from, system.newDirectory(), target);
            return;
        }
        RegularFile copy = system.newFile();
        copy.link(); // until it has its name
        try {
            copy.content().copyOf(file.content(), Opener.of(source), Opener.of(target));
            put(from, copy, target);
        } finally {
            copy.unlink();
        }
    }

    private void put(Inode from, Inode copy, RemotePath target) throws IOException {
        if (copiesAttributes) {
            copy.copyTimes(from);
        }
        target.getFileSystem().tree().put(target, copy, replaces);
    }

    void move(RemotePath source, RemotePath target) throws IOException {
        if (source.getFileSystem() == target.getFileSystem()) {
            source.getFileSystem().tree().rename(source, target, replaces, isAtomic);
            return;
        }
        if (isAtomic) {
            throw new AtomicMoveNotSupportedException(
                    source.toString(), target.toString(), "these are two file systems");
        }
        Tree tree = source.getFileSystem().tree();
        Inode from = tree.find(source);
        if (from.isDirectory() && !tree.list(source).isEmpty()) {
            throw new DirectoryNotEmptyException(source.toString());
        }
        new Copying(replaces, true, false).copy(source, target);
        tree.delete(source, from);
    }

    private static @Nullable Inode findOrNull(RemotePath path) throws IOException {
        try {
            return path.getFileSystem().tree().find(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
