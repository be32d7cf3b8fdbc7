package io.verbena.bench.path;

import io.verbena.verification.RunException;
import java.io.File;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A plain copy, from slots of one piece of memory to slots of another: as many of them, as long, and gone around in the
 * same order as those of one-sided requests, so that what is in which cache is the same. The memory is direct, as the
 * regions of a process are, or a mapped file in shared memory, as the regions are that other processes reach.
 */
final class CopyEnd extends LocalEnd {
    private final UnsafeBuffer source;
    private final UnsafeBuffer target;
    private final int slots;
    private final int slotLength;
    private final @Nullable MappedByteBuffer mapped;
    private int next;
    private long copied;

    CopyEnd(Rendezvous rendezvous, boolean near, boolean shared, PathSettings settings) {
        super(near, settings);
        slots = settings.slots();
        slotLength = settings.slotLength();
        int bytes = near ? slots * slotLength : slotLength;
        mapped = shared && near ? map(2L * bytes) : null;
        source = mapped == null ? direct(bytes) : new UnsafeBuffer(mapped, 0, bytes);
        target = mapped == null ? direct(bytes) : new UnsafeBuffer(mapped, bytes, bytes);
        source.setMemory(0, bytes, (byte) 1);
        target.setMemory(0, bytes, (byte) 0);
        rendezvous.meet(() -> {});
    }

    private static UnsafeBuffer direct(int bytes) {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(bytes, BitUtil.CACHE_LINE_LENGTH));
    }

    private static MappedByteBuffer map(long bytes) {
        File file = Path.of(
                        "/dev/shm",
                        "verbena-bench-copy-" + ProcessHandle.current().pid() + "-" + System.nanoTime())
                .toFile();
        MappedByteBuffer made = IoUtil.mapNewFile(file, bytes, true);
        if (!file.delete()) {
            throw new RunException("cannot delete " + file);
        }
        return made;
    }

    @Override
    public boolean offer(long number) {
        int at = next * slotLength;
        next = next + 1 & slots - 1;
        Stamp.put(source, at, length, number);
        target.putBytes(at, source, at, length);
        if (Stamp.get(target, at, length) != number) {
            throw new RunException("copy " + number + " is not there");
        }
        copied++;
        return true;
    }

    @Override
    int complete(int limit) {
        int count = (int) (copied - taken());
        while (taken() < copied) {
            accept(taken());
        }
        return count;
    }

    @Override
    public void close() {
        if (mapped != null) {
            IoUtil.unmap(mapped);
        }
    }
}
