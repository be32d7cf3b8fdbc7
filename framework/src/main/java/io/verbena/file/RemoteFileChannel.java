package io.verbena.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;

/**
 * An open file, or an open directory, of which nothing can be read but which can be forced, as on Unix.
 *
 * <p>Thread-safe. What moves the position is done one after another; what names a position runs beside that. A thread
 * that waits for a peer when the channel is closed, or when it is interrupted, leaves within some 10 ms with the
 * exception that {@link java.nio.channels.InterruptibleChannel} says.
 */
final class RemoteFileChannel extends FileChannel {
    private static final int PIECE = BlockPool.BLOCK;

    private final RemotePath path;
    private final Inode inode;
    private final OpenModes modes;
    private final Opener opener;
    private final Object order = new Object();
    private long position; // under order

    RemoteFileChannel(RemotePath path, Inode inode, OpenModes modes) {
        this.path = path;
        this.inode = inode;
        this.modes = modes;
        this.opener = new Opener(path.toString(), () -> !isOpen());
    }

    // ---- at the position --------------------------------------------------------------------------------------------

    @Override
    public int read(ByteBuffer target) throws IOException {
        checkReadable();
        synchronized (order) {
            int count = readAt(position, target);
            position += Math.max(0, count);
            return count;
        }
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        checkReadable();
        synchronized (order) {
            long sum = 0;
            for (int i = offset; i < offset + length; i++) {
                ByteBuffer each = targets[i];
                int count = each.hasRemaining() ? readAt(position, each) : 0;
                if (count < 0) {
                    return sum == 0 ? -1 : sum;
                }
                position += count;
                sum += count;
                if (each.hasRemaining()) {
                    return sum;
                }
            }
            return sum;
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        checkWritable();
        synchronized (order) {
            int count = source.remaining();
            position = writeAt(position, source);
            return count - source.remaining();
        }
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        checkWritable();
        synchronized (order) {
            long sum = 0;
            for (int i = offset; i < offset + length; i++) {
                ByteBuffer each = sources[i];
                int count = each.remaining();
                position = writeAt(position, each);
                sum += count - each.remaining();
                if (each.hasRemaining()) {
                    return sum;
                }
            }
            return sum;
        }
    }

    @Override
    public long position() throws IOException {
        checkOpen();
        synchronized (order) {
            return modes.appends() ? inode.size() : position;
        }
    }

    @Override
    public FileChannel position(long to) throws IOException {
        checkOpen();
        requireAtLeastZero("position", to);
        synchronized (order) {
            position = to;
        }
        return this;
    }

    // ---- at a place -------------------------------------------------------------------------------------------------

    @Override
    public int read(ByteBuffer target, long at) throws IOException {
        requireAtLeastZero("position", at);
        checkReadable();
        return readAt(at, target);
    }

    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        requireAtLeastZero("position", at);
        checkWritable();
        int count = source.remaining();
        writeAt(at, source);
        return count - source.remaining();
    }

    private int readAt(long at, ByteBuffer target) throws IOException {
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        boolean completed = false;
        try {
            begin();
            checkOpen();
            int count = content().read(at, target, opener);
            completed = true;
            return count;
        } finally {
            end(completed);
        }
    }

    /** Writes there, or at the end. @return where that ends */
    private long writeAt(long at, ByteBuffer source) throws IOException {
        boolean completed = false;
        try {
            begin();
            checkOpen();
            FileContent content = content();
            int count = source.remaining();
            long end = modes.appends() ? content.append(source, opener) : at + content.write(at, source, opener);
            if (count > 0) {
                inode.touch();
            }
            if (modes.isSync()) {
                int written = count - source.remaining();
                content.force(end - written, written, opener);
            }
            completed = true;
            return end;
        } finally {
            end(completed);
        }
    }

    // ---- from and to others -----------------------------------------------------------------------------------------

    @Override
    public long transferTo(long at, long count, WritableByteChannel target) throws IOException {
        checkOpen();
        if (!target.isOpen()) {
            throw new ClosedChannelException();
        }
        checkReadable();
        if (target instanceof RemoteFileChannel remote) {
            remote.checkWritable();
        }
        requireAtLeastZero("position", at);
        requireAtLeastZero("count", count);
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(PIECE, Math.min(count, Math.max(0, size() - at))));
        long done = 0;
        while (done < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - done));
            if (!buffer.hasRemaining() || readAt(at + done, buffer) <= 0) {
                break;
            }
            int read = buffer.flip().remaining();
            target.write(buffer);
            done += read - buffer.remaining();
            if (buffer.hasRemaining()) {
                break; // it takes no more now
            }
        }
        return done;
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long at, long count) throws IOException {
        checkOpen();
        if (!source.isOpen()) {
            throw new ClosedChannelException();
        }
        checkWritable();
        requireAtLeastZero("position", at);
        requireAtLeastZero("count", count);
        if (at > size()) {
            return 0;
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(PIECE, count));
        long done = 0;
        while (done < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - done));
            if (source.read(buffer) <= 0) {
                break;
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                int before = buffer.remaining();
                writeAt(at + done, buffer);
                done += before - buffer.remaining();
            }
        }
        return done;
    }

    // ---- the whole --------------------------------------------------------------------------------------------------

    @Override
    public long size() throws IOException {
        checkOpen();
        return inode.size();
    }

    @Override
    public FileChannel truncate(long to) throws IOException {
        requireAtLeastZero("size", to);
        checkWritable();
        synchronized (order) {
            boolean completed = false;
            try {
                begin();
                checkOpen();
                if (to < inode.size()) {
                    content().truncate(to, opener);
                    inode.touch();
                }
                position = Math.min(position, to);
                completed = true;
                return this;
            } finally {
                end(completed);
            }
        }
    }

    @Override
    public void force(boolean metaData) throws IOException {
        checkOpen();
        if (!(inode instanceof RegularFile file)) {
            return; // directories are here alone
        }
        boolean completed = false;
        try {
            begin();
            file.content().force(0, file.size(), opener);
            completed = true;
        } finally {
            end(completed);
        }
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long at, long length) {
        throw new UnsupportedOperationException(path + ": what is at peers cannot be mapped");
    }

    // ---- locks ------------------------------------------------------------------------------------------------------

    /** As {@link #tryLock(long, long, boolean)}: there is nobody in another process to wait for. */
    @Override
    public FileLock lock(long at, long size, boolean shared) throws IOException {
        return tryLock(at, size, shared);
    }

    @Override
    public FileLock tryLock(long at, long size, boolean shared) throws IOException {
        checkOpen();
        if (shared) {
            checkReadable();
        } else {
            checkWritable();
        }
        if (!(inode instanceof RegularFile file)) {
            throw opener.failed("Is a directory");
        }
        FileLock lock = file.locks().lock(this, at, size, shared);
        if (!isOpen()) { // and may have released all before
            file.locks().releaseAll(this);
            throw new ClosedChannelException();
        }
        return lock;
    }

    // ---- parts ------------------------------------------------------------------------------------------------------

    private FileContent content() throws IOException {
        if (inode instanceof RegularFile file) {
            return file.content();
        }
        throw opener.failed("Is a directory");
    }

    private void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private void checkReadable() throws ClosedChannelException {
        checkOpen();
        if (!modes.reads()) {
            throw new NonReadableChannelException();
        }
    }

    private void checkWritable() throws ClosedChannelException {
        checkOpen();
        if (!modes.writes()) {
            throw new NonWritableChannelException();
        }
    }

    private static void requireAtLeastZero(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + " " + value + " < minimum 0");
        }
    }

    @Override
    protected void implCloseChannel() throws IOException {
        path.getFileSystem().forget(this);
        if (inode instanceof RegularFile file) {
            file.locks().releaseAll(this);
            try {
                if (modes.deletesOnClose()) {
                    path.getFileSystem().deleteIfSame(path, file);
                }
            } finally {
                file.unlink();
            }
        }
    }
}
