package io.verbena.file;

import java.io.IOException;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** The attributes of what a path stands for whenever it is used. */
record AttributeView(RemotePath path) implements BasicFileAttributeView {
    @Override
    public String name() {
        return Attributes.VIEW;
    }

    private Inode inode() throws IOException {
        return path.getFileSystem().tree().find(path);
    }

    @Override
    public BasicFileAttributes readAttributes() throws IOException {
        return Attributes.of(inode());
    }

    @Override
    public void setTimes(@Nullable FileTime modified, @Nullable FileTime accessed, @Nullable FileTime created)
            throws IOException {
        Inode inode = inode();
        if (modified != null) {
            inode.modify(modified);
        }
        if (accessed != null) {
            inode.access(accessed);
        }
        if (created != null) {
            inode.create(created);
        }
    }
}
