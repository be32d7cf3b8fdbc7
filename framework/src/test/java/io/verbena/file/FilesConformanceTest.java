package io.verbena.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every method of {@link Files}: what it does, or which exception says that it cannot. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
@SuppressWarnings("StreamResourceLeak") // names closes them
class FilesConformanceTest {
    private final Donors donors = Donors.local().add(4 << 20).add(4 << 20);
    private FileSystem system;
    private Path root;

    @BeforeEach
    void open() throws IOException {
        system = donors.small();
        root = system.getPath("/");
    }

    @AfterEach
    void close() throws IOException {
        donors.close();
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(root.resolve(name), content);
    }

    private static List<String> names(Stream<Path> paths) {
        try (paths) {
            return paths.map(Path::toString).sorted().toList();
        }
    }

    // ---- making and removing ----------------------------------------------------------------------------------------

    @Test
    void filesAndDirectoriesAreCreatedOnce() throws IOException {
        Path file = Files.createFile(root.resolve("file"));
        assertThat(Files.size(file)).isZero();
        assertThatExceptionOfType(FileAlreadyExistsException.class).isThrownBy(() -> Files.createFile(file));
        Path directory = Files.createDirectory(root.resolve("directory"));
        assertThatExceptionOfType(FileAlreadyExistsException.class).isThrownBy(() -> Files.createDirectory(directory));
        assertThatExceptionOfType(FileAlreadyExistsException.class).isThrownBy(() -> Files.createDirectory(root));
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> Files.createDirectory(root.resolve("no/where")))
                .withMessage("/no/where");
        assertThatExceptionOfType(NotDirectoryException.class)
                .isThrownBy(() -> Files.createFile(file.resolve("below")));
        Path deep = Files.createDirectories(root.resolve("x/y/z"));
        assertThat(Files.isDirectory(deep)).isTrue();
        assertThat(Files.createDirectories(deep)).isEqualTo(deep);
        assertThatThrownBy(() -> Files.createFile(
                        root.resolve("secret"),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(Files.exists(root.resolve("secret"))).isFalse();
    }

    @Test
    void temporaryFilesHaveNamesOfTheirOwn() throws IOException {
        Set<Path> made = new TreeSet<>();
        for (int i = 0; i < 10; i++) {
            made.add(Files.createTempFile(root, "a", ".b"));
            made.add(Files.createTempDirectory(root, "d"));
        }
        assertThat(made).hasSize(20).allMatch(Files::exists);
    }

    @Test
    void onlyWhatIsThereAndEmptyIsDeleted() throws IOException {
        Path directory = Files.createDirectory(root.resolve("d"));
        Path file = file("d/f", "content");
        assertThatExceptionOfType(DirectoryNotEmptyException.class).isThrownBy(() -> Files.delete(directory));
        Files.delete(file);
        Files.delete(directory);
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> Files.delete(directory));
        assertThat(Files.deleteIfExists(directory)).isFalse();
        assertThat(Files.deleteIfExists(file("g", ""))).isTrue();
        assertThatExceptionOfType(FileSystemException.class).isThrownBy(() -> Files.delete(root));
    }

    @Test
    void aFileHasSeveralNamesAndNoSymbolicOnes() throws IOException {
        Path file = file("file", "content");
        Path link = Files.createLink(root.resolve("link"), file);
        assertThat(Files.isSameFile(file, link)).isTrue();
        Files.delete(file);
        assertThat(Files.readString(link)).isEqualTo("content");
        assertThatThrownBy(() -> Files.createSymbolicLink(file, link))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.readSymbolicLink(link)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(Files.isSymbolicLink(link)).isFalse();
        Path directory = Files.createDirectory(root.resolve("d"));
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> Files.createLink(root.resolve("e"), directory));
    }

    // ---- content ----------------------------------------------------------------------------------------------------

    @Test
    void wholeFilesAreReadAndWritten() throws IOException {
        byte[] bytes = new byte[300_000];
        new SplittableRandom(1).nextBytes(bytes);
        Path file = Files.write(root.resolve("bytes"), bytes);
        assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
        assertThat(Files.size(file)).isEqualTo(bytes.length);
        Path other = Files.write(root.resolve("other"), bytes);
        assertThat(Files.mismatch(file, other)).isEqualTo(-1);
        bytes[200_000]++;
        Files.write(other, bytes);
        assertThat(Files.mismatch(file, other)).isEqualTo(200_000);
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> Files.readAllBytes(root.resolve("nothing")))
                .withMessage("/nothing");
        assertThatThrownBy(() -> Files.readAllBytes(root)).isInstanceOf(IOException.class);
    }

    @Test
    void linesAndTextAreReadAndWritten() throws IOException {
        Path file = Files.write(root.resolve("lines"), List.of("ä", "b"));
        assertThat(Files.readAllLines(file)).containsExactly("ä", "b");
        try (BufferedWriter writer = Files.newBufferedWriter(file)) {
            writer.write("one\ntwo");
        }
        try (Stream<String> lines = Files.lines(file, UTF_8)) {
            assertThat(lines).containsExactly("one", "two");
        }
        assertThat(Files.newBufferedReader(file).readLine()).isEqualTo("one");
        Files.writeString(file, "\nthree", java.nio.file.StandardOpenOption.APPEND);
        assertThat(Files.readString(file)).isEqualTo("one\ntwo\nthree");
    }

    @Test
    void streamsReadAndWrite() throws IOException {
        Path file = root.resolve("stream");
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < 3; i++) {
                out.write(new byte[] {1, 2, 3});
            }
        }
        try (InputStream in = Files.newInputStream(file)) {
            assertThat(in.skip(2)).isEqualTo(2);
            assertThat(in.readAllBytes()).containsExactly(3, 1, 2, 3, 1, 2, 3);
        }
        assertThatThrownBy(() -> Files.newInputStream(file, java.nio.file.StandardOpenOption.WRITE))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Files.newOutputStream(file, java.nio.file.StandardOpenOption.READ));
    }

    // ---- copying and moving -----------------------------------------------------------------------------------------

    @Test
    void filesAreCopied() throws IOException {
        Path file = file("file", "content");
        Files.setLastModifiedTime(file, FileTime.fromMillis(77));
        Path copy = Files.copy(file, root.resolve("copy"));
        assertThat(Files.readString(copy)).isEqualTo("content");
        assertThat(Files.getLastModifiedTime(copy)).isNotEqualTo(FileTime.fromMillis(77));
        assertThatExceptionOfType(FileAlreadyExistsException.class).isThrownBy(() -> Files.copy(file, copy));
        Files.copy(file, copy, REPLACE_EXISTING, COPY_ATTRIBUTES);
        assertThat(Files.getLastModifiedTime(copy)).isEqualTo(FileTime.fromMillis(77));
        assertThat(Files.copy(file, file)).as("itself").isEqualTo(file);
        Path directory = Files.createDirectory(root.resolve("d"));
        Files.writeString(directory.resolve("f"), "");
        assertThatExceptionOfType(DirectoryNotEmptyException.class)
                .isThrownBy(() -> Files.copy(file, directory, REPLACE_EXISTING));
        assertThat(names(Files.list(Files.copy(directory, root.resolve("e"))))).isEmpty();
        assertThatThrownBy(() -> Files.copy(file, copy, StandardCopyOption.ATOMIC_MOVE))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    /** A copy for which there is no room leaves its target, and no block of its own. */
    @Test
    void aCopyThatFailsLeavesItsTarget() throws IOException {
        Path large = Files.write(root.resolve("large"), new byte[5 << 20]);
        Path target = file("target", "old");
        FileStore store = Files.getFileStore(root);
        long before = store.getUnallocatedSpace();
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> Files.copy(large, target, REPLACE_EXISTING))
                .withMessageStartingWith("/target: No space left");
        assertThat(Files.readString(target)).isEqualTo("old");
        assertThat(store.getUnallocatedSpace()).isEqualTo(before);
    }

    @Test
    void streamsAreCopied() throws IOException {
        Path file = root.resolve("file");
        assertThat(Files.copy(new ByteArrayInputStream(new byte[100_000]), file))
                .isEqualTo(100_000);
        assertThatExceptionOfType(FileAlreadyExistsException.class)
                .isThrownBy(() -> Files.copy(new ByteArrayInputStream(new byte[1]), file));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(Files.copy(file, out)).isEqualTo(100_000);
        assertThat(out.size()).isEqualTo(100_000);
    }

    @Test
    void filesAreMoved() throws IOException {
        Path file = file("file", "content");
        Path moved = Files.move(file, root.resolve("moved"));
        assertThat(Files.exists(file)).isFalse();
        Path other = file("other", "other");
        assertThatExceptionOfType(FileAlreadyExistsException.class).isThrownBy(() -> Files.move(other, moved));
        Files.move(other, moved, StandardCopyOption.ATOMIC_MOVE);
        assertThat(Files.readString(moved)).isEqualTo("other");
        Path directory = Files.createDirectories(root.resolve("d/e"));
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> Files.move(root.resolve("d"), directory.resolve("f")))
                .withMessageContaining("into itself");
        Files.move(root.resolve("d"), root.resolve("g"));
        assertThat(names(Files.walk(root))).containsExactly("/", "/g", "/g/e", "/moved");
        assertThatExceptionOfType(DirectoryNotEmptyException.class)
                .isThrownBy(() -> Files.move(moved, root.resolve("g"), REPLACE_EXISTING));
        Files.move(moved, root.resolve("g/e"), REPLACE_EXISTING, LinkOption.NOFOLLOW_LINKS);
        assertThat(Files.readString(root.resolve("g/e"))).isEqualTo("other");
    }

    @Test
    void whatGoesToAnotherFileSystemArrives(@TempDir Path disk) throws IOException {
        donors.add(1 << 20);
        Map<String, Object> properties = donors.properties();
        properties.put("peers", donors.address(2));
        try (FileSystem second = donors.open("second", properties)) {
            Path file = file("file", "content");
            Path target = second.getPath("/file");
            assertThatExceptionOfType(AtomicMoveNotSupportedException.class)
                    .isThrownBy(() -> Files.move(file, target, StandardCopyOption.ATOMIC_MOVE));
            Files.copy(file, target);
            Files.move(target, root.resolve("back"));
            assertThat(Files.readString(root.resolve("back"))).isEqualTo("content");
            assertThat(Files.exists(target)).isFalse();
            Path outside = Files.move(file, disk.resolve("file"));
            assertThat(Files.readString(outside)).isEqualTo("content");
            Files.copy(outside, file);
            assertThat(Files.readString(file)).isEqualTo("content");
            assertThatThrownBy(() -> root.resolve(disk)).isInstanceOf(ProviderMismatchException.class);
            assertThat(Files.isSameFile(file, outside)).isFalse();
        }
    }

    // ---- directories ------------------------------------------------------------------------------------------------

    @Test
    void directoriesAreListedWalkedAndSearched() throws IOException {
        Files.createDirectories(root.resolve("a/b"));
        file("a/one.txt", "");
        file("a/b/two.java", "22");
        assertThat(names(Files.list(root.resolve("a")))).containsExactly("/a/b", "/a/one.txt");
        assertThat(names(Files.walk(root, 2))).containsExactly("/", "/a", "/a/b", "/a/one.txt");
        assertThat(names(Files.find(root, 9, (path, attributes) -> attributes.size() == 2)))
                .containsExactly("/a/b/two.java");
        List<String> visited = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
                visited.add(path.toString());
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(visited).containsExactlyInAnyOrder("/a/one.txt", "/a/b/two.java");
        assertThat(names(Files.list(system.getPath("a")))).as("relative").containsExactly("a/b", "a/one.txt");
    }

    @Test
    void streamsOfDirectoriesKeepTheirContract() throws IOException {
        file("a", "");
        file("b", "");
        assertThatExceptionOfType(NotDirectoryException.class)
                .isThrownBy(() -> Files.newDirectoryStream(root.resolve("a")));
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> Files.newDirectoryStream(root.resolve("c")));
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(root, "[!a]")) {
            Iterator<Path> entries = stream.iterator();
            assertThat(entries.next()).isEqualTo(root.resolve("b"));
            assertThat(entries.hasNext()).isFalse();
            assertThatThrownBy(entries::remove).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(stream::iterator).isInstanceOf(IllegalStateException.class);
        }
        try (DirectoryStream<Path> closed = Files.newDirectoryStream(root)) {
            Iterator<Path> entries = closed.iterator();
            closed.close();
            assertThat(entries.hasNext()).isFalse();
            assertThatThrownBy(closed::iterator).isInstanceOf(IllegalStateException.class);
        }
        DirectoryStream.Filter<Path> failing = path -> {
            throw new IOException("filter");
        };
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(root, failing)) {
            assertThatExceptionOfType(DirectoryIteratorException.class)
                    .isThrownBy(() -> stream.iterator().hasNext());
        }
    }

    // ---- attributes -------------------------------------------------------------------------------------------------

    @Test
    void attributesAreReadAndSet() throws IOException {
        Path file = file("file", "content");
        FileTime time = FileTime.from(1_234_567_890_123_456_789L, TimeUnit.NANOSECONDS);
        Files.setLastModifiedTime(file, time);
        Files.setAttribute(file, "creationTime", FileTime.fromMillis(1));
        Files.setAttribute(file, "basic:lastAccessTime", FileTime.fromMillis(2));
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        assertThat(attributes.lastModifiedTime()).isEqualTo(time).isEqualTo(Files.getLastModifiedTime(file));
        assertThat(attributes.creationTime()).isEqualTo(FileTime.fromMillis(1));
        assertThat(attributes.lastAccessTime()).isEqualTo(FileTime.fromMillis(2));
        assertThat(attributes.size()).isEqualTo(7);
        assertThat(attributes.isRegularFile()).isTrue();
        assertThat(attributes.isOther() || attributes.isSymbolicLink() || attributes.isDirectory())
                .isFalse();
        assertThat(attributes.fileKey()).isNotNull();
        assertThat(Files.getAttribute(file, "size")).isEqualTo(7L);
        assertThat(Files.readAttributes(file, "size,isDirectory")).isEqualTo(Map.of("size", 7L, "isDirectory", false));
        assertThat(Files.readAttributes(file, "basic:*")).hasSize(9);
        BasicFileAttributeView view = Files.getFileAttributeView(file, BasicFileAttributeView.class);
        view.setTimes(null, null, FileTime.fromMillis(9));
        assertThat(view.readAttributes().creationTime()).isEqualTo(FileTime.fromMillis(9));
        Files.writeString(file, "more");
        assertThat(Files.getLastModifiedTime(file)).as("written").isGreaterThan(time);
        assertThatIllegalArgumentException().isThrownBy(() -> Files.getAttribute(file, "colour"));
        assertThatIllegalArgumentException().isThrownBy(() -> Files.setAttribute(file, "size", 3L));
    }

    @Test
    void thereAreNoUsersAndRights() throws IOException {
        Path file = file("file", "");
        assertThat(system.supportedFileAttributeViews()).containsExactly("basic");
        assertThat(Files.getFileAttributeView(file, PosixFileAttributeView.class))
                .isNull();
        assertThatThrownBy(() -> Files.readAttributes(file, PosixFileAttributes.class))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.getPosixFilePermissions(file)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.setPosixFilePermissions(file, Set.of()))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.getOwner(file)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.setOwner(file, null)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.getAttribute(file, "unix:mode"))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(system::newWatchService).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(system::getUserPrincipalLookupService).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(file::toFile).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void questionsAreAnswered() throws IOException {
        Path file = file(".hidden", "x");
        Path none = root.resolve("none");
        assertThat(Files.exists(file)).isTrue();
        assertThat(Files.notExists(none)).isTrue();
        assertThat(Files.isHidden(file)).isTrue();
        assertThat(Files.isHidden(root)).isFalse();
        assertThat(Files.isReadable(file) && Files.isWritable(file)).isTrue();
        assertThat(Files.isExecutable(file)).isFalse();
        assertThat(Files.isExecutable(root)).isTrue();
        assertThat(Files.isReadable(none)).isFalse();
        assertThat(Files.isDirectory(root)).isTrue();
        assertThat(Files.isRegularFile(file)).isTrue();
        assertThat(Files.isSameFile(file, root.resolve("./.hidden"))).isTrue();
        assertThat(Files.probeContentType(root.resolve("a.html"))).isIn("text/html", null);
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> Files.size(none));
    }

    // ---- room -------------------------------------------------------------------------------------------------------

    @Test
    void aStoreKnowsItsRoom() throws IOException {
        FileStore store = Files.getFileStore(root);
        assertThat(store.getTotalSpace()).isEqualTo(8 << 20);
        assertThat(store.getUsableSpace()).isEqualTo(8 << 20);
        file("file", "x");
        assertThat(store.getUnallocatedSpace()).isEqualTo((8 << 20) - Donors.BLOCK);
        assertThat(store.getUsableSpace()).isEqualTo((8 << 20) - Donors.BLOCK);
        assertThat(store.getBlockSize()).isEqualTo(Donors.BLOCK);
        assertThat(store.getAttribute("totalSpace")).isEqualTo(store.getTotalSpace());
        assertThat(store.supportsFileAttributeView("basic")).isTrue();
        assertThat(store.supportsFileAttributeView(PosixFileAttributeView.class))
                .isFalse();
        assertThat(system.getFileStores()).containsExactly(store);
        Files.delete(root.resolve("file"));
        assertThat(store.getUnallocatedSpace()).isEqualTo(8 << 20);
    }

    /** What fits is there, what does not is refused, and what is deleted makes room again. */
    @Test
    void whereThereIsNoRoomAWriteSaysSo() throws IOException {
        byte[] most = new byte[8 << 20];
        Arrays.fill(most, (byte) 3);
        Path file = Files.write(root.resolve("most"), most);
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> file("more", "x"))
                .withMessage("/more: No space left: all 64 blocks of 131072 bytes are used");
        assertThat(Files.size(root.resolve("more"))).isZero();
        assertThat(Files.readAllBytes(file)).isEqualTo(most);
        Files.delete(file);
        Path again = Files.write(root.resolve("again"), most);
        assertThat(Files.readAllBytes(again)).isEqualTo(most);
    }
}
