package io.verbena.file;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * What is in a directory, as it was when it was asked for. Closed, it has no more. Thread-safe, as its contract asks.
 */
final class DirectoryListing implements DirectoryStream<Path> {
    private final RemotePath directory;
    private final List<String> names;
    private final DirectoryStream.Filter<? super Path> filter;
    private boolean started; // under this
    private boolean closed; // under this

    DirectoryListing(RemotePath directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
        this.directory = directory;
        this.names = directory.getFileSystem().tree().list(directory);
        this.filter = filter;
    }

    @Override
    public synchronized Iterator<Path> iterator() {
        if (closed || started) {
            throw new IllegalStateException(directory + (closed ? ": closed" : ": has its iterator already"));
        }
        started = true;
        return new Entries();
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    private synchronized boolean isOpen() {
        return !closed && directory.getFileSystem().isOpen();
    }

    /** The entries that the filter lets pass. */
    private final class Entries implements Iterator<Path> {
        private final Iterator<String> left = names.iterator();
        private @Nullable Path next;

        @Override
        public synchronized boolean hasNext() {
            try {
                while (next == null && isOpen() && left.hasNext()) {
                    Path candidate = directory.resolve(left.next());
                    next = filter.accept(candidate) ? candidate : null;
                }
                return next != null;
            } catch (IOException e) {
                throw new DirectoryIteratorException(e);
            }
        }

        @Override
        public synchronized Path next() {
            Path found = hasNext() ? next : null;
            if (found == null) {
                throw new NoSuchElementException("no more in " + directory);
            }
            next = null;
            return found;
        }
    }
}
