package io.verbena;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.TenantAllocation.Basis;
import io.verbena.TenantAllocation.Bound;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that agree on rates, whose time is the test's: what counts is messages, not time. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TwoSidedRatesTest {
    private static final long MILLI = 1_000_000;
    private static final int LENGTH = 64;
    private static final double REQUESTS = 100_000;
    private static final double DELIVERIES = 10_000;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private final AtomicLong now = new AtomicLong();
    private final List<Node> driven = new ArrayList<>();
    private final long[] taken = new long[2];

    private static RateOptions rates() {
        return new RateOptions().requests(REQUESTS).completions(DELIVERIES).margin(0);
    }

    private Node node(Fabric fabric, RateOptions rates, int weight) {
        NodeContext context = fabric.context(NodeMode.INVOKER);
        context.runtime(NodeRuntime.system().withClock(now::get, () -> now.addAndGet(100_000)));
        Node node = Node.launch(
                context.rates(rates).tenant(new TenantOptions().name("t").utility(weight, 1)));
        driven.add(node);
        return node;
    }

    private void drive() {
        driven.forEach(Node::doWork);
    }

    private Channel connect(Node client, String address) {
        CompletableFuture<Channel> channel =
                client.tenant("t").connectAsync(address, null, new ChannelOptions(), NodePair.TIMEOUT);
        while (!channel.isDone()) {
            drive();
        }
        return channel.join();
    }

    /** Lets so many milliseconds pass, in which channels send as much as they can; rates are kept at each instant. */
    private void pass(int millis, Channel... channels) {
        for (int i = 0; i < 20 * millis; i++) {
            now.addAndGet(MILLI / 20);
            for (Channel channel : channels) {
                for (int k = 0; k < 20 && channel.offer(message, 0, LENGTH) == SendResult.SENT; k++) {}
            }
            drive();
            for (Node node : driven) {
                double sum = 0;
                for (TenantAllocation each : node.tenants().allocations().values()) {
                    sum += each.requests();
                }
                assertThat(sum).isLessThanOrEqualTo(REQUESTS + 2);
            }
        }
    }

    private static TenantAllocation allocation(Node node) {
        return requireNonNull(node.tenant("t").allocation());
    }

    private static RateExchange exchange(Node node) {
        return requireNonNull(node.tenants().rateExchange());
    }

    /** A server, and two clients whose utilities weigh 3 and 1. */
    private final class Three implements AutoCloseable {
        final Node server;
        final Node gold;
        final Node plain;
        final Channel fromGold;
        final Channel fromPlain;

        Three(Fabric fabric, RateOptions serverRates) {
            server = node(fabric, serverRates, 1);
            gold = node(fabric, rates().twoSided(true), 3);
            plain = node(fabric, rates().twoSided(true), 1);
            server.openInbox("a").onMessage(m -> taken[0]++);
            server.openInbox("b").onMessage(m -> taken[1]++);
            String address = fabric.listen(server);
            fromGold = connect(gold, address + "/a");
            fromPlain = connect(plain, address + "/b");
        }

        @Override
        public void close() {
            List.of(gold, plain, server).forEach(Node::close);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"LOCAL", "TCP"})
    void sendersShareWhatAReceiverDeliversByTheirUtilities(Fabric fabric) {
        try (Three three = new Three(fabric, rates().twoSided(true))) {
            pass(400, three.fromGold, three.fromPlain);
            long goldBefore = three.gold.tenant("t").statistics().messages();
            long plainBefore = three.plain.tenant("t").statistics().messages();
            pass(400, three.fromGold, three.fromPlain);
            double gold = three.gold.tenant("t").statistics().messages() - goldBefore;
            double plain = three.plain.tenant("t").statistics().messages() - plainBefore;
            assertThat(gold + plain).isCloseTo(0.4 * DELIVERIES, within(200.0));
            assertThat(gold / plain).isCloseTo(3, within(0.25));
            assertThat(allocation(three.gold).basis()).isEqualTo(Basis.TWO_SIDED);
            assertThat(allocation(three.gold).bound()).isEqualTo(Bound.PEERS);
            assertThat(allocation(three.gold).requests()).isCloseTo(0.75 * DELIVERIES, within(75.0));
            assertThat(allocation(three.gold).requests()
                            + allocation(three.plain).requests())
                    .isLessThanOrEqualTo(DELIVERIES);
            RateExchange of = exchange(three.server);
            assertThat(of.activePeers()).isEqualTo(2);
            assertThat(of.deliverySteps()).isPositive();
            assertThat(of.ignored().malformed() + of.ignored().implausible()).isZero();
            assertThat(of.leasesEnded() + of.peersLost()).isZero();
        }
    }

    @Test
    void whoGoesLeavesItsShareToOthersAndWhoFallsSilentIsDoneWithout() {
        try (Three three = new Three(Fabric.LOCAL, rates().twoSided(true))) {
            pass(300, three.fromGold, three.fromPlain);
            three.fromGold.close();
            pass(300, three.fromPlain);
            assertThat(allocation(three.plain).requests()).isCloseTo(DELIVERIES, within(200.0));

            driven.remove(three.server); // it hangs
            pass(300, three.fromPlain);
            assertThat(allocation(three.plain).basis()).isEqualTo(Basis.PEER_LOST);
            assertThat(allocation(three.plain).bound()).isNotEqualTo(Bound.PEERS);
            assertThat(exchange(three.plain).leasesEnded()).isEqualTo(1);

            driven.add(three.server);
            pass(500, three.fromPlain);
            assertThat(allocation(three.plain).basis()).isEqualTo(Basis.TWO_SIDED);
            assertThat(allocation(three.plain).requests()).isCloseTo(DELIVERIES, within(200.0));
        }
    }

    @Test
    void aReceiverThatSharesByItselfBoundsNobody() {
        try (Three three = new Three(Fabric.LOCAL, rates())) {
            pass(300, three.fromGold, three.fromPlain);
            assertThat(allocation(three.gold).basis()).isEqualTo(Basis.NOT_ANSWERED);
            assertThat(allocation(three.gold).bound()).isNotEqualTo(Bound.PEERS);
            assertThat(three.server.tenants().rateExchange()).isNull();
            assertThat(allocation(three.server).basis()).isEqualTo(Basis.ONE_SIDED);
            assertThat(exchange(three.gold).received()).isZero();
        }
    }

    /** Nobody sends: then nobody says anything of rates, and nodes sleep. */
    @Test
    void nothingIsSaidWhileNothingIsSent() {
        try (Three three = new Three(Fabric.LOCAL, rates().twoSided(true))) {
            pass(100, three.fromGold, three.fromPlain);
            pass(1_500);
            long before = exchange(three.gold).sent();
            long there = exchange(three.server).sent();
            pass(500);
            assertThat(exchange(three.gold).sent()).isEqualTo(before);
            assertThat(exchange(three.server).sent()).isEqualTo(there);
            assertThat(exchange(three.server).peersLost())
                    .as("who says that it stops is not missed")
                    .isZero();
        }
    }
}
