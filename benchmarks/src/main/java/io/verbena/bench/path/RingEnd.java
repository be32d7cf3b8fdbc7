package io.verbena.bench.path;

import io.verbena.bench.BenchException;
import java.io.File;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** Agrona's ring buffers, one of {@value #CAPACITY} bytes a direction, in a file that both ends map. */
final class RingEnd extends End {
    private static final int CAPACITY = 1 << 20;
    private static final int RING = CAPACITY + RingBufferDescriptor.TRAILER_LENGTH;
    private static final int TYPE = 1;

    private final MappedByteBuffer memory;
    private final RingBuffer out;
    private final RingBuffer in;
    private final UnsafeBuffer message;
    private final MessageHandler handler = this::onMessage;

    RingEnd(Rendezvous rendezvous, boolean near, boolean manyProducers, int length) {
        super(length);
        if (near) {
            File file = newFile();
            memory = IoUtil.mapNewFile(file, 2L * RING);
            rendezvous.tell(file.toString());
            rendezvous.meet(() -> {});
            if (!file.delete()) {
                throw new BenchException("cannot delete " + file);
            }
        } else {
            memory = IoUtil.mapExistingFile(new File(rendezvous.hear(() -> {})), "rings");
            rendezvous.meet(() -> {});
        }
        RingBuffer first = ring(0, manyProducers);
        RingBuffer second = ring(RING, manyProducers);
        out = near ? first : second;
        in = near ? second : first;
        message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, Long.BYTES));
    }

    private static File newFile() {
        Path shared = Path.of("/dev/shm");
        Path directory = Files.isDirectory(shared) ? shared : Path.of(IoUtil.tmpDirName());
        return directory
                .resolve("verbena-bench-ring-" + ProcessHandle.current().pid() + "-" + System.nanoTime())
                .toFile();
    }

    private RingBuffer ring(int offset, boolean manyProducers) {
        UnsafeBuffer buffer = new UnsafeBuffer(memory, offset, RING);
        return manyProducers ? new ManyToOneRingBuffer(buffer) : new OneToOneRingBuffer(buffer);
    }

    @Override
    public boolean offer(long number) {
        message.putLong(0, number);
        return out.write(TYPE, (DirectBuffer) message, 0, length);
    }

    @Override
    public void flush() {}

    @Override
    public int poll(int limit) {
        return in.read(handler, limit);
    }

    private void onMessage(int type, MutableDirectBuffer buffer, int offset, int bytes) {
        accept(buffer.getLong(offset));
    }

    @Override
    public void close() {
        IoUtil.unmap(memory);
    }
}
