package io.verbena.bench.path;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import io.verbena.bench.BenchException;
import java.nio.file.Path;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Aeron IPC: an exclusive publication and an image a direction. The driver is embedded at the near end and has one thread
 * (SHARED) with its default idle strategy, which backs off: nothing but the two ends spins. The rest is Aeron's defaults.
 */
final class AeronEnd extends End {
    private static final int TO_FAR = 1001;
    private static final int TO_NEAR = 1002;

    private final @Nullable MediaDriver driver;
    private final Aeron aeron;
    private final ExclusivePublication publication;
    private final Image image;
    private final UnsafeBuffer message;
    private final FragmentHandler handler = this::onFragment;

    AeronEnd(Rendezvous rendezvous, boolean near, int length) {
        super(length);
        String directory;
        if (near) {
            Path made = Path.of(
                    IoUtil.tmpDirName(),
                    "verbena-bench-aeron-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
            Path fast = Path.of("/dev/shm");
            directory = (java.nio.file.Files.isDirectory(fast) ? fast.resolve(made.getFileName()) : made).toString();
            driver = MediaDriver.launch(new MediaDriver.Context()
                    .aeronDirectoryName(directory)
                    .threadingMode(ThreadingMode.SHARED)
                    .termBufferSparseFile(false)
                    .dirDeleteOnStart(true)
                    .dirDeleteOnShutdown(true));
            rendezvous.tell(directory);
        } else {
            driver = null;
            directory = rendezvous.hear(() -> {});
        }
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(directory));
        publication = aeron.addExclusivePublication(CommonContext.IPC_CHANNEL, near ? TO_FAR : TO_NEAR);
        Subscription subscription = aeron.addSubscription(CommonContext.IPC_CHANNEL, near ? TO_NEAR : TO_FAR);
        Deadline deadline = Deadline.ofSeconds(10, "connection over Aeron");
        while (!publication.isConnected() || subscription.hasNoImages()) {
            deadline.run();
        }
        image = subscription.imageAtIndex(0);
        message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, Long.BYTES));
        rendezvous.meet(() -> {});
    }

    @Override
    public boolean offer(long number) {
        message.putLong(0, number);
        long result = publication.offer(message, 0, length);
        if (result < 0 && result != Publication.BACK_PRESSURED && result != Publication.ADMIN_ACTION) {
            throw new BenchException("Aeron refuses a message: " + Publication.errorString(result));
        }
        return result >= 0;
    }

    @Override
    public void flush() {}

    @Override
    public int poll(int limit) {
        return image.poll(handler, limit);
    }

    private void onFragment(DirectBuffer buffer, int offset, int bytes, Header header) {
        accept(buffer.getLong(offset));
    }

    @Override
    public void close() {
        aeron.close();
        MediaDriver own = driver;
        if (own != null) {
            own.close();
        }
    }
}
