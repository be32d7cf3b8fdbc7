package io.verbena.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who goes next. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ContentLockTest {
    private final ContentLock lock = new ContentLock();
    private final Opener patient = new Opener("/file", () -> false);
    private final Opener gone = new Opener("/file", () -> true);

    @Test
    void severalShareIt() throws Exception {
        Lock first = lock.share(patient);
        lock.share(patient).unlock();
        first.unlock();
    }

    /** Readers that come later do not pass whoever wants it alone, however often that looks whether to go on. */
    @Test
    void nobodyPassesWhoStandsInLine() throws Exception {
        Lock shared = lock.share(patient);
        CompletableFuture<Void> looked = new CompletableFuture<>();
        Opener looking = new Opener("/file", () -> {
            looked.complete(null);
            return false;
        });
        CompletableFuture<Void> alone = CompletableFuture.runAsync(() -> {
            try {
                lock.own(looking).unlock();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        looked.get(30, TimeUnit.SECONDS);
        for (int i = 0; i < 20; i++) {
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> lock.share(gone))
                    .withMessage("/file: closed while it waited for others that use the file");
        }
        assertThat(lock.isAwaited()).isTrue();
        shared.unlock();
        alone.get(30, TimeUnit.SECONDS);
        assertThat(lock.isAwaited()).isFalse();
        lock.share(gone).unlock();
    }
}
