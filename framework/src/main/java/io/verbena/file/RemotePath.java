package io.verbena.file;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A path: names between slashes, as on Unix. A relative one starts at the root when it is used, for there is no other
 * working directory. Any character but NUL and the slash may be in a name. Immutable.
 */
final class RemotePath implements Path {
    private final RemoteFileSystem fileSystem;
    private final boolean absolute;
    private final List<String> names; // of the empty path: one, which is empty
    private final String text;

    private RemotePath(RemoteFileSystem fileSystem, boolean absolute, List<String> names) {
        this.fileSystem = fileSystem;
        this.absolute = absolute;
        this.names = absolute || !names.isEmpty() ? names : List.of("");
        this.text = (absolute ? "/" : "") + String.join("/", this.names);
    }

    /** Parses a text. */
    static RemotePath parse(RemoteFileSystem fileSystem, String text) {
        int nul = text.indexOf('\0');
        if (nul >= 0) {
            throw new InvalidPathException(text, "NUL is in no name", nul);
        }
        List<String> names = new ArrayList<>();
        for (int from = 0; from < text.length(); ) {
            int slash = text.indexOf('/', from);
            int end = slash < 0 ? text.length() : slash;
            if (end > from) {
                names.add(text.substring(from, end));
            }
            from = end + 1;
        }
        return new RemotePath(fileSystem, text.startsWith("/"), List.copyOf(names));
    }

    /** A path of this provider; others are refused. */
    static RemotePath of(Path path) {
        if (Objects.requireNonNull(path, "path") instanceof RemotePath remote) {
            return remote;
        }
        throw new ProviderMismatchException(
                path + " is of " + path.getFileSystem().provider());
    }

    private RemotePath with(boolean isAbsolute, List<String> some) {
        return new RemotePath(fileSystem, isAbsolute, List.copyOf(some));
    }

    private boolean isEmpty() {
        return text.isEmpty();
    }

    /** The names on the way from the root. */
    List<String> steps() {
        return isEmpty() ? List.of() : names;
    }

    @Override
    public RemoteFileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return absolute;
    }

    @Override
    public @Nullable RemotePath getRoot() {
        return absolute ? with(true, List.of()) : null;
    }

    @Override
    public @Nullable RemotePath getFileName() {
        return names.isEmpty() ? null : with(false, names.subList(names.size() - 1, names.size()));
    }

    @Override
    public @Nullable RemotePath getParent() {
        if (names.size() > 1) {
            return with(absolute, names.subList(0, names.size() - 1));
        }
        return names.isEmpty() ? null : getRoot();
    }

    @Override
    public int getNameCount() {
        return names.size();
    }

    @Override
    public RemotePath getName(int index) {
        return subpath(index, index + 1);
    }

    @Override
    public RemotePath subpath(int from, int to) {
        if (from < 0 || to > names.size() || from >= to) {
            throw new IllegalArgumentException("names " + from + " to " + to + " of " + names.size() + " in " + text);
        }
        return with(false, names.subList(from, to));
    }

    private boolean isOfSame(Path other) {
        return other.getFileSystem() == fileSystem;
    }

    @Override
    public boolean startsWith(Path other) {
        if (!isOfSame(other) || other.isAbsolute() != absolute) {
            return false;
        }
        List<String> begin = of(other).names;
        return begin.size() <= names.size() && names.subList(0, begin.size()).equals(begin);
    }

    @Override
    public boolean endsWith(Path other) {
        if (!isOfSame(other)) {
            return false;
        }
        RemotePath end = of(other);
        if (end.absolute) {
            return equals(end);
        }
        int from = names.size() - end.names.size();
        return from >= 0 && names.subList(from, names.size()).equals(end.names);
    }

    @Override
    public RemotePath normalize() {
        List<String> kept = new ArrayList<>();
        for (String name : steps()) {
            boolean isUp = name.equals("..");
            boolean hasLast = !kept.isEmpty() && !kept.get(kept.size() - 1).equals("..");
            if (isUp && hasLast) {
                kept.remove(kept.size() - 1);
            } else if (!name.equals(".") && !(isUp && absolute)) {
                kept.add(name);
            }
        }
        return with(absolute, kept);
    }

    @Override
    public RemotePath resolve(Path other) {
        RemotePath end = of(other);
        if (end.absolute || isEmpty()) {
            return end;
        }
        if (end.isEmpty()) {
            return this;
        }
        List<String> all = new ArrayList<>(names);
        all.addAll(end.names);
        return with(absolute, all);
    }

    @Override
    public RemotePath relativize(Path other) {
        RemotePath target = of(other);
        if (target.absolute != absolute) {
            throw new IllegalArgumentException(text + " and " + target + " are not both absolute, or both relative");
        }
        if (isEmpty()) {
            return target;
        }
        boolean hasDots = hasDots() || target.hasDots();
        List<String> from = (hasDots ? normalize() : this).steps();
        List<String> to = (hasDots ? target.normalize() : target).steps();
        int same = 0;
        while (same < Math.min(from.size(), to.size()) && from.get(same).equals(to.get(same))) {
            same++;
        }
        List<String> rest = from.subList(same, from.size());
        if (rest.contains("..")) {
            throw new IllegalArgumentException("there is no way from " + text + " to " + target + " by names alone");
        }
        List<String> way = new ArrayList<>(Collections.nCopies(rest.size(), ".."));
        way.addAll(to.subList(same, to.size()));
        return with(false, way);
    }

    private boolean hasDots() {
        return names.contains("..") || names.contains(".");
    }

    @Override
    public URI toUri() {
        try {
            return new URI(RemoteFileSystemProvider.SCHEME, fileSystem.name(), toAbsolutePath().text, null, null);
        } catch (URISyntaxException e) {
            throw new AssertionError("the name of the file system was checked", e);
        }
    }

    @Override
    public RemotePath toAbsolutePath() {
        return absolute ? this : with(true, steps());
    }

    @Override
    public RemotePath toRealPath(LinkOption... options) throws IOException {
        return with(true, fileSystem.tree().realNames(this));
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        Objects.requireNonNull(watcher, "watcher");
        throw new UnsupportedOperationException("no watching of " + text);
    }

    @Override
    public int compareTo(Path other) {
        return text.compareTo(((RemotePath) other).text);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RemotePath path && path.fileSystem == fileSystem && path.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
