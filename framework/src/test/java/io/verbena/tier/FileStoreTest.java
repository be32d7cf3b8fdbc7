package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.Outcome;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Blocks in a file. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class FileStoreTest {
    private static final int LENGTH = 4096;
    private static final int READS = 3_000;

    private final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();

    @TempDir
    Path directory;

    private static UnsafeBuffer frame() {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(2 * LENGTH));
    }

    private void tell(long id, Outcome outcome, long value) {
        outcomes.add(outcome);
    }

    @Test
    void itsOwnerAloneReadsItAndItGoesAtTheEnd() throws Exception {
        Path path = directory.resolve("spill");
        Files.writeString(path, "of an earlier process");
        try (FileStore store = new FileStore(path, 5)) {
            assertThat(Files.size(path)).isZero();
            assertThat(store.number()).isEqualTo(5);
            assertThat(store.take()).isZero();
            assertThat(store.take()).isEqualTo(1);
            UnsafeBuffer source = frame();
            source.setMemory(LENGTH, LENGTH, (byte) 3);
            store.write(7 * LENGTH, source, LENGTH, LENGTH, 0, this::tell);
            UnsafeBuffer target = frame();
            store.read(7 * LENGTH, target, 0, LENGTH, 0, this::tell);
            assertThat(target.getByte(LENGTH - 1)).isEqualTo((byte) 3);
            assertThat(target.getByte(LENGTH)).isZero();
            store.read(8 * LENGTH - 1, target, 0, LENGTH, 0, this::tell);
            assertThat(outcomes).containsExactly(Outcome.DONE, Outcome.DONE, Outcome.CLOSED);
            assertThat(store).asString().contains("which failed: ", "ends before");
        }
        assertThat(path).doesNotExist();
        try (FileStore fresh = new FileStore(path, 0)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
            fresh.close();
            fresh.write(0, frame(), 0, LENGTH, 0, this::tell);
        }
        assertThat(outcomes).last().isEqualTo(Outcome.CLOSED);
        assertThat(path).doesNotExist();
    }

    /** An interrupt closes the channel, under the one that is interrupted and under the other. */
    @Test
    void interruptsAreNothingToReads() throws InterruptedException {
        try (FileStore store = new FileStore(directory.resolve("spill"), 0)) {
            store.write(0, frame(), 0, LENGTH, 0, this::tell);
            Thread interrupted = new Thread(() -> readAll(store));
            Thread other = new Thread(() -> readAll(store));
            interrupted.start();
            other.start();
            while (interrupted.isAlive()) {
                interrupted.interrupt();
                Thread.onSpinWait();
            }
            other.join();
        }
        assertThat(outcomes).hasSize(1 + 2 * READS).containsOnly(Outcome.DONE);
    }

    private void readAll(FileStore store) {
        UnsafeBuffer target = frame();
        for (int i = 0; i < READS; i++) {
            store.read(0, target, 0, LENGTH, i, this::tell);
        }
    }
}
