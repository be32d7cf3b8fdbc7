package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.redis.backend.NodeStore;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The proxy with strings in the memory of donors, which are processes of their own: killed, stopped, and going on. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class OverflowServeTest {
    private static final int KEYS = 600;
    private static final int LENGTH = 2000; // three times as much as there is memory for

    private static ProxyServer launch(ProxyContext context) {
        context.port(0).maxMemory(400 << 10).conclude();
        return ProxyServer.launch(
                context,
                new NodeStore(
                        1,
                        context.maxMemory(),
                        context.maxMemoryPolicy(),
                        64 << 20,
                        context.overflow().options(),
                        node -> {}));
    }

    private static String value(int i) {
        String unit = "value " + i + ". ";
        return unit.repeat(LENGTH / unit.length());
    }

    private static void fill(RespClient client) throws Exception {
        for (int i = 0; i < KEYS; i++) {
            assertThat(client.command("SET", "key" + i, value(i))).isEqualTo("+OK\r\n");
        }
    }

    private static void expectAll(RespClient client) throws Exception {
        for (int i = 0; i < KEYS; i++) {
            assertThat(client.command("GET", "key" + i)).isEqualTo(bulk(value(i)));
        }
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    private static String field(RespClient client, String name) throws Exception {
        String info = client.command("INFO", "memory");
        int from = info.indexOf(name + ":") + name.length() + 1;
        return info.substring(from, info.indexOf('\r', from));
    }

    @Test
    void aDonorIsKilledAndNothingIsLost() throws Exception {
        try (DonorProcess first = donor();
                DonorProcess second = donor()) {
            ProxyContext context = new ProxyContext();
            context.overflow()
                    .peers(first.address() + "," + second.address())
                    .memory("16mb")
                    .replicas(2)
                    .resident("256kb");
            ProxyServer proxy = launch(context);
            try (RespClient client = new RespClient(proxy.port())) {
                fill(client);
                expectAll(client);
                first.kill();
                expectAll(client);
                assertThat(Integer.parseInt(field(client, "overflow_keys"))).isGreaterThan(KEYS / 2);
                assertThat(field(client, "overflow_peers")).isEqualTo("2");
                assertThat(field(client, "overflow_failed_commands")).isEqualTo("0");
                assertThat(field(client, "overflow_lost_pages")).isEqualTo("0");
                assertThat(client.command("DBSIZE")).isEqualTo(":" + KEYS + "\r\n");
                assertThat(client.command("INFO", "stats")).contains("evicted_keys:0\r\n");
            } finally {
                proxy.close();
            }
        }
    }

    /** Who waits for a donor that stands still holds up nobody else, and is answered when it goes on. */
    @Test
    void aDonorThatStandsStillHoldsUpNobodyElse() throws Exception {
        try (DonorProcess donor = donor()) {
            ProxyContext context = new ProxyContext();
            context.overflow()
                    .peers(donor.address())
                    .memory("16mb")
                    .resident("256kb")
                    .timeoutSeconds(60);
            ProxyServer proxy = launch(context);
            try (RespClient waits = new RespClient(proxy.port());
                    RespClient goesOn = new RespClient(proxy.port())) {
                fill(waits);
                assertThat(waits.command("SET", "small", "x")).isEqualTo("+OK\r\n");
                donor.signal("-STOP");
                for (int i = 0; i < 100; i++) {
                    waits.send(RespClient.encode("GET", "key" + i)); // the first keys are the longest idle
                }
                assertThat(goesOn.command("GET", "small")).isEqualTo(bulk("x"));
                while (field(goesOn, "overflow_waiting_commands").equals("0")) {
                    Thread.onSpinWait(); // bounded by the test's time
                }
                assertThat(goesOn.command("GET", "small")).isEqualTo(bulk("x"));
                assertThat(goesOn.command("DEL", "key" + (KEYS - 1))).isEqualTo(":1\r\n");
                donor.signal("-CONT");
                for (int i = 0; i < 100; i++) {
                    assertThat(waits.read()).isEqualTo(bulk(value(i)));
                }
            } finally {
                donor.signal("-CONT");
                proxy.close();
            }
        }
    }

    private static int waiting(RespClient client) throws Exception {
        return Integer.parseInt(field(client, "overflow_waiting_commands"));
    }

    /** Values that come in pieces wait for room, too, while a donor does not take what has to make way for them. */
    @Test
    void largeValuesWaitForRoomAsOthersDo() throws Exception {
        try (DonorProcess donor = donor()) {
            ProxyContext context = new ProxyContext();
            context.overflow()
                    .peers(donor.address())
                    .memory("16mb")
                    .resident("256kb")
                    .timeoutSeconds(60);
            ProxyServer proxy = launch(context);
            try (RespClient small = new RespClient(proxy.port());
                    RespClient waits = new RespClient(proxy.port());
                    RespClient goesOn = new RespClient(proxy.port())) {
                fill(small);
                donor.signal("-STOP");
                int sent = 0;
                while (waiting(goesOn) == 0) { // until what is beside the donor is full; bounded by the test's time
                    small.send(RespClient.encode("SET", "more" + sent, value(sent)));
                    sent++;
                }
                int before = waiting(goesOn);
                String large = value(1).repeat(140_000 / LENGTH); // two of them are most of the memory
                waits.send(RespClient.encode("SET", "large", large));
                waits.send(RespClient.encode("SET", "larger", large + "?"));
                while (waiting(goesOn) <= before) {
                    Thread.onSpinWait(); // bounded by the test's time
                }
                assertThat(goesOn.command("EXISTS", "key" + (KEYS - 1))).isEqualTo(":1\r\n");
                donor.signal("-CONT");
                for (int i = 0; i < 2; i++) {
                    assertThat(waits.read()).isEqualTo("+OK\r\n");
                }
                for (int i = 0; i < sent; i++) {
                    assertThat(small.read()).isEqualTo("+OK\r\n");
                }
                assertThat(waits.command("GET", "larger")).isEqualTo(bulk(large + "?"));
                assertThat(waits.command("GET", "large")).isEqualTo(bulk(large));
                expectAll(waits);
                assertThat(goesOn.command("INFO", "stats")).contains("evicted_keys:0\r\n");
            } finally {
                donor.signal("-CONT");
                proxy.close();
            }
        }
    }

    private static DonorProcess donor() throws Exception {
        return DonorProcess.start("--memory", "32mb", "--listen", "tcp://127.0.0.1:0");
    }

    @Test
    void settingsThatDoNotFitAreNamed() {
        expectRefusal(c -> c.memory("1gb"), 0, "overflow-memory 1073741824 needs overflow-peers");
        expectRefusal(c -> c.peers("local:a"), 1, "overflow-peers needs overflow-memory, such as 4gb");
        expectRefusal(
                c -> c.peers("local:a").memory("1gb"),
                0,
                "overflow-peers needs maxmemory: what does not fit in there is moved");
        expectRefusal(
                c -> c.peers("local:a").memory("1gb").replicas(2),
                1,
                "overflow-replicas 2 > 1, the number of overflow-peers");
        expectRefusal(c -> c.peers("local:a,,b"), 0, "overflow-peers 'local:a,,b' has an empty address");
        expectRefusal(c -> c.memory("much"), 0, "overflow-memory much is no amount; write 512mb or 4gb");
        expectRefusal(c -> c.replicas(3), 0, "overflow-replicas 3 outside 1..2");
        expectRefusal(c -> c.timeoutSeconds(0), 0, "overflow-timeout 0 < minimum 1");
        assertThatThrownBy(() -> new OverflowContext().secretFile(Path.of("/nowhere")))
                .hasMessageContaining("/nowhere");
    }

    private static void expectRefusal(Consumer<OverflowContext> change, long maxMemory, String message) {
        assertThatThrownBy(() -> {
                    OverflowContext context = new OverflowContext();
                    change.accept(context);
                    context.conclude(maxMemory);
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
