package io.verbena.fabric.shm;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A thread is in the middle of a copy to or from a peer's mapped memory while its own side closes: that memory stays
 * mapped until the copy has ended.
 */
@Timeout(180)
class CloseInACopyTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    /** Of the region whose buffer can be stopped; no other has as much. */
    private static final int LENGTH = 3_001;

    @TempDir
    Path root;

    enum Kind {
        WRITE,
        READ,
        APPEND
    }

    @ParameterizedTest
    @EnumSource
    void thePeersMemoryStaysUntilTheCopyHasEnded(Kind kind) throws Exception {
        try (Side from = new Side(1);
                Side to = new Side(2)) {
            long own = mappings(to.directory());
            to.fabric.listen(root.resolve("s"));
            from.fabric.connect(root.resolve("s"), LONG).get(20, TimeUnit.SECONDS);
            from.qp.connect(to.nic.id(), to.qp.number());
            to.qp.connect(from.nic.id(), from.qp.number());
            to.region.buffer().setMemory(0, LENGTH, (byte) 2);
            from.region.buffer().setMemory(0, LENGTH, (byte) 1);
            SendRequest request = new SendRequest();
            StoppingBuffer copied = (StoppingBuffer) from.region.buffer();
            copied.stopNext();
            Thread sender =
                    new Thread(() -> from.qp.postSend(request(request, kind, to).local(from.region.key(), 0, LENGTH)));
            sender.start();
            try {
                assertThat(copied.inside.await(20, TimeUnit.SECONDS)).isTrue();
                long mapped = mappings(to.directory());
                assertThat(mapped).as("of the peer's files, twice here").isGreaterThan(own);
                from.fabric.close();
                from.nic.engine(0).doWork(); // as others may
                assertThat(mappings(to.directory())).as("fabric closed").isEqualTo(mapped);
                Thread closer = new Thread(from.nic::close);
                closer.start();
                await().atMost(LONG).until(() -> waitsForTheCopy(closer) || !closer.isAlive());
                assertThat(mappings(to.directory())).as("NIC closing").isEqualTo(mapped);
                copied.goOn.countDown();
                closer.join(LONG.toMillis());
                assertThat(closer.isAlive()).isFalse();
            } finally {
                copied.giveUp();
                sender.join(LONG.toMillis());
            }
            boolean done = from.nic.counter(NicCounter.DIRECT_OPERATIONS) > 0;
            // The owner may close an append whose initiator's link has ended: then there is no message.
            assertThat(done || kind == Kind.APPEND).isTrue();
            assertThat(lastByte(kind, from, to)).isEqualTo(!done ? -1 : kind == Kind.READ ? 2 : 1);
            await().atMost(LONG).until(() -> mappings(to.directory()) <= own + (kind == Kind.APPEND ? 1 : 0));
        }
    }

    private static SendRequest request(SendRequest request, Kind kind, Side to) {
        return switch (kind) {
            case WRITE -> request.write(to.region.key(), 0);
            case READ -> request.read(to.region.key(), 0);
            case APPEND -> request.append(to.queue.id(), to.queue.key());
        };
    }

    /** The last of those that were copied; -1 if there is no message. */
    private static int lastByte(Kind kind, Side from, Side to) {
        int[] last = {-1};
        switch (kind) {
            case WRITE -> last[0] = to.region.buffer().getByte(LENGTH - 1);
            case READ -> last[0] = from.region.buffer().getByte(LENGTH - 1);
            case APPEND ->
                to.queue.poll(
                        (buffer, offset, length, qp, immediate, flags) -> last[0] = buffer.getByte(offset + length - 1),
                        1);
        }
        return last[0];
    }

    /** Files of a directory that are mapped here, each as often as it is. */
    private static long mappings(Path directory) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(directory + "/")).count();
        }
    }

    /** Whether a thread has to wait until the engine is let go. */
    private static boolean waitsForTheCopy(Thread closer) {
        return Arrays.stream(closer.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals("io.verbena.nic.engine.Commands")
                        && frame.getMethodName().equals("call"));
    }

    private final class Side implements AutoCloseable {
        final SharedMemoryProvider memory;
        final Nic nic;
        final SharedMemoryFabric fabric;
        final MemoryRegion region;
        final AppendQueue queue;
        final QueuePair qp;

        Side(long id) {
            memory = new SharedMemoryProvider(root, id, Long.MAX_VALUE);
            EventLoopWaiter waiter = new EventLoopWaiter();
            nic = Nic.open(new NicContext()
                    .id(id)
                    .mode(EngineMode.ASSISTED)
                    .maxQueuePairs(16)
                    .maxMemoryRegions(16)
                    .maxAppendQueues(1)
                    .memory(new StoppableMemory(memory))
                    .waiters(waiter));
            LinkEndpoint endpoint = nic.engine(0).endpoint();
            fabric = new SharedMemoryFabric(
                    new LinkEndpoint(endpoint.nicId(), 0, endpoint.waiter(), memory, endpoint.listener()),
                    new SharedMemoryContext(),
                    waiter);
            ProtectionDomain pd = nic.allocateProtectionDomain();
            CompletionQueue completions = nic.createCompletionQueue(16);
            region = pd.allocate(LENGTH, Access.ALL);
            queue = pd.createAppendQueue(
                    new AppendQueueAttributes().chunkLength(64 << 10).maxMessage(16 << 10));
            qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(completions));
        }

        Path directory() {
            return memory.directory();
        }

        @Override
        public void close() {
            fabric.close();
            nic.close();
        }
    }

    /** A buffer of which one copy, the first after {@link #stopNext}, stops in its middle. */
    private static final class StoppingBuffer extends UnsafeBuffer {
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        private volatile boolean stops;
        private volatile boolean givenUp;

        StoppingBuffer(AtomicBuffer of) {
            super(of);
        }

        void stopNext() {
            stops = true;
        }

        /** What has stopped, if it still does, ends in an exception. */
        void giveUp() {
            givenUp |= goOn.getCount() > 0;
            goOn.countDown();
        }

        private void stop() {
            if (!stops) {
                return;
            }
            stops = false;
            inside.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (givenUp) {
                throw new IllegalStateException("given up by the test");
            }
        }

        /** Asked for by a copy from here, after its checks. */
        @Override
        public long addressOffset() {
            stop();
            return super.addressOffset();
        }

        @Override
        public void putBytes(int index, DirectBuffer source, int sourceIndex, int length) {
            stop();
            super.putBytes(index, source, sourceIndex, length);
        }
    }

    /** Memory of which the segments of one length can be stopped. */
    private static final class StoppableMemory implements MemoryProvider {
        private final SharedMemoryProvider memory;
        private @Nullable Segment real;

        StoppableMemory(SharedMemoryProvider memory) {
            this.memory = memory;
        }

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
            Segment made = memory.allocate(length);
            if (length != LENGTH) {
                return made;
            }
            real = made;
            return new Segment(made.id(), new StoppingBuffer(made.buffer()));
        }

        private Segment real(Segment segment) {
            Segment known = real;
            return known != null && known.id() == segment.id() ? known : segment;
        }

        @Override
        public void release(Segment segment) {
            memory.release(real(segment));
        }

        @Override
        public void unmap(Segment segment) {
            memory.unmap(real(segment));
        }

        @Override
        public @Nullable AtomicBuffer segment(int id) {
            return memory.segment(id);
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
