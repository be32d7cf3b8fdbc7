package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.NodeMode;
import io.verbena.SendResult;
import io.verbena.kv.protocol.KvOp;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that do not read, that die or that send garbage, and a server that goes while they are busy. */
@Timeout(180)
class KvFaultTest {
    @TempDir
    Path directory;

    /** A client that asks and never reads: its backlog is bounded, others are served, then it is disconnected. */
    @ParameterizedTest
    @EnumSource(Transport.class)
    void aClientThatDoesNotReadIsDisconnected(Transport transport) {
        long backlog = 8 << 20;
        try (KvServer server = KvServer.launch(
                        transport.context(KvServerTest.name(), 1, directory).maxBacklog(backlog));
                TestClient slow = new TestClient(transport, NodeMode.THREAD, server);
                TestClient other = new TestClient(transport, NodeMode.INVOKER, server)) {
            assertThat(other.call(KvOp.SET, "k", "v".repeat(100 << 10))).isEqualTo("OK");
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            long asked = 0;
            while (slow.client.isConnected(0)) {
                assertThat(System.nanoTime())
                        .as("disconnected after %s requests", asked)
                        .isLessThan(deadline);
                if (slow.client.claim(0, 32) == SendResult.SENT && slow.get("k")) {
                    asked++;
                }
                slow.client.flush();
                if (asked % 64 == 0) {
                    assertThat(other.call(KvOp.STRLEN, "k")).isEqualTo(100L << 10);
                }
            }
            assertThat(server.disconnectedClients()).isOne();
            assertThat(asked).isGreaterThan(backlog / (100 << 10));
            assertThat(other.call(KvOp.INCR, "n")).isEqualTo(1L);
            // What it had been sent can still be read; the rest is told to be lost.
            slow.drain();
            assertThat(slow.client.lost()).isPositive();
            assertThat(slow.answered() + slow.client.lost()).isEqualTo(asked);
        }
    }

    /** A client that reads late, but in time, loses nothing. */
    @ParameterizedTest
    @EnumSource(Transport.class)
    void aClientThatReadsLateGetsEverything(Transport transport) {
        try (KvServer server = KvServer.launch(transport.context(KvServerTest.name(), 1, directory));
                TestClient client = new TestClient(transport, NodeMode.THREAD, server)) {
            assertThat(client.call(KvOp.SET, "k", "v".repeat(100 << 10))).isEqualTo("OK");
            long before = client.answered();
            // More than its inbox holds, and than is under way.
            int requests = 2000;
            for (int i = 0; i < requests; i++) {
                assertThat(client.claim(0, 32)).isTrue();
                assertThat(client.get("k")).isTrue();
                client.client.flush();
            }
            client.drain();
            assertThat(client.answered() - before).isEqualTo(requests);
            assertThat(client.client.lost()).isZero();
            assertThat(server.disconnectedClients()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void aServerThatGoesIsNoticed(Transport transport) throws Exception {
        int clients = 3;
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        CountDownLatch busy = new CountDownLatch(clients);
        try {
            KvServer server = KvServer.launch(transport.context(KvServerTest.name(), 2, directory));
            List<Future<Long>> results = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                results.add(threads.submit(() -> {
                    try (TestClient client = new TestClient(transport, NodeMode.INVOKER, server)) {
                        long n = 0;
                        while (client.submit((int) (n % 2), KvOp.INCR, "counter") && client.client.lost() == 0) {
                            if (++n % 50 == 0) {
                                client.client.flush();
                                client.until(() -> client.client.outstanding() < 500);
                            }
                            if (n == 5000) {
                                busy.countDown();
                            }
                        }
                        client.drain();
                        // Shards go one after the other: the loss that ended the loop may be the other one's.
                        for (int shard = 0; shard < 2; shard++) {
                            int going = shard;
                            client.until(() -> !client.client.isConnected(going));
                            assertThat(client.client.claim(going, 32)).isEqualTo(SendResult.CLOSED);
                        }
                        return client.answered();
                    }
                }));
            }
            // Each is in the middle of its requests, with answers to more than 4000 of them.
            assertThat(busy.await(60, TimeUnit.SECONDS)).isTrue();
            server.close();
            for (Future<Long> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isPositive();
            }
            server.close();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aServerBesideItsCallersThatGoesIsNoticed() {
        KvServer server = KvServer.launch(
                new KvServerContext().name(KvServerTest.name()).shards(2).mode(KvServerContext.Mode.ASSISTED));
        try (TestClient client = new TestClient(server)) {
            for (int i = 0; i < 100; i++) {
                assertThat(client.submit(i % 2, KvOp.INCR, "counter")).isTrue();
            }
            server.close();
            client.drain();
            assertThat(client.answered() + client.client.lost()).isEqualTo(100);
            assertThat(client.submit(0, KvOp.INCR, "counter")).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void garbageDisconnectsItsSenderAlone(Transport transport) {
        try (KvServer server = KvServer.launch(transport.context(KvServerTest.name(), 1, directory));
                TestClient bad = new TestClient(transport, NodeMode.INVOKER, server);
                TestClient good = new TestClient(transport, NodeMode.INVOKER, server)) {
            assertThat(bad.call(KvOp.SET, "k", "v")).isEqualTo("OK");
            assertThat(bad.claim(0, 40)).isTrue();
            bad.client.claimBuffer().setMemory(bad.client.claimOffset(), 40, (byte) 0x59);
            bad.client.commit();
            bad.client.flush();
            bad.until(() -> !bad.client.isConnected(0));
            bad.until(() -> bad.client.outstanding() == 0);
            assertThat(bad.client.lost()).isOne();
            assertThat(server.malformedRequests()).isOne();
            assertThat(good.call(KvOp.GET, "k")).isEqualTo("v");
        }
    }

    /**
     * Client processes are killed in the middle of their traffic, one after the other, also while they compose and
     * while they are written to.
     */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LOCAL")
    void aClientThatDiesHarmsNobody(Transport transport) throws Exception {
        int clients = 3;
        List<Process> processes = new ArrayList<>();
        try (KvServer server = KvServer.launch(transport.context(KvServerTest.name(), 2, directory));
                TestClient other = new TestClient(transport, NodeMode.INVOKER, server)) {
            for (int i = 0; i < clients; i++) {
                processes.add(flood(transport, server, i));
            }
            for (int i = 0; i < clients; i++) {
                Process process = processes.get(i);
                long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
                Object count = null;
                while (count == null || Long.parseLong((String) count) < 5000) {
                    assertThat(process.isAlive()).as(Files.readString(log(i))).isTrue();
                    assertThat(System.nanoTime()).isLessThan(deadline);
                    count = other.call(KvOp.GET, "flood" + i);
                }
                process.destroyForcibly();
                assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
                for (int k = 0; k < 1000; k++) {
                    assertThat(other.call(KvOp.INCR, "counter" + k)).isEqualTo(i + 1L);
                }
            }
            assertThat(server.malformedRequests()).isZero();
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private Path log(int client) {
        return directory.resolve("client" + client + ".log");
    }

    private Process flood(Transport transport, KvServer server, int client) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(openedModules());
        command.addAll(List.of(
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", // is up sooner
                "-cp",
                System.getProperty("java.class.path"),
                FloodingClient.class.getName(),
                transport.name(),
                "flood" + client));
        command.addAll(transport.addresses(server));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log(client).toFile())
                .start();
    }

    /** What this JVM opens of the JDK's modules, a JVM that it starts needs too. */
    private static List<String> openedModules() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--"))
                .toList();
    }
}
