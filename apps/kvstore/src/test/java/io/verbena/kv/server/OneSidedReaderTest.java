package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.AccessPolicy;
import io.verbena.AccessRequest;
import io.verbena.ConnectionException;
import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.RemoteRegion;
import io.verbena.Right;
import io.verbena.SendResult;
import io.verbena.kv.client.OneSidedReader;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReadIndexDescriptor;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** GETs by READs: never older than what was acknowledged, never a mixture, and by request where READs find nothing. */
@Timeout(180)
class OneSidedReaderTest {
    private static final int SLOT = 128;
    private static final String LARGE = "x".repeat(SLOT);

    @TempDir
    Path directory;

    private KvServer launch(Transport transport, int shards) {
        return KvServer.launch(
                transport.context(KvServerTest.name(), shards, directory).oneSided(64 << 10, SLOT));
    }

    /** A test client with a reader. */
    private static final class Reader implements AutoCloseable {
        final TestClient test;
        final OneSidedReader reader;
        private final ReplyCursor cursor = new ReplyCursor();
        private final Map<Long, Object> answers = new HashMap<>();
        private long correlation = 1L << 40;

        Reader(TestClient test) {
            this.test = test;
            this.reader = OneSidedReader.attach(test.client, 8, TestClient.TIMEOUT);
        }

        long ask(String key) {
            byte[] bytes = key.getBytes(StandardCharsets.ISO_8859_1);
            test.send(() -> {
                SendResult result = reader.get(0, new UnsafeBuffer(bytes), 0, bytes.length, correlation + 1);
                if (result == SendResult.BACK_PRESSURED) {
                    reader.poll(this::onReply, 100);
                }
                return result;
            });
            return ++correlation;
        }

        Object answer(long of) {
            test.client.flush();
            long deadline = System.nanoTime() + TestClient.TIMEOUT.toNanos();
            while (!answers.containsKey(of)) {
                if (System.nanoTime() > deadline || reader.lost() > 0) {
                    throw new AssertionError("no answer, " + reader.lost() + " lost");
                }
                if (reader.poll(this::onReply, 100) == 0 && test.node.doWork() == 0) {
                    Thread.yield();
                }
            }
            return answers.remove(of);
        }

        Object get(String key) {
            return answer(ask(key));
        }

        private void onReply(DirectBuffer buffer, int offset, int length) {
            cursor.wrap(buffer, offset, length);
            cursor.next();
            answers.put(cursor.correlation(), value());
        }

        private Object value() {
            if (cursor.type() == ReplyType.NIL) {
                return "nil";
            }
            String text = new String(cursor.bytes(), StandardCharsets.ISO_8859_1);
            return cursor.type() == ReplyType.ERROR ? "-" + text : text;
        }

        /** GETs that a READ answered in a test's step. */
        long hits(Runnable step) {
            long before = reader.hits();
            step.run();
            return reader.hits() - before;
        }

        @Override
        public void close() {
            reader.close();
            test.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void readsWhatIsPublished(Transport transport) {
        try (KvServer server = launch(transport, 2);
                Reader r = new Reader(new TestClient(transport, NodeMode.INVOKER, server))) {
            for (int i = 0; i < 50; i++) {
                r.test.call(KvOp.SET, "key" + i, "value" + i);
            }
            long hits = r.hits(() -> {
                for (int i = 0; i < 50; i++) {
                    assertThat(r.get("key" + i)).isEqualTo("value" + i);
                }
            });
            assertThat(hits).isEqualTo(50);
            r.test.call(KvOp.INCRBY, "key1", "1");
            r.test.call(KvOp.SET, "key2", "7");
            r.test.call(KvOp.INCRBY, "key2", "5");
            assertThat(r.get("key1")).isEqualTo("value1");
            assertThat(r.get("key2")).isEqualTo("12");
            assertThat(r.reader.requested()).isZero();
            assertThat(r.reader.outstanding()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"THREAD", "ASSISTED"})
    void readsByNodesWithThreads(NodeMode mode) {
        try (KvServer server = launch(Transport.TCP, 2)) {
            TestClient client = new TestClient(Transport.TCP, mode, server);
            try (OneSidedReader reader = OneSidedReader.attach(client.client, 4, TestClient.TIMEOUT)) {
                client.call(KvOp.SET, "k", "v");
                List<String> replies = new ArrayList<>();
                ReplyCursor cursor = new ReplyCursor();
                UnsafeBuffer key = new UnsafeBuffer("k".getBytes(StandardCharsets.US_ASCII));
                for (int i = 0; i < 4; i++) {
                    assertThat(reader.get(0, key, 0, 1, i)).isEqualTo(SendResult.SENT);
                }
                assertThat(reader.get(0, key, 0, 1, 4)).isEqualTo(SendResult.BACK_PRESSURED);
                client.until(() -> {
                    reader.poll(
                            (buffer, offset, length) -> {
                                cursor.wrap(buffer, offset, length);
                                cursor.next();
                                replies.add(cursor.correlation() + cursor.text());
                            },
                            10);
                    return replies.size() == 4;
                });
                assertThat(replies).containsExactlyInAnyOrder("0v", "1v", "2v", "3v");
                assertThat(reader.hits()).isEqualTo(4);
            } finally {
                client.close();
            }
        }
    }

    @Test
    void readsBesideTheServer() {
        try (KvServer server = KvServer.launch(new KvServerContext()
                        .name(KvServerTest.name())
                        .shards(3)
                        .mode(KvServerContext.Mode.ASSISTED)
                        .oneSided(64 << 10));
                Reader r = new Reader(new TestClient(server))) {
            r.test.call(KvOp.SET, "k", "v");
            assertThat(r.hits(() -> assertThat(r.get("k")).isEqualTo("v"))).isEqualTo(1);
            assertThat(r.get("none")).isEqualTo("nil");
            assertThat(r.reader.requested()).isEqualTo(1);
        }
    }

    @Test
    void asksForWhatReadsDoNotFind() {
        try (KvServer server = launch(Transport.LOCAL, 1);
                Reader r = new Reader(new TestClient(Transport.LOCAL, NodeMode.INVOKER, server))) {
            r.test.call(KvOp.SET, "large", LARGE);
            r.test.call(KvOp.SET, "expires", "soon", "EX", "1000");
            r.test.call(KvOp.RPUSH, "list", "element");
            r.test.call(KvOp.SET, LARGE, "of a long key");
            long hits = r.hits(() -> {
                for (int i = 0; i < 2; i++) {
                    assertThat(r.get("large")).isEqualTo(LARGE);
                    assertThat(r.get("expires")).isEqualTo("soon");
                    assertThat(r.get("list")).asString().startsWith("-WRONGTYPE");
                    assertThat(r.get(LARGE)).isEqualTo("of a long key");
                    assertThat(r.get("none")).isEqualTo("nil");
                }
            });
            assertThat(hits).isZero();
            assertThat(r.reader.requested()).isEqualTo(10);

            r.test.call(KvOp.PERSIST, "expires");
            r.test.call(KvOp.SET, "large", "small");
            r.test.call(KvOp.RENAME, "large", "list");
            hits = r.hits(() -> {
                assertThat(r.get("expires")).isEqualTo("soon");
                assertThat(r.get("list")).isEqualTo("small");
                assertThat(r.get("large")).isEqualTo("nil");
            });
            assertThat(hits).isEqualTo(2);
            assertThat(r.reader.torn()).isZero();
        }
    }

    /** A request makes the server publish what it has asked for, in the place of another key. */
    @Test
    void findsByReadWhatItHadToAskFor() {
        try (KvServer server = launch(Transport.LOCAL, 1);
                Reader r = new Reader(new TestClient(Transport.LOCAL, NodeMode.INVOKER, server))) {
            for (int i = 0; i < 2000; i++) {
                r.test.call(KvOp.SET, "key" + i, "value" + i);
            }
            for (int i = 0; i < 2000; i += 100) {
                String key = "key" + i;
                assertThat(r.get(key)).isEqualTo("value" + i);
                assertThat(r.hits(() -> assertThat(r.get(key)).isEqualTo(key.replace("key", "value"))))
                        .isEqualTo(1);
            }
            assertThat(r.reader.requested()).isPositive();
        }
    }

    @Test
    void mayReadAndNothingElse() {
        try (KvServer server = launch(Transport.LOCAL, 1);
                Node node = Node.launch(Transport.LOCAL.client(NodeMode.INVOKER));
                RemoteRegion region = node.attach(
                        ReadIndexDescriptor.addressOf(server.localAddresses().get(0)), TestClient.TIMEOUT)) {
            UnsafeBuffer word = new UnsafeBuffer(new byte[8]);
            region.read(64, word, 0, 8, TestClient.TIMEOUT);
            assertThatThrownBy(() -> region.write(64, word, 0, 8, TestClient.TIMEOUT))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> region.fetchAndAdd(64, 1, TestClient.TIMEOUT))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void isRefusedWithoutTheRightToReadOrWithoutAnIndex() {
        AccessPolicy requestsAlone =
                AccessPolicy.denyAll().allow(r -> r.kind() == AccessRequest.Kind.INBOX, Right.values());
        KvServerContext context = new KvServerContext()
                .name(KvServerTest.name())
                .oneSided(64 << 10)
                .nodes(node -> node.accessPolicy(requestsAlone));
        KvServerContext without = new KvServerContext().name(KvServerTest.name());
        for (KvServerContext each : List.of(context, without)) {
            try (KvServer server = KvServer.launch(each);
                    TestClient client = new TestClient(Transport.LOCAL, NodeMode.INVOKER, server)) {
                assertThat(client.call(KvOp.SET, "k", "v")).isEqualTo("OK");
                assertThatThrownBy(() -> OneSidedReader.attach(client.client, 1, TestClient.TIMEOUT))
                        .isInstanceOf(ConnectionException.class)
                        .hasMessageContaining(ReadIndexDescriptor.REGION);
            }
        }
    }

    @Test
    void namesBothValuesOfWhatDoesNotFit() {
        String name = KvServerTest.name();
        assertThatThrownBy(
                        () -> KvServer.launch(new KvServerContext().name(name).oneSided(1000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1000")
                .hasMessageContaining("1088");
        KvServer.launch(new KvServerContext().name(name)).close(); // nothing is left that has the name
        assertThatThrownBy(() -> new KvServerContext().oneSided(1 << 20, 100)).hasMessageContaining("slotLength 100");
    }

    /** Its GETs in flight are lost or answered, and those that follow are refused. */
    @Test
    void aShardThatGoesEndsItsGets() {
        KvServer server = launch(Transport.LOCAL, 1);
        try (Reader r = new Reader(new TestClient(Transport.LOCAL, NodeMode.INVOKER, server))) {
            r.test.call(KvOp.SET, "k", "v");
            assertThat(r.get("k")).isEqualTo("v");
            server.close();
            UnsafeBuffer key = new UnsafeBuffer(new byte[] {'k'});
            r.test.until(() -> {
                SendResult result = r.reader.get(0, key, 0, 1, 0);
                r.reader.poll((buffer, offset, length) -> {}, 100);
                return result == SendResult.CLOSED && r.reader.outstanding() == 0;
            });
        } finally {
            server.close();
        }
    }

    @Test
    void readsAgainAfterItsShardCameBack() {
        KvServer first = launch(Transport.TCP, 1);
        String address = first.addresses(0).get(1);
        try (Reader r = new Reader(new TestClient(Transport.TCP, NodeMode.INVOKER, first))) {
            r.test.call(KvOp.SET, "k", "before");
            assertThat(r.get("k")).isEqualTo("before");
            first.close();
            r.test.until(() -> !r.test.client.isConnected(0));
            try (KvServer second = KvServer.launch(new KvServerContext()
                    .name(KvServerTest.name())
                    .listen(address.substring(0, address.lastIndexOf('/')))
                    .oneSided(64 << 10, SLOT))) {
                r.reader.reconnect(0, TestClient.TIMEOUT);
                assertThat(r.get("k")).isEqualTo("nil");
                r.test.call(KvOp.SET, "k", "after");
                assertThat(r.hits(() -> assertThat(r.get("k")).isEqualTo("after")))
                        .isEqualTo(1);
                assertThat(second.malformedRequests()).isZero();
            }
        } finally {
            first.close();
        }
    }

    // ---- beside writers ---------------------------------------------------------------------------------------------

    private static final int KEYS = 6;
    private static final int WRITES = 400;

    /** Values are "n:n:n:...", n counting up for each key; what a key has had acknowledged last, at least. */
    private static String valueOf(int n) {
        return (n + ":").repeat(1 + n % 15);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "SHM", "TCP"})
    void readersSeeWholeValuesNoOlderThanTheLastAcknowledged(Transport transport) throws Exception {
        AtomicIntegerArray acknowledged = new AtomicIntegerArray(KEYS);
        AtomicBoolean done = new AtomicBoolean();
        CountDownLatch attached = new CountDownLatch(2);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (KvServer server = launch(transport, 2)) {
            List<Future<Long>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(threads.submit(() -> readUntil(transport, server, acknowledged, attached, done)));
            }
            Future<?> writer = threads.submit(() -> {
                try {
                    attached.await();
                    write(transport, server, acknowledged);
                } finally {
                    done.set(true);
                }
                return null;
            });
            writer.get(80, TimeUnit.SECONDS);
            long hits = 0;
            for (Future<Long> reader : readers) {
                hits += reader.get(80, TimeUnit.SECONDS);
            }
            assertThat(hits).isPositive();
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
    }

    /** Writes each key by commands of many kinds, each of which leaves the next value, or none for a while. */
    private static void write(Transport transport, KvServer server, AtomicIntegerArray acknowledged) {
        Random random = new Random(3);
        try (TestClient client = new TestClient(transport, NodeMode.INVOKER, server)) {
            int[] written = new int[KEYS];
            for (int i = 0; i < WRITES; i++) {
                int k = random.nextInt(KEYS);
                String key = "{" + k + "}";
                String value = valueOf(++written[k]);
                switch (random.nextInt(8)) {
                    case 0 -> {
                        client.call(KvOp.DEL, key);
                        client.call(KvOp.APPEND, key, value);
                    }
                    case 1 -> {
                        client.call(KvOp.SET, key + "other", value);
                        client.call(KvOp.RENAME, key + "other", key);
                    }
                    case 2 -> client.call(KvOp.SET, key, value, "PX", "100000");
                    case 3 -> {
                        client.call(KvOp.SET, key, value, "PX", "100000");
                        client.call(KvOp.PERSIST, key);
                    }
                    case 4 -> client.call(KvOp.MSET, key, "interim", key, value);
                    case 5 -> {
                        client.call(KvOp.SET, key, value);
                        client.call(KvOp.EXPIRE, key, "100");
                    }
                    default -> client.call(KvOp.SET, key, value);
                }
                acknowledged.set(k, written[k]);
                client.call(KvOp.INCR, key + "counter");
                if (i % 100 == 50) { // and not last of all
                    flushAll(client);
                }
            }
        }
    }

    private static void flushAll(TestClient client) {
        for (int shard = 0; shard < client.client.shards(); shard++) {
            client.submit(shard, KvOp.FLUSHALL);
        }
        client.drain();
    }

    /** Returns the GETs that READs have answered. */
    private static long readUntil(
            Transport transport,
            KvServer server,
            AtomicIntegerArray acknowledged,
            CountDownLatch attached,
            AtomicBoolean done) {
        try (Reader r = new Reader(new TestClient(transport, NodeMode.INVOKER, server))) {
            attached.countDown();
            int[] seen = new int[KEYS];
            do {
                for (int k = 0; k < KEYS; k++) {
                    int before = Math.max(seen[k], acknowledged.get(k));
                    String value = (String) r.get("{" + k + "}");
                    if (!value.equals("nil")) { // before its first write, or between a deletion and the next write
                        int number = Integer.parseInt(value.substring(0, value.indexOf(':')));
                        assertThat(value).isEqualTo(valueOf(number));
                        assertThat(number).isGreaterThanOrEqualTo(before);
                        seen[k] = number;
                    }
                }
            } while (!done.get());
            return r.reader.hits();
        }
    }
}
