package io.verbena.file;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads on the same files, of which next to nothing is here. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ConcurrentFilesTest {
    private static final int THREADS = 4;

    private final Donors donors = Donors.local().add(16 << 20).add(16 << 20);
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private FileSystem system;

    @BeforeEach
    void open() throws Exception {
        system = donors.small();
    }

    @AfterEach
    void close() throws Exception {
        threads.shutdownNow();
        donors.close();
    }

    /** What a thread does. */
    private interface Part {
        void run(int self) throws Exception;
    }

    private void together(Part part) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int self = i;
            running.add(threads.submit(() -> {
                part.run(self);
                return null;
            }));
        }
        for (Future<?> each : running) {
            each.get(120, TimeUnit.SECONDS);
        }
    }

    /** Records are not mixed, none is lost, and each thread's are in its order. */
    @Test
    void appendsAreWhole() throws Exception {
        int count = 300;
        int length = 1000; // no part of a page
        Path file = system.getPath("/log");
        together(self -> {
            try (FileChannel channel = FileChannel.open(file, CREATE, APPEND)) {
                for (int i = 0; i < count; i++) {
                    ByteBuffer record = ByteBuffer.allocate(length).putInt(self).putInt(i);
                    while (record.hasRemaining()) {
                        record.put((byte) (self * 31 + i));
                    }
                    assertThat(channel.write(record.flip())).isEqualTo(length);
                }
            }
        });
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
        assertThat(all.remaining()).isEqualTo(THREADS * count * length);
        int[] next = new int[THREADS];
        while (all.hasRemaining()) {
            int self = all.getInt();
            int i = all.getInt();
            assertThat(i).isEqualTo(next[self]++);
            for (int at = 8; at < length; at++) {
                if (all.get() != (byte) (self * 31 + i)) {
                    throw new AssertionError("record " + i + " of " + self + " is mixed at " + at);
                }
            }
        }
    }

    /** Readers of a page see a whole write of it, while the file grows and shrinks beside. */
    @Test
    void pagesAreReadWholeWhileTheFileGrowsAndShrinks() throws Exception {
        Path file = system.getPath("/file");
        int pages = 80;
        AtomicInteger seen = new AtomicInteger();
        try (FileChannel channel = FileChannel.open(file, CREATE, READ, WRITE)) {
            together(self -> {
                SplittableRandom random = new SplittableRandom(self);
                ByteBuffer page = ByteBuffer.allocate(Donors.PAGE);
                for (int i = 0; i < 400; i++) {
                    long at = (long) random.nextInt(pages) * Donors.PAGE;
                    page.clear();
                    int kind = random.nextInt(8);
                    if (kind == 0) {
                        channel.truncate(at);
                    } else if (kind < 4) {
                        java.util.Arrays.fill(page.array(), (byte) random.nextInt(1, 100));
                        channel.write(page, at);
                    } else {
                        int count = channel.read(page, at);
                        assertThat(count).isIn(-1, Donors.PAGE);
                        for (int b = 1; b < count; b++) {
                            assertThat(page.get(b)).isEqualTo(page.get(0));
                        }
                        seen.addAndGet(count > 0 && page.get(0) != 0 ? 1 : 0);
                    }
                }
            });
        }
        assertThat(seen.get()).isPositive();
        Files.delete(file);
        expectAllFree();
    }

    /** Threads that look which blocks a file has, to copy it, do not take them from each other. */
    @Test
    void allSeeAllBlocks() throws Exception {
        int blocks = 200;
        FileContent content = new FileContent(((RemoteFileSystem) system).pool(), Donors.LONG);
        Opener opener = Opener.of((RemotePath) system.getPath("/file"));
        for (int i = 0; i < blocks; i++) {
            content.write((long) i * Donors.BLOCK, ByteBuffer.wrap(new byte[] {1}), opener);
        }
        together(self -> {
            for (int i = 0; i < 10_000; i++) {
                assertThat(content.held(opener).length).isEqualTo(blocks);
            }
        });
        content.release();
        expectAllFree();
    }

    /** Files are made, replaced, renamed and deleted by all: each open is of a whole file, and no block is left. */
    @Test
    void namesChangeUnderReaders() throws Exception {
        together(self -> {
            SplittableRandom random = new SplittableRandom(self);
            for (int i = 0; i < 250; i++) {
                Path path = system.getPath("/f" + random.nextInt(5));
                Path own = system.getPath("/own" + self);
                try {
                    switch (random.nextInt(5)) {
                        case 0 -> Files.delete(path);
                        case 1 -> Files.copy(path, system.getPath("/f" + random.nextInt(5)));
                        case 2 -> {
                            byte[] bytes = new byte[random.nextInt(1, 2 * Donors.BLOCK)];
                            java.util.Arrays.fill(bytes, (byte) random.nextInt());
                            Files.write(own, bytes);
                            Files.move(own, path, StandardCopyOption.ATOMIC_MOVE);
                        }
                        default -> {
                            byte[] bytes = Files.readAllBytes(path);
                            for (byte each : bytes) {
                                if (each != bytes[0]) {
                                    throw new AssertionError(path + " is of two files");
                                }
                            }
                        }
                    }
                } catch (NoSuchFileException | FileAlreadyExistsException e) {
                    assertThat(e.getFile()).startsWith("/f");
                }
            }
        });
        try (Stream<Path> left = Files.list(system.getPath("/"))) {
            for (Path each : left.toList()) {
                Files.delete(each);
            }
        }
        expectAllFree();
    }

    private void expectAllFree() throws Exception {
        FileStore store = Files.getFileStore(system.getPath("/"));
        assertThat(store.getUnallocatedSpace()).isEqualTo(store.getTotalSpace());
    }

    /** One of all wins. */
    @Test
    void aFileIsCreatedOnce() throws Exception {
        Map<String, AtomicInteger> made = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            made.put("/n" + i, new AtomicInteger());
        }
        together(self -> {
            for (Map.Entry<String, AtomicInteger> each : made.entrySet()) {
                try {
                    Files.createFile(system.getPath(each.getKey()));
                    each.getValue().incrementAndGet();
                } catch (FileAlreadyExistsException e) {
                    assertThat(e.getFile()).isEqualTo(each.getKey());
                }
            }
        });
        assertThat(made.values()).allMatch(count -> count.get() == 1);
    }
}
