package io.verbena.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.CopyOption;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Does the same at random to two directories, the one of the default file system, which is the model, and one of ours:
 * both have to answer the same, be it with a value or with a class of exception.
 */
final class Twins {
    private static final String[] NAMES = {"a", "b", "c", "ä ö", "..", "."};
    private static final int MAX_LENGTH = 5 * 4096;
    private static final int FAR = 3 * BlockPool.BLOCK;
    private static final boolean IS_THROUGH_FILE_MISSING = Runtime.version().feature() > 17;

    private final List<Path> roots;
    private final SplittableRandom random;
    private final List<List<FileChannel>> open = new ArrayList<>(); // pairs
    private final StringBuilder trace = new StringBuilder();

    /** What is done to each of the two. */
    private interface Action {
        Object on(int twin) throws IOException;
    }

    Twins(Path model, Path ours, long seed) {
        this.roots = List.of(model, ours);
        this.random = new SplittableRandom(seed);
    }

    void run(int steps) throws IOException {
        for (int i = 0; i < steps; i++) {
            step();
        }
        expectSame();
        for (List<FileChannel> pair : open) {
            expect("content of an open file", twin -> bytes(pair.get(twin)));
            for (FileChannel each : pair) {
                each.close();
            }
        }
        open.clear();
        expectSame();
    }

    private void step() {
        int kind = random.nextInt(100);
        if (kind < 45) {
            useChannel();
        } else if (kind < 60) {
            openChannel();
        } else if (kind < 65) {
            closeChannel();
        } else if (kind < 82) {
            changeNames();
        } else {
            useFiles();
        }
    }

    // ---- names ------------------------------------------------------------------------------------------------------

    /** A path of up to three names, which now and then leads through a file, or nowhere. */
    private String path() {
        int depth = 1 + random.nextInt(3);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            // dots stay within the root: they only follow a name, and are not the last
            int names = i == 0 || i == depth - 1 ? 4 : NAMES.length;
            text.append(i == 0 ? "" : "/").append(NAMES[random.nextInt(names)]);
        }
        return text.toString();
    }

    private void changeNames() {
        String path = path();
        String other = path();
        switch (random.nextInt(5)) {
            case 0, 1 -> expect("create directory " + path, twin -> nothing(Files.createDirectory(at(twin, path))));
            case 2 -> expect("delete " + path, twin -> nothing(() -> Files.delete(at(twin, path))));
            case 3 -> {
                CopyOption[] options = replacing();
                expect("copy " + path + " to " + other + Arrays.toString(options), twin -> {
                    refuseOverlap(twin, path, other);
                    return nothing(Files.copy(at(twin, path), at(twin, other), options));
                });
            }
            default -> {
                CopyOption[] options =
                        random.nextInt(3) == 0 ? new CopyOption[] {StandardCopyOption.ATOMIC_MOVE} : replacing();
                expect("move " + path + " to " + other + Arrays.toString(options), twin -> {
                    refuseOverlap(twin, path, other);
                    return nothing(Files.move(at(twin, path), at(twin, other), options));
                });
            }
        }
    }

    /** The model deletes the target before it finds that it cannot go on; ours looks first. */
    private void refuseOverlap(int twin, String path, String other) throws IOException {
        Path from = at(twin, path).normalize();
        Path to = at(twin, other).normalize();
        if (!from.equals(to) && (from.startsWith(to) || to.startsWith(from))) {
            throw new IOException("left out");
        }
    }

    private CopyOption[] replacing() {
        return random.nextInt(3) == 0 ? new CopyOption[0] : new CopyOption[] {StandardCopyOption.REPLACE_EXISTING};
    }

    // ---- channels ---------------------------------------------------------------------------------------------------

    private void openChannel() {
        if (open.size() > 6) {
            closeChannel();
        }
        String path = path();
        Set<OpenOption> options = new HashSet<>();
        for (StandardOpenOption each : StandardOpenOption.values()) {
            boolean isRare = each == StandardOpenOption.CREATE_NEW || each == StandardOpenOption.APPEND;
            boolean isLeft = each == StandardOpenOption.DELETE_ON_CLOSE || each == StandardOpenOption.SPARSE;
            if (!isLeft && random.nextInt(isRare ? 8 : 2) == 0) {
                options.add(each);
            }
        }
        options.remove(random.nextInt(3) > 0 ? StandardOpenOption.SYNC : StandardOpenOption.READ);
        List<FileChannel> pair = new ArrayList<>();
        expect("open " + path + options, twin -> {
            pair.add(FileChannel.open(at(twin, path), options));
            return Files.isDirectory(at(twin, path));
        });
        if (pair.size() == 2) {
            open.add(pair);
        }
    }

    private void closeChannel() {
        if (!open.isEmpty()) {
            List<FileChannel> pair = open.remove(random.nextInt(open.size()));
            expect("close", twin -> nothing(() -> pair.get(twin).close()));
        }
    }

    private void useChannel() {
        if (open.isEmpty()) {
            return;
        }
        int number = random.nextInt(open.size());
        List<FileChannel> pair = open.get(number);
        long at = random.nextInt(3) == 0 ? random.nextInt(FAR) : random.nextInt(MAX_LENGTH);
        int length = random.nextInt(4) == 0 ? random.nextInt(2 * FAR / 3) : random.nextInt(MAX_LENGTH);
        String what = number + " at " + at + " length " + length;
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        boolean direct = random.nextBoolean();
        switch (random.nextInt(9)) {
            case 0, 1 -> expect("read " + what, twin -> read(pair.get(twin), at, length, direct));
            case 2 -> expect("read on " + what, twin -> read(pair.get(twin), -1, length, direct));
            case 3, 4 -> expect("write " + what, twin -> pair.get(twin).write(buffer(bytes, direct), at));
            case 5 -> expect("write on " + what, twin -> pair.get(twin).write(buffer(bytes, direct)));
            case 6 ->
                expect("truncate " + what, twin -> pair.get(twin).truncate(at).position());
            case 7 ->
                expect("position " + what, twin -> pair.get(twin).position(at).position());
            default ->
                expect("force " + what, twin -> nothing(() -> pair.get(twin).force(true)));
        }
        expect("size and position of " + number, twin -> sizeOf(pair.get(twin)));
    }

    /** The size of a directory is its file system's affair. */
    private static List<Long> sizeOf(FileChannel channel) throws IOException {
        boolean isDirectory = false;
        try {
            channel.read(ByteBuffer.allocate(1), 0);
        } catch (IOException e) {
            isDirectory = true;
        } catch (RuntimeException e) {
            isDirectory = false; // not readable
        }
        return isDirectory ? List.of() : List.of(channel.size(), channel.position());
    }

    private static ByteBuffer buffer(byte[] bytes, boolean direct) {
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(bytes.length) : ByteBuffer.allocate(bytes.length);
        return buffer.put(bytes).flip();
    }

    private static String read(FileChannel channel, long at, int length, boolean direct) throws IOException {
        ByteBuffer target = buffer(new byte[length], direct);
        int count = at < 0 ? channel.read(target) : channel.read(target, at);
        byte[] read = new byte[target.flip().remaining()];
        target.get(read);
        return count + " bytes " + Arrays.hashCode(read);
    }

    private static String bytes(FileChannel channel) throws IOException {
        return read(channel, 0, (int) Math.min(4L * FAR, channel.size()), false);
    }

    // ---- files ------------------------------------------------------------------------------------------------------

    private void useFiles() {
        String path = path();
        String other = path();
        byte[] bytes = new byte[random.nextInt(MAX_LENGTH)];
        random.nextBytes(bytes);
        FileTime time = FileTime.fromMillis(random.nextInt(Integer.MAX_VALUE));
        switch (random.nextInt(10)) {
            case 0 -> expect("exists " + path, twin -> exists(at(twin, path)));
            case 1 -> expect("list " + path, twin -> list(at(twin, path)));
            case 2 -> expect("read all " + path, twin -> Arrays.hashCode(Files.readAllBytes(at(twin, path))));
            case 3, 4 -> expect("write all " + path, twin -> nothing(Files.write(at(twin, path), bytes)));
            case 5 -> expect("kind of " + path, twin -> kind(at(twin, path)));
            case 6 -> expect("same " + path + " " + other, twin -> Files.isSameFile(at(twin, path), at(twin, other)));
            case 7 ->
                expect(
                        "real " + path,
                        twin -> roots.get(twin)
                                .toRealPath()
                                .relativize(at(twin, path).toRealPath())
                                .toString());
            case 8 ->
                expect(
                        "link " + path + " " + other,
                        twin -> nothing(Files.createLink(at(twin, path), at(twin, other))));
            default ->
                expect(
                        "time of " + path,
                        twin -> Files.getLastModifiedTime(Files.setLastModifiedTime(at(twin, path), time)));
        }
    }

    private static String exists(Path path) {
        return Files.exists(path) + (IS_THROUGH_FILE_MISSING ? "" : " " + Files.notExists(path));
    }

    private static List<String> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    private static String kind(Path path) throws IOException {
        boolean isDirectory = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
        return isDirectory + " " + Files.isRegularFile(path) + " " + (isDirectory ? 0 : Files.size(path));
    }

    // ---- comparing --------------------------------------------------------------------------------------------------

    private Path at(int twin, String path) {
        return roots.get(twin).resolve(path);
    }

    private static String nothing(Object ignored) {
        return "done";
    }

    /** What has no value. */
    private interface Effect {
        void run() throws IOException;
    }

    private static String nothing(Effect effect) throws IOException {
        effect.run();
        return "done";
    }

    private void expect(String what, Action action) {
        Object model = outcome(action, 0);
        Object ours = outcome(action, 1);
        trace.append(what).append(" = ").append(model).append('\n');
        if (!isAnswer(ours, model)) {
            throw new AssertionError(what + ": the model says " + model + ", ours " + ours + "\n" + trace);
        }
    }

    /** Where the model names no reason, ours may. Where a path leads through a file, a later model calls it missing. */
    private static boolean isAnswer(Object ours, Object model) {
        return ours.equals(model)
                || (IS_THROUGH_FILE_MISSING
                        && model == NoSuchFileException.class
                        && ours == NotDirectoryException.class)
                || ((model == FileSystemException.class || model == IOException.class)
                        && ours instanceof Class<?> type
                        && FileSystemException.class.isAssignableFrom(type));
    }

    private static Object outcome(Action action, int twin) {
        try {
            return action.on(twin);
        } catch (IOException | RuntimeException e) {
            return e.getClass();
        }
    }

    private void expectSame() throws IOException {
        assertThat(tree(roots.get(1))).as(trace.toString()).isEqualTo(tree(roots.get(0)));
    }

    private static List<String> tree(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            List<String> lines = new ArrayList<>();
            for (Path each : all.toList()) {
                String content = Files.isDirectory(each) ? "" : " " + Arrays.hashCode(Files.readAllBytes(each));
                lines.add(root.relativize(each) + content);
            }
            return lines.stream().sorted().toList();
        }
    }
}
