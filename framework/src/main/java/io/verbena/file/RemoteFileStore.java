package io.verbena.file;

import io.verbena.tier.PagedPeer;
import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import org.jspecify.annotations.Nullable;

/** The room of a file system, of which peers that are lost take theirs along. */
final class RemoteFileStore extends FileStore {
    private final RemoteFileSystem fileSystem;

    RemoteFileStore(RemoteFileSystem fileSystem) {
        this.fileSystem = fileSystem;
    }

    @Override
    public String name() {
        return fileSystem.name();
    }

    @Override
    public String type() {
        return RemoteFileSystemProvider.SCHEME;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public long getTotalSpace() {
        return (long) fileSystem.pool().count() * BlockPool.BLOCK;
    }

    @Override
    public long getUnallocatedSpace() {
        BlockPool pool = fileSystem.pool();
        return (long) (pool.count() - pool.used()) * BlockPool.BLOCK;
    }

    @Override
    public long getUsableSpace() {
        long free = getUnallocatedSpace();
        long living = 0;
        for (PagedPeer each : fileSystem.pool().memory().statistics().peers()) {
            living += each.alive() ? each.capacity() : 0;
        }
        return Math.max(0, Math.min(free, living / fileSystem.replicas() - (getTotalSpace() - free)));
    }

    @Override
    public long getBlockSize() {
        return BlockPool.BLOCK;
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return type == BasicFileAttributeView.class;
    }

    @Override
    public boolean supportsFileAttributeView(String view) {
        return view.equals(Attributes.VIEW);
    }

    @Override
    public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) {
        return switch (attribute) {
            case "totalSpace" -> getTotalSpace();
            case "usableSpace" -> getUsableSpace();
            case "unallocatedSpace" -> getUnallocatedSpace();
            default ->
                throw new UnsupportedOperationException(
                        "attribute '" + attribute + "'; there are totalSpace, usableSpace and unallocatedSpace");
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RemoteFileStore store && store.fileSystem == fileSystem;
    }

    @Override
    public int hashCode() {
        return fileSystem.hashCode();
    }

    @Override
    public String toString() {
        return fileSystem.toString();
    }
}
