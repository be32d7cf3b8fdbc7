package io.verbena;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Discipline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rates by utility on nodes whose time is the test's: what counts is messages, not time. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RatesTest {
    private static final long MILLI = 1_000_000;
    private static final int LENGTH = 64;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private final AtomicLong now = new AtomicLong();

    private NodeContext context() {
        NodeContext context = Fabric.LOCAL.context(NodeMode.INVOKER);
        context.runtime(NodeRuntime.system().withClock(now::get, () -> now.addAndGet(100_000)));
        return context.tenant(new TenantOptions().name("gold").utility(3, 1)).tenant(new TenantOptions().name("plain"));
    }

    /** Two nodes that the test's thread drives, and the channels between them. */
    private final class Nodes implements AutoCloseable {
        final Node server;
        final Node client;

        Nodes(NodeContext serverContext, NodeContext clientContext) {
            server = Node.launch(serverContext);
            client = Node.launch(clientContext);
        }

        void drive() {
            client.doWork();
            server.doWork();
        }

        Channel connect(String tenant, String inbox) {
            CompletableFuture<Channel> channel = client.tenant(tenant)
                    .connectAsync("local:" + server.name() + "/" + inbox, null, new ChannelOptions(), NodePair.TIMEOUT);
            while (!channel.isDone()) {
                drive();
            }
            return channel.join();
        }

        /** Lets so many milliseconds pass, in which the channels send as much as they can. */
        void pass(int millis, Channel... channels) {
            for (int i = 0; i < millis; i++) {
                for (int round = 0; round < 20; round++) {
                    now.addAndGet(MILLI / 20);
                    for (Channel channel : channels) {
                        for (int k = 0; k < 20 && channel.offer(message, 0, LENGTH) == SendResult.SENT; k++) {}
                    }
                    drive();
                }
            }
        }

        long sent(String tenant) {
            return client.tenant(tenant).statistics().messages();
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }

    @Test
    void tenantsSendInProportionToTheirUtilitiesAndLendWhatTheyDoNotUse() {
        RateOptions rates = new RateOptions().requests(100_000).margin(0).epoch(Duration.ofMillis(5));
        try (Nodes nodes = new Nodes(context(), context().rates(rates))) {
            nodes.server.openInbox("in").onMessage(m -> {});
            Channel gold = nodes.connect("gold", "in");
            Channel plain = nodes.connect("plain", "in");
            nodes.pass(30, gold, plain);
            long goldBefore = nodes.sent("gold");
            long plainBefore = nodes.sent("plain");
            nodes.pass(200, gold, plain);
            long goldSent = nodes.sent("gold") - goldBefore;
            long plainSent = nodes.sent("plain") - plainBefore;
            assertThat(goldSent + plainSent).isBetween(19_500L, 20_150L); // each sends up to a packet of 51 at once
            assertThat(goldSent / (double) plainSent).isCloseTo(3, within(0.1));
            TenantAllocation allocation =
                    requireNonNull(nodes.client.tenant("gold").allocation());
            assertThat(allocation.bound()).isEqualTo(TenantAllocation.Bound.REQUESTS);
            assertThat(allocation.requests()).isBetween(74_000.0, 75_000.0);
            assertThat(allocation.gap()).isLessThan(1e-9);

            nodes.pass(15, plain);
            plainBefore = nodes.sent("plain");
            nodes.pass(100, plain);
            assertThat(nodes.sent("plain") - plainBefore).isBetween(9_700L, 10_060L);
            RateStatistics cost = requireNonNull(nodes.client.tenants().rateStatistics());
            assertThat(cost.epochs()).isBetween(cost.solves(), 100L);
        }
    }

    @Test
    void deliveriesAreSharedByUtilityAndNothingIsLost() {
        RateOptions rates = new RateOptions().requests(1e6).completions(10_000).margin(0);
        int[] taken = new int[2];
        try (Nodes nodes = new Nodes(context().rates(rates), context())) {
            nodes.server.openInbox("a", new InboxOptions().tenant("gold")).onMessage(m -> taken[0]++);
            nodes.server.openInbox("b", new InboxOptions().tenant("plain")).onMessage(m -> taken[1]++);
            Channel gold = nodes.connect("gold", "a");
            Channel plain = nodes.connect("plain", "b");
            nodes.pass(30, gold, plain);
            int goldBefore = taken[0];
            int plainBefore = taken[1];
            nodes.pass(200, gold, plain);
            int goldTaken = taken[0] - goldBefore;
            int plainTaken = taken[1] - plainBefore;
            assertThat(goldTaken + plainTaken).isBetween(1_850, 2_020);
            assertThat(goldTaken / (double) plainTaken).isCloseTo(3, within(0.25));
            while (taken[0] < gold.statistics().messages()
                    || taken[1] < plain.statistics().messages()) {
                nodes.pass(1);
            }
        }
    }

    /** No turn and no epoch has come before it is closed: what it has sent arrives all the same, and soon. */
    @Test
    void aNodeThatClosesAtOnceSendsWhatItHas() {
        AtomicLong taken = new AtomicLong();
        RateOptions rates = new RateOptions().requests(100_000);
        try (Node server = Node.launch(context())) {
            server.openInbox("in").onMessage(m -> taken.incrementAndGet());
            NodeContext context = context().rates(rates);
            context.runtime(NodeRuntime.system().withClock(now::get, () -> {
                now.addAndGet(100_000);
                server.doWork();
            }));
            Node client = Node.launch(context);
            Channel channel = client.connect("local:" + server.name() + "/in", NodePair.TIMEOUT);
            for (int i = 0; i < 20; i++) {
                assertThat(channel.offer(message, 0, LENGTH)).isEqualTo(SendResult.SENT);
            }
            client.close();
            while (server.doWork() > 0) {}
            assertThat(taken.get()).isEqualTo(20);
        }
    }

    /** Threads that wait in earnest: each message that await has told of is there for poll. */
    @Test
    void whatAwaitTellsOfPollTakes() {
        RateOptions rates = new RateOptions().requests(1e6).completions(20_000).epoch(Duration.ofMillis(1));
        try (Node server = Node.launch(Fabric.LOCAL.context(NodeMode.ASSISTED).rates(rates));
                Node client = Node.launch(Fabric.LOCAL.context(NodeMode.ASSISTED))) {
            Inbox inbox = server.openInbox("in");
            Channel channel = client.connect("local:" + server.name() + "/in", NodePair.TIMEOUT);
            int taken = 0;
            int told = 0;
            for (int i = 0; i < 500; i++) {
                while (channel.offer(message, 0, LENGTH) != SendResult.SENT) {
                    Thread.onSpinWait();
                }
            }
            while (taken < 500) {
                assertThat(inbox.await(Duration.ofSeconds(20))).isTrue();
                int now = inbox.poll(m -> {}, 100);
                assertThat(now).isPositive();
                taken += now;
                told++;
            }
            assertThat(told).as("held back again and again").isGreaterThan(1);
            assertThat(inbox.await(Duration.ofMillis(5))).isFalse();
        }
    }

    @Test
    void withoutRatesNothingIsBounded() {
        try (Nodes nodes = new Nodes(context(), context())) {
            nodes.server.openInbox("in").onMessage(m -> {});
            Tenant tenant = nodes.client.tenant("gold");
            assertThat(tenant.allocation()).isNull();
            assertThat(nodes.client.tenants().rateStatistics()).isNull();
            Channel channel = nodes.connect("gold", "in");
            nodes.pass(50, channel);
            assertThat(tenant.group().operationRate()).isZero();
            assertThat(tenant.group().statistics().held()).isZero();
            assertThat(tenant.gate()).isNull();
        }
    }

    @Test
    void settingsAreCheckedAndKept() {
        TenantOptions options =
                new TenantOptions().utility(2, 0.5).minimumRate(100).batch(8).preemptible(0.25);
        assertThat(options.utilityWeight()).isEqualTo(2);
        assertThat(options.alpha()).isEqualTo(0.5);
        assertThat(options.minimumRate()).isEqualTo(100);
        assertThat(options.batch()).isEqualTo(8);
        assertThat(options.preemptible()).isEqualTo(0.25);
        assertThatIllegalArgumentException().isThrownBy(() -> options.utility(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> options.minimumRate(0.5));
        assertThatIllegalArgumentException().isThrownBy(() -> options.batch(0));
        assertThatIllegalArgumentException().isThrownBy(() -> options.preemptible(2));
        RateOptions rates = new RateOptions();
        assertThatIllegalArgumentException().isThrownBy(() -> rates.epoch(Duration.ofMillis(11)));
        assertThatIllegalArgumentException().isThrownBy(() -> rates.requests(1));
        assertThatIllegalArgumentException().isThrownBy(() -> rates.completions(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> rates.margin(0.6));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Node.launch(new NodeContext().rates(rates).arbiter(Discipline.PACKET_ROUND_ROBIN)))
                .withMessageContaining("CHUNKS");
    }
}
