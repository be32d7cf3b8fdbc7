package io.verbena.bench.path;

import io.verbena.verification.RunException;
import java.io.File;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Agrona's ring buffers, one a direction, in a file that both ends map, touched beforehand: of 1 MiB, or of 8 messages,
 * which is the least that they take. A message is claimed and copied.
 */
final class RingEnd extends End {
    private static final int MIN_CAPACITY = 1 << 20;
    private static final int TYPE = 1;

    private final MappedByteBuffer memory;
    private final int capacity;
    private final RingBuffer in;
    private final Sender sender;
    private final MessageHandler handler = this::onMessage;

    RingEnd(Rendezvous rendezvous, boolean near, boolean manyProducers, PathSettings settings) {
        super(settings);
        capacity = BitUtil.findNextPositivePowerOfTwo(Math.max(MIN_CAPACITY, 8 * settings.slotLength()));
        int ring = capacity + RingBufferDescriptor.TRAILER_LENGTH;
        if (near) {
            File file = newFile();
            memory = IoUtil.mapNewFile(file, 2L * ring, true);
            rendezvous.tell(file.toString());
            rendezvous.meet(() -> {});
            if (!file.delete()) {
                throw new RunException("cannot delete " + file);
            }
        } else {
            memory = IoUtil.mapExistingFile(new File(rendezvous.hear(() -> {})), "rings");
            rendezvous.meet(() -> {});
        }
        RingBuffer first = ring(0, ring, manyProducers);
        RingBuffer second = ring(ring, ring, manyProducers);
        RingBuffer out = near ? first : second;
        in = near ? second : first;
        sender = new Sender(out, 0);
        if (near) {
            openProducers(index -> new Sender(out, index), () -> {});
        }
    }

    private static File newFile() {
        Path shared = Path.of("/dev/shm");
        Path directory = Files.isDirectory(shared) ? shared : Path.of(IoUtil.tmpDirName());
        return directory
                .resolve("verbena-bench-ring-" + ProcessHandle.current().pid() + "-" + System.nanoTime())
                .toFile();
    }

    private RingBuffer ring(int offset, int bytes, boolean manyProducers) {
        UnsafeBuffer buffer = new UnsafeBuffer(memory, offset, bytes);
        return manyProducers ? new ManyToOneRingBuffer(buffer) : new OneToOneRingBuffer(buffer);
    }

    @Override
    public boolean offer(long number) {
        return sender.offer(number);
    }

    @Override
    int receive(int limit) {
        return in.read(handler, limit);
    }

    private void onMessage(int type, MutableDirectBuffer buffer, int offset, int bytes) {
        Stamp.checkLength(bytes, length);
        accept(Stamp.get(buffer, offset, length));
    }

    @Override
    public void close() {
        super.close();
        IoUtil.unmap(memory);
    }

    /** One thread's way into a ring. */
    private final class Sender extends Producer {
        private final RingBuffer out;
        private final UnsafeBuffer message;
        private final long lane;

        Sender(RingBuffer out, int index) {
            super(settings.waiting());
            this.out = out;
            lane = (long) index << LANE_SHIFT;
            message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
        }

        @Override
        public boolean offer(long number) {
            Stamp.put(message, 0, length, lane | number);
            int at = out.tryClaim(TYPE, length);
            if (at < 0) {
                return false;
            }
            out.buffer().putBytes(at, message, 0, length);
            out.commit(at);
            return true;
        }
    }
}
