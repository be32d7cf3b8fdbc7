package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.DethFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What an engine receives is shared by the groups' weights, and within a group by peers, however many links bring it
 * and however full they are.
 */
@Timeout(180)
class ReceiveShareTest {
    private static final int SMALL = 64;
    private static final int LARGE = 16 * 1024;

    private final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER));
    private final CompletionQueue completions = nic.createCompletionQueue(64);
    private final List<PacketLink> links = new ArrayList<>();

    @AfterEach
    void close() {
        nic.close();
    }

    private ProtectionDomain tenant(String name, int weight) {
        return nic.allocateProtectionDomain(
                nic.createGroup(new GroupAttributes().name(name).weight(weight)));
    }

    /** Links, each a peer's own, that are full of datagrams for a queue pair of a tenant. */
    private List<PacketLink> fill(ProtectionDomain pd, int count, int length, boolean announces) {
        return fill(queuePair(pd), null, count, length, announces);
    }

    private int queuePair(ProtectionDomain pd) {
        return pd.createQueuePair(new QueuePairAttributes().type(QpType.UD).completionQueue(completions))
                .number();
    }

    private List<PacketLink> fill(int qpNumber, @Nullable Object peer, int count, int length, boolean announces) {
        UnsafeBuffer packet = new UnsafeBuffer(new byte[length]);
        Opcode opcode = Opcode.UD_SEND_ONLY;
        BthFlyweight.encode(packet, 0, opcode.code(), 0, qpNumber, 0, 9);
        DethFlyweight.encode(packet, opcode.dethOffset(), 0, 9);
        List<PacketLink> added = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long peerNic = 100L + links.size();
            PacketLink link = new PacketLink(peerNic, peer == null ? peerNic : peer, packet, announces);
            nic.engine(0).endpoint().listener().onLink(link);
            links.add(link);
            added.add(link);
        }
        return added;
    }

    private void turns(int count) {
        for (int i = 0; i < count; i++) {
            nic.engine(0).doWork();
        }
    }

    private static long packets(List<PacketLink> links) {
        return links.stream().mapToLong(link -> link.delivered()).sum();
    }

    @ParameterizedTest
    @CsvSource({
        "3, 1, 1, false",
        "20, 1, 1, false",
        "100, 1, 1, true",
        "100, 3, 1, true",
        "1, 5, 1, false",
        "100, 1, 4, true"
    })
    void manyLinksBringATenantNoMoreThanItsWeight(int many, int weight, int oneWeight, boolean announces) {
        List<PacketLink> flood = fill(tenant("many", weight), many, SMALL, announces);
        List<PacketLink> one = fill(tenant("one", oneWeight), 1, SMALL, announces);
        turns(4000);
        double share = packets(flood) / (double) packets(one);
        assertThat(share).isCloseTo(weight / (double) oneWeight, withPercentage(5));
    }

    @Test
    void whatIsSharedIsTimeAndNotPackets() {
        List<PacketLink> large = fill(tenant("large", 1), 10, LARGE, false);
        List<PacketLink> small = fill(tenant("small", 1), 1, SMALL, false);
        turns(4000);
        double ratio = packets(small) / (double) packets(large);
        assertThat(ratio).isBetween(10.0, 20.0); // a KiB more for each packet
    }

    @Test
    void whatNobodyTakesIsNobodysButTheStrangers() {
        List<PacketLink> garbage = fill(4711, null, 50, SMALL, false);
        List<PacketLink> one = fill(tenant("one", 1), 1, SMALL, false);
        turns(4000);
        assertThat(packets(one) / (double) packets(garbage)).isCloseTo(1, withPercentage(5));
    }

    @Test
    void eachLinkOfATenantHasItsTurn() {
        List<PacketLink> flood = fill(tenant("many", 1), 100, SMALL, true);
        turns(4000);
        long least = flood.stream().mapToLong(link -> link.delivered()).min().orElseThrow();
        long most = flood.stream().mapToLong(link -> link.delivered()).max().orElseThrow();
        assertThat(least).isPositive();
        assertThat(most - least).isLessThanOrEqualTo(64);
    }

    @ParameterizedTest
    @CsvSource({"2, false", "50, false", "50, true"})
    void manyLinksBringAPeerNoMoreThanOneBringsAnother(int many, boolean announces) {
        ProtectionDomain tenant = tenant("both", 1);
        List<PacketLink> flood = fill(queuePair(tenant), "many", many, SMALL, announces);
        List<PacketLink> one = fill(queuePair(tenant), "one", 1, SMALL, announces);
        turns(4000);
        assertThat(packets(one) / (double) packets(flood)).isCloseTo(1, withPercentage(5));
        long least = flood.stream().mapToLong(link -> link.delivered()).min().orElseThrow();
        long most = flood.stream().mapToLong(link -> link.delivered()).max().orElseThrow();
        assertThat(most - least).isLessThanOrEqualTo(64);
    }

    @Test
    void whatAPeerOwesInOneGroupIsNotOwedInAnother() {
        ProtectionDomain first = tenant("first", 1);
        ProtectionDomain second = tenant("second", 1);
        fill(queuePair(first), "busy", 10, LARGE, false);
        List<PacketLink> busy = fill(queuePair(second), "busy", 1, SMALL, false);
        List<PacketLink> other = fill(queuePair(second), "other", 1, SMALL, false);
        turns(4000);
        assertThat(packets(busy) / (double) packets(other)).isCloseTo(1, withPercentage(5));
    }

    /** Within a group, of two peers or of two links of one. */
    @ParameterizedTest
    @CsvSource({"one, other", "one, one"})
    void whatPeersAndTheirLinksShareIsTimeToo(String largePeer, String smallPeer) {
        ProtectionDomain tenant = tenant("both", 1);
        List<PacketLink> large = fill(queuePair(tenant), largePeer, 1, LARGE, false);
        List<PacketLink> small = fill(queuePair(tenant), smallPeer, 1, SMALL, false);
        turns(4000);
        assertThat(packets(small) / (double) packets(large)).isBetween(10.0, 20.0);
    }

    /** Sending, timers and whoever waits for the baton come after so much, however many links are full. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTurnIsBounded(boolean announces) {
        List<PacketLink> flood = fill(tenant("many", 1), 200, SMALL, announces);
        turns(1); // attaches them
        for (int i = 0; i < 100; i++) {
            long before = packets(flood);
            turns(1);
            assertThat(packets(flood) - before).isBetween(1L, 200L);
        }
    }

    /** A tenant that owes nothing is served in the turn in which something comes. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoHasLittleDoesNotWaitForWhoHasMuch(boolean announces) {
        fill(tenant("many", 1), 100, SMALL, announces);
        PacketLink light = fill(tenant("light", 1), 1, SMALL, announces).get(0);
        turns(200);
        light.give(0);
        turns(100); // pays what it owes
        for (int i = 0; i < 100; i++) {
            long before = light.delivered();
            light.give(1);
            turns(1);
            assertThat(light.delivered() - before).isOne();
        }
    }

    /** Nobody sleeps on what a turn has left. */
    @Test
    void whatIsLeftIsWork() {
        List<PacketLink> flood = fill(tenant("many", 1), 50, SMALL, true);
        turns(1);
        flood.forEach(link -> link.give(40));
        int turns = 0;
        while (nic.engine(0).hasWork() && turns < 1000) {
            turns(1);
            turns++;
        }
        assertThat(turns).isBetween(2, 999);
        assertThat(flood).allMatch(link -> !link.hasInbound());
    }
}
