package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/**
 * A program: initiators (some of which stall in the middle of a copy for longer than the owner waits, though they are
 * alive), the owner's responder with large messages, a consumer that stops now and then, somebody who only looks
 * whether there is something, and an allocator that gives back what is drained at once. Every chunk that goes back is
 * unmapped under the feet of whoever still holds it. Each message is checked. Ends with 0, or not at all.
 */
final class UnmapRace {
    private static final int INITIATORS = 3;
    private static final long HOLE_TIMEOUT = 2_000_000;

    private final Counting memory = new Counting();
    private final ControlBlock control = ControlBlock.create(memory, 42, new ControlLimits(2, 16, 16, 4, 8));
    private final TailPointerTable queues = new TailPointerTable(control, memory, System::nanoTime);
    private final ChunkAllocator allocator = new ChunkAllocator(queues);
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final AppendQueue queue;
    private volatile boolean stop;
    private volatile Throwable failure;

    private UnmapRace() {
        for (int qp = 0; qp < 16; qp++) {
            control.setQpWord(qp, QueuePairWord.pack(3, 0, 0, 1));
        }
        queue = queues.create(
                new AppendQueueAttributes()
                        .chunkLength(CHUNK)
                        .maxMessage(4 * CHUNK)
                        .memoryLimit(24L * CHUNK)
                        .reserveChunks(1)
                        .holeTimeoutNanos(HOLE_TIMEOUT)
                        .surplusNanos(1000),
                1,
                0);
    }

    /** Counts what is unmapped. */
    private static final class Counting implements MemoryProvider {
        private final DirectMemoryProvider memory = new DirectMemoryProvider();
        final AtomicLong unmapped = new AtomicLong();
        final AtomicLong released = new AtomicLong();

        @Override
        public AtomicBuffer allocateControl(int length) {
            return memory.allocateControl(length);
        }

        @Override
        public AtomicBuffer control() {
            return memory.control();
        }

        @Override
        public Segment allocate(int length) {
            return memory.allocate(length);
        }

        @Override
        public void release(Segment segment) {
            released.incrementAndGet();
            memory.release(segment);
        }

        @Override
        public void unmap(Segment segment) {
            unmapped.incrementAndGet();
            memory.unmap(segment);
        }

        @Override
        public AtomicBuffer segment(int id) {
            return memory.segment(id);
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new UnmapRace().run(Integer.parseInt(args[0]));
    }

    private void run(int rolls) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int sender = 1; sender <= INITIATORS; sender++) {
            int id = sender;
            threads.add(start(() -> initiate(id)));
        }
        threads.add(start(this::respond));
        threads.add(start(this::allocate));
        threads.add(start(() -> {
            while (!stop) {
                queue.isDrained(); // as a thread does that is about to sleep
                LockSupport.parkNanos(1);
            }
        }));
        SplittableRandom random = new SplittableRandom(7);
        long first = AppendQueueDescriptor.sequence(
                control.buffer().getLong(control.queueOffset(0) + AppendQueueDescriptor.HEAD_OFFSET));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
        while (failure == null && System.nanoTime() - deadline < 0) {
            queue.poll(this::check, 1 + random.nextInt(300));
            if (random.nextInt(20_000) == 0) {
                LockSupport.parkNanos(1 + random.nextInt(3_000_000)); // a backlog, which is then drained
            }
            long at = AppendQueueDescriptor.sequence(
                    control.buffer().getLongVolatile(control.queueOffset(0) + AppendQueueDescriptor.HEAD_OFFSET));
            if (at - first >= rolls && hasHappened()) {
                break;
            }
        }
        stop = true;
        for (Thread thread : threads) {
            thread.join(10_000);
        }
        if (failure != null) {
            failure.printStackTrace();
            System.exit(1);
        }
        AppendQueueStatistics statistics = queue.query();
        System.out.printf(
                "%d records, %d mapped, %d unmapped, %d left to the collector, %d holes, %d lost claims%n",
                statistics.records(),
                statistics.allocations(),
                memory.unmapped.get(),
                memory.released.get(),
                statistics.holes(),
                lost.get());
        if (!hasHappened()) {
            System.out.println("the race did not happen");
            System.exit(2);
        }
        System.out.println("nothing was touched that was unmapped");
        System.exit(0);
    }

    /** Whether enough was unmapped, and initiators have died and have been late meanwhile. */
    private boolean hasHappened() {
        return memory.unmapped.get() >= 100 && lost.get() > 0 && queue.query().holes() > 0;
    }

    private Thread start(Runnable body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                failure = e;
                stop = true;
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static long stamp(int sender, int length) {
        return ((long) sender << 32 | length) * 0x9E37_79B9_7F4A_7C15L;
    }

    private void initiate(int sender) {
        Appender appender = new Appender(ControlBlock.map(memory.control()), new OwnMemory(memory));
        SplittableRandom random = new SplittableRandom(sender);
        while (!stop) {
            int length = random.nextInt(8) == 0 ? random.nextInt(CHUNK / 4) : random.nextInt(2_000);
            if (AppendFixture.claim(appender, queue, length, sender) != Appender.OK) {
                Thread.yield();
                continue;
            }
            AtomicBuffer buffer = appender.roomBuffer();
            int at = AppendFixture.payload(appender);
            int stall = random.nextInt(4_000) == 0 ? random.nextInt(Math.max(1, length)) & -8 : -1;
            for (int i = 0; i + 8 <= length; i += 8) {
                if (i == stall) {
                    LockSupport.parkNanos(3 * HOLE_TIMEOUT); // the owner closes the claim meanwhile
                    if (random.nextBoolean()) {
                        AppendFixture.abandon(queues, sender, random.nextBoolean()); // and gives it up for dead
                        LockSupport.parkNanos(3 * HOLE_TIMEOUT);
                    }
                }
                buffer.putLong(at + i, stamp(sender, length));
            }
            if (AppendFixture.commit(appender, length, sender, length)) {
                done.incrementAndGet();
            } else {
                lost.incrementAndGet();
            }
        }
    }

    private void respond() {
        Appender appender = queues.appender(0);
        SplittableRandom random = new SplittableRandom(99);
        while (!stop) {
            int length = random.nextInt(3 * CHUNK);
            if (appender.large().claim(queue.id(), queue.key(), queue.pd(), length, 0, 0) != Appender.OK) {
                Thread.yield();
                continue;
            }
            long claim = appender.large().claimed();
            AtomicBuffer buffer = appender.large().buffer(claim);
            for (int i = 0; i + 8 <= length; i += 8) {
                buffer.putLong(i, stamp(0, length));
            }
            while (appender.large().commit(claim, 0, length, true) == Appender.RNR && !stop) {
                Thread.yield();
            }
        }
    }

    private void allocate() {
        while (!stop) {
            if (allocator.doWork() == 0) {
                LockSupport.parkNanos(1);
            }
        }
    }

    private void check(DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags) {
        if (length != immediate) {
            throw new AssertionError("length " + length + " of sender " + qpNumber + ", sent " + immediate);
        }
        for (int i = 0; i + 8 <= length; i += 8) {
            if (buffer.getLong(offset + i) != stamp(qpNumber, length)) {
                throw new AssertionError("torn at " + i + " of " + length + " bytes of sender " + qpNumber);
            }
        }
    }
}
