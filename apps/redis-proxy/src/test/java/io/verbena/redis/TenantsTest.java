package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of several tenants: who they are, and that each gets its replies beside the others. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TenantsTest {
    private static ProxyContext context() {
        return new ProxyContext()
                .tenant(ProxyTenant.parse("gold:weight=3,password=secret"))
                .tenant(ProxyTenant.parse("tin"));
    }

    private static long info(RespClient client, String tenant, String field) throws Exception {
        Matcher found = Pattern.compile("tenant_" + tenant + ":.*?\\b" + field + "=(\\d+)")
                .matcher(client.command("info", "tenants"));
        assertThat(found.find()).isTrue();
        return Long.parseLong(found.group(1));
    }

    @Test
    void clientsNameTheirTenant() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(context());
                RespClient client = proxy.client();
                RespClient other = proxy.client()) {
            assertThat(client.command("ping")).isEqualTo("+PONG\r\n");
            assertThat(client.command("auth", "gold", "wrong")).startsWith("-WRONGPASS");
            assertThat(client.command("auth", "silver", "secret")).startsWith("-WRONGPASS");
            assertThat(client.command("client", "info")).contains(" user=default ");
            assertThat(client.command("auth", "gold", "secret")).isEqualTo("+OK\r\n");
            assertThat(client.command("client", "info")).contains(" user=gold ");
            assertThat(other.command("hello", "3", "auth", "tin", "anything")).startsWith("%7");
            assertThat(other.command("client", "info")).contains(" user=tin ");
            assertThat(info(client, "gold", "weight")).isEqualTo(3);
            assertThat(info(client, "gold", "clients")).isEqualTo(1);
            assertThat(info(client, "tin", "clients")).isEqualTo(1);
            assertThat(info(client, "default", "clients")).isZero();
            long commands = info(client, "gold", "commands");
            assertThat(client.command("set", "k", "v")).isEqualTo("+OK\r\n");
            assertThat(info(client, "gold", "commands")).isEqualTo(commands + 2);
            assertThat(client.command("reset")).isEqualTo("+RESET\r\n");
            assertThat(client.command("client", "info")).contains(" user=default ");
        }
    }

    /** The default user's password is not asked of others, and theirs do not open it. */
    @Test
    void eachTenantHasAPasswordOfItsOwn() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(context().password("default-secret"));
                RespClient client = proxy.client()) {
            assertThat(client.command("ping")).startsWith("-NOAUTH");
            assertThat(client.command("auth", "secret")).startsWith("-WRONGPASS");
            assertThat(client.command("auth", "default", "secret")).startsWith("-WRONGPASS");
            assertThat(client.command("auth", "tin", "anything")).startsWith("-WRONGPASS"); // it has none of its own
            assertThat(client.command("auth", "gold", "default-secret")).startsWith("-WRONGPASS");
            assertThat(client.command("ping")).startsWith("-NOAUTH");
            assertThat(client.command("auth", "tin", "default-secret")).isEqualTo("+OK\r\n");
            assertThat(client.command("auth", "gold", "secret")).isEqualTo("+OK\r\n");
            assertThat(client.command("ping")).isEqualTo("+PONG\r\n");
            assertThat(client.command("reset")).isEqualTo("+RESET\r\n");
            assertThat(client.command("ping")).startsWith("-NOAUTH");
            assertThat(client.command("auth", "default-secret")).isEqualTo("+OK\r\n");
        }
    }

    /** Floods of two tenants, and one that sends a command at a time: each gets its own replies, in order. */
    @Test
    void floodsOfSeveralTenantsGetTheirOwnReplies() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(context().workers(2).shards(2))) {
            ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                String user = i % 2 == 0 ? "gold" : "tin";
                int self = i;
                threads.add(new Thread(() -> {
                    try (RespClient client = proxy.client()) {
                        assertThat(client.command("auth", user, "secret")).isEqualTo("+OK\r\n");
                        flood(client, self);
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                }));
            }
            threads.add(new Thread(() -> {
                try (RespClient client = proxy.client()) {
                    for (int n = 0; n < 300; n++) {
                        assertThat(client.command("set", "one", "v" + n)).isEqualTo("+OK\r\n");
                        String value = "v" + n;
                        assertThat(client.command("get", "one"))
                                .isEqualTo("$" + value.length() + "\r\n" + value + "\r\n");
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            try (RespClient client = proxy.client()) {
                assertThat(info(client, "gold", "commands")).isEqualTo(3 * (1 + 20 * 600));
                assertThat(info(client, "tin", "commands")).isEqualTo(3 * (1 + 20 * 600));
            }
        }
    }

    /** Values that go to their client in pieces are paid for by turns, in which others have theirs. */
    @Test
    void streamedValuesCount() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(context());
                RespClient tin = proxy.client();
                RespClient second = proxy.client()) {
            AtomicBoolean done = new AtomicBoolean();
            ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
            Thread gold = new Thread(() -> {
                try (RespClient client = proxy.client()) {
                    assertThat(client.command("auth", "gold", "secret")).isEqualTo("+OK\r\n");
                    while (!done.get()) {
                        client.send("PING\r\n".repeat(3000)); // always more than fits into a turn
                        for (int n = 0; n < 3000; n++) {
                            assertThat(client.read()).isEqualTo("+PONG\r\n");
                        }
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            });
            assertThat(tin.command("auth", "tin", "")).isEqualTo("+OK\r\n");
            assertThat(second.command("auth", "tin", "")).isEqualTo("+OK\r\n");
            assertThat(tin.command("set", "large", "v".repeat(1 << 20))).isEqualTo("+OK\r\n");
            long before = info(tin, "tin", "turns_waited");
            gold.setDaemon(true);
            gold.start();
            for (int round = 0; info(tin, "tin", "turns_waited") == before; round++) {
                assertThat(failures).isEmpty();
                assertThat(round).as("rounds of values that cost no turn").isLessThan(100);
                tin.send("GET large\r\n".repeat(20)); // 256 commands each, of 64 a turn
                for (int n = 0; n < 100; n++) { // and then one at a time, which would not use up a turn
                    assertThat(second.command("ping")).isEqualTo("+PONG\r\n");
                }
                for (int n = 0; n < 20; n++) {
                    assertThat(tin.read()).hasSize((1 << 20) + 12);
                }
            }
            done.set(true);
            gold.join();
            assertThat(failures).isEmpty();
        }
    }

    private static void flood(RespClient client, int self) throws Exception {
        for (int round = 0; round < 20; round++) {
            StringBuilder pipeline = new StringBuilder();
            for (int n = 0; n < 300; n++) {
                String value = self + "-" + round + "-" + n;
                pipeline.append("SET k").append(self).append(' ').append(value).append("\r\n");
                pipeline.append("GET k").append(self).append("\r\n");
            }
            client.send(pipeline.toString());
            for (int n = 0; n < 300; n++) {
                String value = self + "-" + round + "-" + n;
                assertThat(client.read()).isEqualTo("+OK\r\n");
                assertThat(client.read()).isEqualTo("$" + value.length() + "\r\n" + value + "\r\n");
            }
        }
    }

    @Test
    void whatIsWrongIsSaid() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse("gold:weight=0"))
                .withMessage("tenant gold: weight 0 outside 1 to 1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse("gold:weight=heavy"))
                .withMessage("tenant gold: weight 'heavy' is not a whole number");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse("gold:wait=3"))
                .withMessageContaining("an option is neither weight=3, alpha=1, min=10k nor password=secret");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse("gold:password="))
                .withMessageContaining("tenant gold: the password is empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse(":weight=3"))
                .withMessageContaining("a name has 1 to 64");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse("default:password=x"))
                .withMessageContaining("requirepass");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context().tenant(ProxyTenant.parse("gold")).conclude())
                .withMessage("tenant gold is defined twice");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse("gold:alpha=0"))
                .withMessage("tenant gold: alpha 0.0 is not above 0 and at most 32");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse("gold:alpha=fair"))
                .withMessage("tenant gold: alpha 'fair' is not a number");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse("gold:min=2000m"))
                .withMessage("tenant gold: min 2000000000 outside 0 to 1000000000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProxyTenant.parse("gold:min=k"))
                .withMessage("tenant gold: min 'k' is not a number of commands a second, as in 10k");
        assertThat(ProxyTenant.parse("gold:alpha=0.5,min=10K")).isEqualTo(new ProxyTenant("gold", 1, 0.5, 10_000, ""));
        assertThat(ProxyTenant.parse("gold:weight=3,password=secret")).hasToString("gold:weight=3,alpha=1.0,min=0");
        assertThat(new ProxyContext()
                        .tenant(ProxyTenant.parse("default:weight=7"))
                        .tenants())
                .containsExactly(new ProxyTenant("default", 7, ""));
    }
}
