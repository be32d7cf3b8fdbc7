package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.OperatingSystemMXBean;
import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.SendResult;
import io.verbena.kv.client.KvClient;
import io.verbena.kv.client.KvTransfer;
import io.verbena.kv.client.ReplyHandler;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.TransferDescriptor;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large values through server and client: uploads, streams, held replies, clients that leave or do not keep up. */
@Timeout(180)
class KvTransferTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private KvServer launch(Transport transport) {
        return KvServer.launch(transport.context(KvServerTest.name(), 1, directory));
    }

    private static long used(KvServer server) {
        long[] used = new long[1];
        server.forEachShard(shard -> used[0] += shard.usedMemory());
        return used[0];
    }

    /** What an empty shard needs, and no value of these tests would fit in. */
    private static void untilNothingIsLeft(KvServer server, TestClient other) {
        other.until(() -> {
            other.client.flush();
            return used(server) < 10_000;
        });
    }

    private static Object set(TestClient client, String key, byte[] value) {
        long id = client.upload(0, new UnsafeBuffer(value), value.length);
        return client.callUploaded(0, KvOp.SET, 1, id, key);
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void valuesTravelInPieces(Transport transport) {
        try (KvServer server = launch(transport);
                TestClient client = new TestClient(transport, NodeMode.INVOKER, server)) {
            for (int length : new int[] {1, 100_000, 131_005, MIB, 9 * MIB + 1}) {
                byte[] value = bytes(length, length);
                assertThat(set(client, "k", value)).isEqualTo("OK");
                assertThat(client.call(KvOp.GET, "k")).isEqualTo(text(value));
            }
            assertThat(client.call(KvOp.FLUSHALL, new String[] {"SYNC"})).isEqualTo("OK");
            untilNothingIsLeft(server, client);
        }
    }

    @Test
    void valuesTravelBesideTheServer() {
        try (KvServer server = KvServer.launch(
                        new KvServerContext().name(KvServerTest.name()).mode(KvServerContext.Mode.ASSISTED));
                TestClient client = new TestClient(server)) {
            byte[] value = bytes(20 * MIB, 1);
            assertThat(set(client, "k", value)).isEqualTo("OK");
            assertThat(client.call(KvOp.GET, "k")).isEqualTo(text(value));
            assertThat(client.call(KvOp.DEL, "k")).isEqualTo(1L);
            untilNothingIsLeft(server, client);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"LOCAL", "TCP"})
    void otherRequestsGoBetweenThePieces(Transport transport) {
        try (KvServer server = launch(transport);
                TestClient client = new TestClient(transport, NodeMode.INVOKER, server);
                TestClient other = new TestClient(transport, NodeMode.INVOKER, server)) {
            byte[] value = bytes(4 * MIB, 1);
            UnsafeBuffer source = new UnsafeBuffer(value);
            long id = client.transfer.newUpload();
            for (int at = 0; at < value.length; at += TransferDescriptor.PIECE_LENGTH) {
                int position = at;
                client.send(() -> client.transfer.upload(
                        0, id, value.length, position, source, position, TransferDescriptor.PIECE_LENGTH));
                assertThat(client.call(KvOp.INCR, "n")).isEqualTo(2L * at / TransferDescriptor.PIECE_LENGTH + 1);
                assertThat(other.call(KvOp.INCR, "n")).isEqualTo(2L * at / TransferDescriptor.PIECE_LENGTH + 2);
            }
            assertThat(client.callUploaded(0, KvOp.SET, 1, id, "k")).isEqualTo("OK");
            TestClient.Stream stream = (TestClient.Stream) client.callRaw(KvOp.GET, "k");
            assertThat(other.call(KvOp.SET, "k", "other")).isEqualTo("OK");
            assertThat(client.read(stream, 0, 10)).isEqualTo(text(value).substring(0, 10));
            assertThat(other.call(KvOp.APPEND, "k", "!")).isEqualTo(6L);
            assertThat(client.fetch(stream, 10)).isEqualTo(Arrays.copyOfRange(value, 10, value.length));
            assertThat(client.read(stream, value.length, 1)).isEqualTo("-ERR no such stream");
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void whatAClientLeavesGoesWithIt(Transport transport) {
        try (KvServer server = launch(transport);
                TestClient other = new TestClient(transport, NodeMode.INVOKER, server)) {
            try (TestClient client = new TestClient(transport, NodeMode.INVOKER, server)) {
                set(client, "k", bytes(2 * MIB, 1));
                client.callRaw(KvOp.GET, "k");
                assertThat(client.call(KvOp.DEL, "k")).isEqualTo(1L);
                for (int i = 0; i < 20_000; i++) {
                    client.submit(0, KvOp.RPUSH, "list", "element" + i);
                }
                client.drain();
                assertThat(((TestClient.Stream) client.callRaw(KvOp.LRANGE, "list", "0", "-1")).held())
                        .isTrue();
                assertThat(client.call(KvOp.DEL, "list")).isEqualTo(1L);
                client.upload(0, new UnsafeBuffer(bytes(3 * MIB, 1)), 3 * MIB);
                long half = client.transfer.newUpload();
                client.send(() -> client.transfer.upload(0, half, 5 * MIB, 0, new UnsafeBuffer(new byte[9]), 0, 9));
                long discarded = client.upload(0, new UnsafeBuffer(bytes(MIB, 1)), MIB);
                client.send(() -> client.transfer.discard(0, discarded));
                client.call(KvOp.EXISTS, "k");
                assertThat(used(server)).isBetween(10L * MIB, 12L * MIB);
            }
            untilNothingIsLeft(server, other);
            assertThat(other.call(KvOp.SET, "k", "v")).isEqualTo("OK");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"LOCAL", "TCP"})
    void longRepliesAreHeldAndFetched(Transport transport) {
        try (KvServer server = launch(transport);
                TestClient client = new TestClient(transport, NodeMode.INVOKER, server)) {
            List<String> elements = new ArrayList<>();
            for (int i = 0; i < 30_000; i++) {
                elements.add("element" + i);
                client.submit(0, KvOp.RPUSH, "list", "element" + i);
                client.submit(0, KvOp.HSET, "hash", "field" + i, "v");
            }
            client.drain();
            assertThat(client.call(KvOp.LRANGE, "list", "0", "-1")).isEqualTo(elements);
            assertThat((List<?>) client.call(KvOp.HGETALL, "hash")).hasSize(60_000);
            String[] more = new String[30_001];
            more[0] = "another";
            System.arraycopy(elements.toArray(new String[0]), 0, more, 1, 30_000);
            assertThat(client.call(KvOp.RPUSH, more)).isEqualTo(30_000L);
            assertThat(client.call(KvOp.LRANGE, "another", "0", "-1")).isEqualTo(elements);
            assertThat(client.call(KvOp.FLUSHALL, new String[] {"SYNC"})).isEqualTo("OK");
            untilNothingIsLeft(server, client);
        }
    }

    /** A client that asks for much more than it takes is not disconnected: its requests wait, others are served. */
    @ParameterizedTest
    @EnumSource(Transport.class)
    void aSlowClientIsParkedAndGoesOn(Transport transport) {
        try (KvServer server = launch(transport);
                TestClient slow = new TestClient(transport, NodeMode.THREAD, server);
                TestClient other = new TestClient(transport, NodeMode.INVOKER, server)) {
            assertThat(other.call(KvOp.SET, "k", "v".repeat(100 << 10))).isEqualTo("OK");
            int requests = 6000;
            for (int i = 0; i < requests; i++) {
                assertThat(slow.claim(0, 32)).isTrue();
                assertThat(slow.get("k")).isTrue();
                slow.client.flush();
                if (i % 500 == 0) {
                    assertThat(other.call(KvOp.STRLEN, "k")).isEqualTo(100L << 10);
                }
            }
            slow.drain();
            assertThat(slow.answered()).isEqualTo(requests);
            assertThat(slow.client.lost()).isZero();
            assertThat(server.disconnectedClients()).isZero();
        }
    }

    private static void askForAll(KvClient client, Node node, int times) {
        RequestEncoder request = new RequestEncoder();
        for (int i = 0; i < times; i++) {
            while (client.claim(0, 48) != SendResult.SENT) {
                client.flush();
                node.doWork();
            }
            request.begin(client.claimBuffer(), client.claimOffset(), KvOp.LRANGE, 0, i, 0)
                    .argument("list".getBytes(StandardCharsets.US_ASCII))
                    .argument(0)
                    .argument(-1);
            assertThat(request.length()).isEqualTo(48);
            client.commit();
        }
        client.flush();
    }

    /** Replies are held for a client up to a bound; reading them makes its other requests go on. */
    @Test
    void aClientWithManyHeldRepliesIsParkedUntilItReadsThem() {
        try (KvServer server = launch(Transport.LOCAL);
                Node node = Node.launch(Transport.LOCAL.client(NodeMode.INVOKER));
                KvClient client = KvClient.connect(node, server.localAddresses(), TestClient.TIMEOUT);
                TestClient other = new TestClient(Transport.LOCAL, NodeMode.INVOKER, server)) {
            int elements = 100;
            for (int i = 0; i < elements; i++) {
                other.submit(0, KvOp.RPUSH, "list", "v".repeat(100_000));
            }
            other.drain();
            KvTransfer transfer = new KvTransfer(client);
            ReplyCursor cursor = new ReplyCursor();
            int asked = 20;
            askForAll(client, node, asked);
            List<Long> held = new ArrayList<>();
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            ReplyHandler handler = (buffer, offset, bytes) -> {
                cursor.wrap(buffer, offset, bytes);
                cursor.next();
                if (cursor.type() == ReplyType.HELD) {
                    held.add(cursor.streamId());
                }
            };
            int finished = 0;
            int most = 0;
            while (finished < asked) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                client.poll(handler, 100);
                node.doWork();
                most = Math.max(most, held.size());
                if (held.size() >= Math.min(5, asked - finished)) {
                    long id = held.remove(0);
                    while (transfer.read(0, id, 0, TransferDescriptor.PIECE_LENGTH, 1000) != SendResult.SENT) {
                        client.flush();
                        node.doWork();
                    }
                    // The rest is given up.
                    while (transfer.close(0, id) != SendResult.SENT) {
                        client.flush();
                        node.doWork();
                    }
                    client.flush();
                    finished++;
                }
                // Ten megabytes of elements, and as many as are held at a time.
                assertThat(used(server)).isLessThan(9 * 11_000_000L);
            }
            assertThat(most).isLessThan(9);
            assertThat(server.disconnectedClients()).isZero();
            assertThat(other.call(KvOp.DEL, "list")).isEqualTo(1L);
        }
    }

    /** Whatever is thrown in a request answers that request with an error, and nothing else notices. */
    @ParameterizedTest
    @EnumSource(KvServerContext.Mode.class)
    void aFailureInARequestEndsThatRequestAlone(KvServerContext.Mode mode) {
        try (KvServer server = KvServer.launch(
                        new KvServerContext().name(KvServerTest.name()).mode(mode));
                TestClient client = new TestClient(server);
                TestClient other = new TestClient(server)) {
            set(client, "k", bytes(MIB, 1));
            TestClient.Stream stream = (TestClient.Stream) client.callRaw(KvOp.GET, "k");
            server.configure(settings -> settings.memorySource(length -> {
                throw new OutOfMemoryError("injected");
            }));
            assertThat(set(client, "n", bytes(2 * MIB, 2))).asString().startsWith("-OOM ");
            assertThat(client.call(KvOp.SETRANGE, "m", "3000000", "x"))
                    .asString()
                    .startsWith("-OOM ");
            server.configure(settings -> settings.memorySource(length -> {
                throw new StackOverflowError("injected");
            }));
            assertThat(client.call(KvOp.SETRANGE, "m", "1000000", "x"))
                    .isEqualTo("-ERR internal error, see the log of the server");
            assertThat(other.call(KvOp.SETRANGE, "m", "1000000", "x"))
                    .asString()
                    .startsWith("-ERR internal error");
            server.configure(settings -> settings.memorySource(ByteBuffer::allocateDirect));
            assertThat(client.call(KvOp.EXISTS, "m")).isEqualTo(0L);
            assertThat(other.call(KvOp.SETRANGE, "m", "1000000", "x")).isEqualTo(1_000_001L);
            assertThat(client.fetch(stream, 0)).isEqualTo(bytes(MIB, 1));
            assertThat(client.call(KvOp.FLUSHALL, new String[] {"SYNC"})).isEqualTo("OK");
            untilNothingIsLeft(server, client);
            assertThat(server.disconnectedClients() + server.malformedRequests())
                    .isZero();
        }
    }

    /** The longest string of Redis. Its content is not kept here, but known from its position. */
    @Test
    @Tag("large")
    void theLongestValueTravels() {
        int length = 512 * MIB;
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        assumeTrue(system.getFreeMemorySize() > 4L * length, "2 GiB of memory are not free");
        ByteBuffer piece = ByteBuffer.allocateDirect(TransferDescriptor.PIECE_LENGTH);
        try (KvServer server = KvServer.launch(
                        new KvServerContext().name(KvServerTest.name()).mode(KvServerContext.Mode.ASSISTED));
                TestClient client = new TestClient(server)) {
            UnsafeBuffer source = new UnsafeBuffer(piece);
            source.setMemory(0, source.capacity(), (byte) 'x');
            long id = client.transfer.newUpload();
            for (int at = 0; at < length; at += TransferDescriptor.PIECE_LENGTH) {
                int position = at;
                source.putInt(0, position);
                client.send(() ->
                        client.transfer.upload(0, id, length, position, source, 0, TransferDescriptor.PIECE_LENGTH));
            }
            Object stored = client.callUploaded(0, KvOp.SET, 1, id, "k");
            assumeTrue(!stored.toString().startsWith("-OOM"), "the process may not have 512 MiB of direct memory");
            assertThat(stored).isEqualTo("OK");
            assertThat(client.call(KvOp.STRLEN, "k")).isEqualTo((long) length);
            assertThat(client.call(KvOp.APPEND, "k", "x"))
                    .isEqualTo("-ERR string exceeds maximum allowed size (proto-max-bulk-len)");
            TestClient.Stream stream = (TestClient.Stream) client.callRaw(KvOp.GET, "k");
            assertThat(stream.length()).isEqualTo(length);
            client.call(KvOp.DEL, "k");
            for (int at = 0; at < length; at += TransferDescriptor.PIECE_LENGTH) {
                String read = (String) client.read(stream, at, TransferDescriptor.PIECE_LENGTH);
                source.putInt(0, at);
                if (at % (64 * MIB) == 0) {
                    byte[] expected = new byte[TransferDescriptor.PIECE_LENGTH];
                    source.getBytes(0, expected);
                    assertThat(read).isEqualTo(text(expected));
                }
            }
            untilNothingIsLeft(server, client);
        } finally {
            BufferUtil.free(piece);
        }
    }
}
