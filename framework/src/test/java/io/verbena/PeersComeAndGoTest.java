package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What was made for a peer goes when the peer goes, and what an inbox holds when it is closed. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PeersComeAndGoTest {
    /** Peers at a time: a connection that has ended keeps its queue pair's number for a second, for stragglers. */
    private static final int FEW = 4;

    /** As many as are gone before it is counted what is left: more than the closed channels that a node keeps. */
    private static final int FIRST = 16;

    private static final int MANY = Integer.getInteger("verbena.test.peers", 8);
    private static final int LENGTH = 5_000;

    /** Memory outside the heap, in bytes and pieces. */
    private record Held(long direct, long mapped, long pieces, long files) {
        static Held now() throws IOException {
            return new Held(
                    pool("direct").getMemoryUsed(),
                    pool("mapped").getMemoryUsed(),
                    pool("direct").getCount() + pool("mapped").getCount(),
                    openFiles());
        }

        private static long openFiles() throws IOException {
            Path files = Path.of("/proc/self/fd");
            if (!Files.exists(files)) {
                return 0;
            }
            try (Stream<Path> each = Files.list(files)) {
                return each.count();
            }
        }

        boolean isWithin(Held before) {
            return direct <= before.direct + before.direct / 100
                    && mapped <= before.mapped + before.mapped / 100
                    && pieces <= before.pieces
                    && files <= before.files;
        }
    }

    private static BufferPoolMXBean pool(String name) {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals(name))
                .findAny()
                .orElseThrow();
    }

    /** What is left when the collector has been again and again, and finds no more. */
    private static Held settled() throws IOException {
        Held before;
        Held now = Held.now();
        int same = 0;
        for (int i = 0; i < 50 && same < 3; i++) {
            System.gc();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            before = now;
            now = Held.now();
            same = now.equals(before) ? same + 1 : 0;
        }
        return now;
    }

    /** What is left when the collector has been: once that is as little as it was before, or after a time. */
    private static Held settled(Held before) throws IOException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        Held now;
        do {
            System.gc();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
            now = Held.now();
        } while (!now.isWithin(before) && System.nanoTime() - until < 0);
        return now;
    }

    private static void come(Fabric fabric, Node hub, String address, AtomicLong got, int peers) {
        for (int i = 0; i < peers; i++) {
            NodeMode mode = i % 2 == 0 ? NodeMode.ASSISTED : NodeMode.THREAD;
            long expected = got.get() + 1;
            try (Node peer = Node.launch(fabric.context(mode).name("peer-of-" + hub.name()))) {
                Inbox answers = peer.openInbox("answers");
                Channel channel = peer.connect(address + "/in", answers, NodePair.TIMEOUT);
                UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
                while (channel.offer(message, 0, LENGTH) == SendResult.BACK_PRESSURED) {
                    Thread.onSpinWait();
                }
                while (answers.poll(m -> assertThat(m.length()).isEqualTo(LENGTH), 1) == 0) {
                    Thread.onSpinWait();
                }
            }
            assertThat(got.get()).isEqualTo(expected);
            if ((i + 1) % FEW == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1_500));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void nothingIsLeftOfThem(Fabric fabric) throws IOException {
        try (Node hub = Node.launch(fabric.context(NodeMode.ASSISTED)
                .name("hub-" + fabric + "-" + ProcessHandle.current().pid()))) {
            String address = fabric.listen(hub);
            AtomicLong got = new AtomicLong();
            hub.openInbox("in").onMessage(m -> {
                got.incrementAndGet();
                while (m.channel().offer(m.buffer(), m.offset(), m.length()) == SendResult.BACK_PRESSURED) {
                    Thread.onSpinWait();
                }
            });
            come(fabric, hub, address, got, FIRST);
            Held least = settled();
            come(fabric, hub, address, got, MANY);
            Held most = settled(least);
            assertThat(most.isWithin(least))
                    .as("after %d more peers %s, before %s", MANY, most, least)
                    .isTrue();
        }
    }

    /** Without the collector: the memory of a queue whose consumer has closed it goes at once. */
    @Test
    void anInboxLeavesNothing() {
        try (Node node = Node.launch(new NodeContext().name("inboxes"))) {
            AtomicLong got = new AtomicLong();
            node.openInbox("first").close();
            long before = pool("direct").getMemoryUsed();
            for (int i = 0; i < 100; i++) {
                Inbox inbox = node.openInbox("inbox");
                if (i % 2 == 0) {
                    inbox.onMessage(m -> got.incrementAndGet());
                } else {
                    inbox.poll(m -> got.incrementAndGet(), 1);
                }
                inbox.close();
            }
            long most = before + 8L * new InboxOptions().attributes().chunkLength(); // the last may not have gone yet
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (pool("direct").getMemoryUsed() > most && System.nanoTime() - until < 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
            assertThat(pool("direct").getMemoryUsed()).isLessThanOrEqualTo(most);
        }
    }
}
