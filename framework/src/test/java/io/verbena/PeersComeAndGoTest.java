package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What was made for a peer goes when the peer goes, whatever it came by: after many a node holds no more than before,
 * in one round at least. And what an inbox holds goes when it is closed.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class PeersComeAndGoTest {
    private static final int FIRST = 20;
    private static final int MANY = Integer.getInteger("verbena.test.peers", 40);
    private static final int ROUNDS = 3; // the bytes that peers leave grow in each; what this JVM takes else does not
    private static final int LENGTH = 5_000;
    private static final int PATIENCE_SECONDS = 20;

    /** After which a peer is given up, and forgotten. */
    private static final Duration PEER_TIMEOUT = Duration.ofSeconds(1);

    /** After which the hub takes back what its channels do not use; until then that counts as held. */
    private static final Duration IDLE = Duration.ofSeconds(1);

    /** A queue has the next one, or not yet, as it stands. */
    private static final long CHUNK = new InboxOptions().attributes().chunkLength();

    /**
     * What the process holds: bytes in use of the heap, of direct memory (Java's and Netty's own) and of mapped files;
     * pieces of direct and mapped memory, descriptors, and what is mapped of /dev/shm, in all and with its file
     * deleted.
     */
    private record Held(
            long heap, long direct, long mapped, long pieces, long descriptors, long maps, long deletedMaps) {
        static Held now() throws IOException {
            return new Held(
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                    pool("direct").getMemoryUsed() + Math.max(0, PlatformDependent.usedDirectMemory()),
                    pool("mapped").getMemoryUsed(),
                    pool("direct").getCount() + pool("mapped").getCount(),
                    openDescriptors(),
                    mapsWith("/dev/shm/"),
                    mapsWith("(deleted)"));
        }

        private static long openDescriptors() throws IOException {
            try (Stream<Path> each = Files.list(Path.of("/proc/self/fd"))) {
                return each.count();
            }
        }

        private static long mapsWith(String part) throws IOException {
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
                return lines.filter(line -> line.contains("/dev/shm/") && line.contains(part))
                        .count();
            }
        }

        /** Memory within a hundredth, but for a queue's next chunk, and counts no larger. */
        boolean isAsMuchAs(Held before) {
            return heap <= before.heap + before.heap / 100
                    && direct <= before.direct + before.direct / 100 + CHUNK
                    && mapped <= before.mapped + before.mapped / 100 + CHUNK
                    && pieces <= before.pieces + 1
                    && descriptors <= before.descriptors
                    && maps <= before.maps + 1
                    && deletedMaps <= before.deletedMaps;
        }

        /** The same counts, with the bytes of the other. */
        Held withBytesOf(Held other) {
            return new Held(other.heap, other.direct, other.mapped, pieces, descriptors, maps, deletedMaps);
        }

        boolean countsLike(Held other) {
            return direct == other.direct
                    && mapped == other.mapped
                    && pieces == other.pieces
                    && descriptors == other.descriptors
                    && maps == other.maps
                    && deletedMaps == other.deletedMaps;
        }
    }

    private static BufferPoolMXBean pool(String name) {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals(name))
                .findAny()
                .orElseThrow();
    }

    private static Held collected() throws IOException {
        System.gc();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        return Held.now();
    }

    /** What is left when the collector has been again and again, and finds no more. */
    private static Held settled() throws IOException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        Held now = collected();
        for (int same = 0; same < 4 && System.nanoTime() - until < 0; ) {
            Held before = now;
            now = collected();
            same = now.countsLike(before) ? same + 1 : 0;
        }
        return now;
    }

    /** What is left when the collector has been: once that is as much as it was before, or after a time. */
    private static Held settled(Held before) throws IOException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        Held now = collected();
        while (!now.isAsMuchAs(before) && System.nanoTime() - until < 0) {
            now = collected();
        }
        return now;
    }

    private static void come(Fabric fabric, Node hub, String address, AtomicLong got, int peers) {
        for (int i = 0; i < peers; i++) {
            NodeMode mode = i % 2 == 0 ? NodeMode.ASSISTED : NodeMode.THREAD;
            long expected = got.get() + 1;
            try (Node peer =
                    Node.launch(fabric.context(mode).peerTimeout(PEER_TIMEOUT).name("peer-of-" + hub.name()))) {
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
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void nothingIsLeftOfThem(Fabric fabric) throws IOException {
        try (Node hub = Node.launch(fabric.context(NodeMode.ASSISTED)
                .peerTimeout(PEER_TIMEOUT)
                .channelIdle(IDLE)
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
            StringBuilder seen = new StringBuilder();
            for (int i = 0; i < ROUNDS; i++) {
                come(fabric, hub, address, got, MANY);
                Held most = settled(least);
                if (most.isAsMuchAs(least)) {
                    return;
                }
                seen.append("\nafter ").append(MANY).append(" more peers ").append(most);
                seen.append(", before ").append(least);
                least = least.withBytesOf(most);
            }
            fail(seen.toString());
        }
    }

    /** Without the collector: the rings to a peer of the same process go with it. Where that has run, once more. */
    @Test
    void aPeerLeavesNoRings() throws InterruptedException {
        for (int i = 0; i < ROUNDS; i++) {
            long before = collections();
            peersLeaveNoRings();
            if (collections() == before) {
                return;
            }
        }
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private static void peersLeaveNoRings() throws InterruptedException {
        int ring = 8 << 20;
        NodeContext context = new NodeContext().ringLength(ring).peerTimeout(PEER_TIMEOUT);
        try (Node hub = Node.launch(context.name("rings"))) {
            hub.openInbox("in").onMessage(m -> {});
            long before = pool("direct").getMemoryUsed();
            for (int i = 0; i < 12; i++) {
                try (Node peer = Node.launch(new NodeContext()
                        .ringLength(ring)
                        .peerTimeout(PEER_TIMEOUT)
                        .name("ring-peer"))) {
                    Channel channel = peer.connect("local:rings/in", NodePair.TIMEOUT);
                    assertThat(channel.offer(new UnsafeBuffer(new byte[8]), 0, 8))
                            .isEqualTo(SendResult.SENT);
                }
            }
            long most = before + 8L * ring; // rings of four peers, or queues
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (pool("direct").getMemoryUsed() > most && System.nanoTime() - until < 0) {
                Thread.sleep(10);
            }
            assertThat(pool("direct").getMemoryUsed()).isLessThanOrEqualTo(most);
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
