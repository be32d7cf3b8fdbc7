package io.verbena.file;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@link Files#newByteChannel} with every set of options: the default file system says what is opened, read, written,
 * refused and left.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
@EnabledOnOs(OS.LINUX)
class ByteChannelsTest {
    private static final String CONTENT = "what was there";

    private final Donors donors = Donors.local().add(4 << 20);
    private Path ours = Path.of("");

    @TempDir
    private Path model;

    @BeforeEach
    void open() throws IOException {
        ours = donors.small().getPath("/");
    }

    @AfterEach
    void close() throws IOException {
        donors.close();
    }

    /** What has the name before it is opened. */
    private enum Before {
        NOTHING,
        FILE,
        DIRECTORY;

        void make(Path path) throws IOException {
            switch (this) {
                case FILE -> Files.writeString(path, CONTENT);
                case DIRECTORY -> Files.createDirectory(path);
                default -> assertThat(path).doesNotExist();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theDefaultFileSystemSaysTheSame(Before before) throws IOException {
        StandardOpenOption[] all = StandardOpenOption.values();
        for (int set = 0; set < 1 << all.length; set++) {
            Set<StandardOpenOption> options = EnumSet.noneOf(StandardOpenOption.class);
            for (StandardOpenOption each : all) {
                if ((set >> each.ordinal() & 1) != 0) {
                    options.add(each);
                }
            }
            assertThat(use(ours.resolve("file"), options, before))
                    .as("%s with %s", before, options)
                    .isEqualTo(use(model.resolve("file"), options, before));
        }
    }

    /** Opens what has just been made, uses it, and deletes what is left. @return all that was seen */
    private static List<Object> use(Path path, Set<StandardOpenOption> options, Before before) throws IOException {
        before.make(path);
        List<Object> seen = new ArrayList<>();
        see(seen, "open", () -> {
            SeekableByteChannel channel = Files.newByteChannel(path, options);
            try (channel) {
                if (before != Before.DIRECTORY) { // whose length is each file system's affair
                    use(channel, seen);
                }
            }
            return channel.size();
        });
        see(seen, "left", () -> Files.isRegularFile(path) ? Files.readString(path) : Files.exists(path));
        Files.deleteIfExists(path);
        return seen;
    }

    private static void use(SeekableByteChannel channel, List<Object> seen) {
        see(seen, "size", channel::size);
        see(seen, "position", channel::position);
        see(seen, "read", () -> read(channel, 4));
        see(seen, "write", () -> write(channel, "what is new"));
        see(seen, "position", channel::position);
        see(seen, "move", () -> channel.position(2).position());
        see(seen, "write", () -> write(channel, "within"));
        see(seen, "position", channel::position);
        see(seen, "truncate", () -> channel.truncate(12).size());
        see(seen, "position", channel::position);
        see(seen, "read", () -> read(channel.position(0), 100));
        see(seen, "behind", () -> channel.position(20).size());
        see(seen, "read", () -> read(channel, 1));
        see(seen, "write", () -> write(channel, "behind"));
        see(seen, "size", channel::size);
    }

    private static String read(SeekableByteChannel channel, int length) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(length);
        int count = channel.read(target);
        return count + " " + StandardCharsets.ISO_8859_1.decode(target.flip());
    }

    private static int write(SeekableByteChannel channel, String text) throws IOException {
        return channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static void see(List<Object> seen, String what, Callable<?> step) {
        Object result;
        try {
            result = step.call();
        } catch (Exception e) {
            result = e.getClass();
        }
        seen.add(what + " = " + result);
    }

    // ---- what is refused --------------------------------------------------------------------------------------------

    /** Both what contradicts itself and what is not known is refused before anything is done. */
    @Test
    void optionsThatCannotBeAreRefused() throws IOException {
        Path file = Files.writeString(ours.resolve("file"), CONTENT);
        Path absent = ours.resolve("absent");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Files.newByteChannel(absent, CREATE, APPEND, READ))
                .withMessage("APPEND with READ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Files.newByteChannel(file, APPEND, TRUNCATE_EXISTING))
                .withMessage("APPEND with TRUNCATE_EXISTING");
        OpenOption unknown = new OpenOption() {
            @Override
            public String toString() {
                return "mapped";
            }
        };
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> Files.newByteChannel(absent, CREATE, WRITE, unknown))
                .withMessage("option mapped");
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> Files.newByteChannel(absent, CREATE, WRITE, null));
        assertThat(absent).doesNotExist();
        assertThat(file).hasContent(CONTENT);
    }

    /** There is none that could be set in the same step, and so none is silently left out. */
    @Test
    void attributesOfWhatIsCreatedAreRefused() throws IOException {
        Path file = Files.writeString(ours.resolve("file"), CONTENT);
        Path absent = ours.resolve("absent");
        FileAttribute<?> rights = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        expectRefused(() -> Files.newByteChannel(absent, Set.of(CREATE_NEW, WRITE), rights));
        expectRefused(() -> Files.newByteChannel(absent, Set.of(CREATE, APPEND), rights));
        expectRefused(() -> FileChannel.open(absent, Set.of(CREATE, WRITE), rights));
        expectRefused(() -> Files.createFile(absent, rights));
        expectRefused(() -> Files.createDirectory(absent, rights));
        expectRefused(() -> Files.createTempFile(ours, "absent", "", rights));
        expectRefused(() -> Files.newByteChannel(file, Set.of(CREATE, WRITE, TRUNCATE_EXISTING), rights));
        expectRefused(() -> Files.newByteChannel(file, Set.of(READ), rights));
        assertThat(file).hasContent(CONTENT);
        try (Stream<Path> left = Files.list(ours)) {
            assertThat(left).containsExactly(file);
        }
    }

    private static void expectRefused(ThrowingCallable action) {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(action)
                .withMessage("attribute 'posix:permissions' of what is created");
    }
}
