package io.verbena.bench.check.messages;

import io.verbena.bench.check.messages.Resources.Kind;
import io.verbena.bench.trial.ChildCommand;
import io.verbena.verification.Waits;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.agrona.BufferUtil;
import picocli.CommandLine.Command;

/** A process that takes memory and tells by how much {@link Resources} says that it has grown. */
@Command(name = "resources", description = "Takes memory and looks.")
final class ResourcesProcess extends ChildCommand {
    /** Takes 256 MiB outside of the heap in several threads, and frees them; what lies between stays until the look. */
    static final String FREED = "freed";

    /** Fills 128 MiB of the heap. */
    static final String HEAP = "heap";

    private static final int THREADS = 4;
    private static final int BLOCKS = 1024;
    private static final int BLOCK = 64 << 10;

    @Override
    protected void run() {
        Resources before = Resources.now(MessagesSettings.SHARED);
        Resources after = switch (role) {
            case FREED -> freed();
            case HEAP -> heap();
            default -> throw unknownRole(FREED + " or " + HEAP);
        };
        Map<Kind, Long> grown = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            grown.put(kind, after.of(kind) - before.of(kind));
        }
        tell(grown);
    }

    private static Resources freed() {
        List<ByteBuffer> stay = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> fill(stay));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw Waits.interrupted(e);
            }
        }
        Resources after = Resources.now(MessagesSettings.SHARED);
        for (int look = 0; look < 3; look++) { // as a minute is judged: by the least of its looks
            after = after.least(Resources.now(MessagesSettings.SHARED));
        }
        stay.forEach(BufferUtil::free);
        return after;
    }

    private static void fill(List<ByteBuffer> stay) {
        List<ByteBuffer> go = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            go.add(ByteBuffer.allocateDirect(BLOCK)); // zeroed, and so resident
            if (i % 64 == 63) {
                synchronized (stay) {
                    stay.add(ByteBuffer.allocateDirect(64));
                }
            }
        }
        go.forEach(BufferUtil::free);
    }

    private static Resources heap() {
        byte[][] heap = new byte[128][];
        try {
            for (int i = 0; i < heap.length; i++) {
                heap[i] = new byte[1 << 20];
            }
            return Resources.now(MessagesSettings.SHARED);
        } finally {
            Reference.reachabilityFence(heap);
        }
    }
}
