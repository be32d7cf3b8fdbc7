package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.connection.ChannelSettings;
import io.verbena.connection.Connection;
import io.verbena.connection.ConnectionFlyweight;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.fabric.security.PeerRules;
import io.verbena.nic.memory.Access;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a policy gives is what a peer can do, and what it refuses is refused before anything is there for it. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class AccessPolicyTest {
    private static final UnsafeBuffer EIGHT = new UnsafeBuffer(new byte[8]);

    @TempDir
    Path directory;

    private static NodePair pair(Fabric fabric, AccessPolicy policy) {
        return new NodePair(
                fabric, fabric.context(NodeMode.THREAD).accessPolicy(policy), fabric.context(NodeMode.THREAD));
    }

    private static void refused(NodePair pair, String name) {
        long before = pair.server.rejectedConnections();
        assertThatThrownBy(() -> pair.client.connect(pair.address + name, NodePair.TIMEOUT))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("does not permit that: its AccessPolicy gives")
                .hasMessageContaining("no right to '" + name + "'");
        assertThat(pair.server.rejectedConnections()).isGreaterThan(before);
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void rightsAreOfKindAndName(Fabric fabric) {
        AccessPolicy policy = AccessPolicy.denyAll()
                .allow(r -> r.name().equals("open"), Right.SEND)
                .allow(r -> r.kind() == AccessRequest.Kind.RESPONDER && r.name().startsWith("call"), Right.CALL);
        try (NodePair pair = pair(fabric, policy)) {
            pair.server.openInbox("open");
            pair.server.openInbox("shut");
            pair.server.openInbox("call-inbox");
            pair.server.openResponder("call");
            pair.server.openResponder("other");
            pair.server.share("region", 64);
            assertThat(pair.client
                            .connect(pair.address + "open", NodePair.TIMEOUT)
                            .isConnected())
                    .isTrue();
            assertThat(pair.client
                            .openRequester()
                            .connect(pair.address + "call", NodePair.TIMEOUT)
                            .isConnected())
                    .isTrue();
            refused(pair, "shut");
            refused(pair, "call-inbox");
            refused(pair, "other");
            refused(pair, "unknown");
            assertThatThrownBy(() -> pair.client.attach(pair.address + "region", NodePair.TIMEOUT))
                    .hasMessageContaining("no right to 'region'");
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void regionsHaveTheRightsThatWereGiven(Fabric fabric) {
        AccessPolicy policy = AccessPolicy.denyAll()
                .allow(r -> r.name().startsWith("read"), Right.READ)
                .allow(r -> r.name().equals("read-write"), Right.WRITE)
                .allow(r -> r.name().equals("count"), Right.ATOMIC);
        try (NodePair pair = pair(fabric, policy)) {
            SharedRegion table = pair.server.share("read-only", 64);
            table.buffer().putLong(8, 42);
            pair.server.share("read-write", 64);
            pair.server.share("count", 64);
            RemoteRegion readOnly = pair.client.attach(pair.address + "read-only", NodePair.TIMEOUT);
            UnsafeBuffer got = new UnsafeBuffer(new byte[8]);
            readOnly.read(8, got, 0, 8, NodePair.TIMEOUT);
            assertThat(got.getLong(0)).isEqualTo(42);
            assertThatThrownBy(() -> readOnly.write(8, EIGHT, 0, 8, NodePair.TIMEOUT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("does not permit REMOTE_WRITE");
            assertThatThrownBy(() -> readOnly.fetchAndAdd(8, 1, NodePair.TIMEOUT))
                    .hasMessageContaining("does not permit REMOTE_ATOMIC");
            RemoteRegion both = pair.client.attach(pair.address + "read-write", NodePair.TIMEOUT);
            both.write(0, EIGHT, 0, 8, NodePair.TIMEOUT);
            both.read(0, got, 0, 8, NodePair.TIMEOUT);
            RemoteRegion count = pair.client.attach(pair.address + "count", NodePair.TIMEOUT);
            assertThat(count.fetchAndAdd(0, 5, NodePair.TIMEOUT)).isZero();
            assertThatThrownBy(() -> count.read(0, got, 0, 8, NodePair.TIMEOUT))
                    .hasMessageContaining("does not permit REMOTE_READ");
            assertThat(table.buffer().getLong(8)).isEqualTo(42);
        }
    }

    /**
     * A peer that does not look at what it may: the NIC of the other side refuses it, over packets and mapped memory.
     */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void aPeerThatTriesAllTheSameIsRefusedByTheNic(Fabric fabric) {
        try (NodePair pair = pair(fabric, AccessPolicy.denyAll().allow(r -> true, Right.READ))) {
            SharedRegion table = pair.server.share("table", 64);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            connectionOf(pair, remote).rights = Access.REMOTE; // as if the node had said so
            assertThatThrownBy(() -> remote.write(
                            8, new UnsafeBuffer(new byte[] {1, 1, 1, 1, 1, 1, 1, 1}), 0, 8, NodePair.TIMEOUT))
                    .isInstanceOf(RemoteMemoryException.class);
            assertThat(table.buffer().getLong(8)).isZero();
        }
    }

    /** What a peer may do with one region of a tenant's it cannot do with another, whose key it has too. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void rightsAreOfEachRegion(Fabric fabric) {
        AccessPolicy policy = AccessPolicy.denyAll()
                .allow(r -> r.name().equals("read"), Right.READ)
                .allow(r -> r.name().equals("write"), Right.READ, Right.WRITE, Right.ATOMIC);
        try (NodePair pair = pair(fabric, policy)) {
            SharedRegion shown = pair.server.share("read", 64);
            SharedRegion given = pair.server.share("write", 64);
            shown.buffer().putLong(8, 42);
            RemoteRegion read = pair.client.attach(pair.address + "read", NodePair.TIMEOUT);
            RemoteRegion write = pair.client.attach(pair.address + "write", NodePair.TIMEOUT);
            write.write(8, EIGHT, 0, 8, NodePair.TIMEOUT);
            connectionOf(pair, write).peer = connectionOf(pair, read).peer;
            UnsafeBuffer got = new UnsafeBuffer(new byte[8]);
            write.read(8, got, 0, 8, NodePair.TIMEOUT);
            assertThat(got.getLong(0)).as("it is the other region").isEqualTo(42);
            assertThatThrownBy(() -> write.write(8, EIGHT, 0, 8, NodePair.TIMEOUT))
                    .isInstanceOf(RemoteMemoryException.class);
            assertThat(shown.buffer().getLong(8)).isEqualTo(42);
            assertThat(given.buffer().getLong(8)).isZero();
        }
    }

    private static Connection connectionOf(NodePair pair, RemoteRegion region) {
        for (int number = 0; number < 64; number++) {
            Connection c = pair.client.connections().numbered(number);
            if (c != null && c.end == region.end()) {
                return c;
            }
        }
        throw new AssertionError("no connection of " + region);
    }

    @Test
    void aPeerIsAttachedToSoManyBytesAndNoMore() {
        try (NodePair pair = pair(Fabric.TCP, AccessPolicy.allowAll().maxRegionBytes(100))) {
            pair.server.share("a", 64);
            pair.server.share("b", 64);
            RemoteRegion a = pair.client.attach(pair.address + "a", NodePair.TIMEOUT);
            assertThat(a.length()).isEqualTo(64);
            assertThatThrownBy(() -> pair.client.attach(pair.address + "b", NodePair.TIMEOUT))
                    .hasMessageContaining("attached to 64 bytes, the region has 64")
                    .hasMessageContaining("maxRegionBytes is 100");
        }
    }

    /**
     * Messages that nobody takes, in all inboxes together, and also of a peer that closes its channels and comes again.
     */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "UDS"})
    void onePeersMessagesLeaveRoomForOthers(Fabric fabric) {
        long most = 64 << 10;
        UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
        NodeContext peer = fabric.context(NodeMode.THREAD).linger(Duration.ofMillis(100));
        try (Node server = Node.launch(fabric.context(NodeMode.THREAD)
                        .accessPolicy(AccessPolicy.allowAll().maxInboxBytes(most)));
                Node greedy = Node.launch(peer);
                Node other = Node.launch(fabric.context(NodeMode.THREAD))) {
            Inbox first = server.openInbox("first");
            Inbox second = server.openInbox("second");
            String address = fabric.listen(server);
            for (int round = 0; round < 2; round++) {
                Channel one = greedy.connect(address + "/first", NodePair.TIMEOUT);
                Channel two = greedy.connect(address + "/second", NodePair.TIMEOUT);
                for (int i = 0; i < 200; i++) {
                    one.offer(message, 0, 1000);
                    two.offer(message, 0, 1000);
                }
                until(() -> first.depth() + second.depth() > most - 1024);
                assertThatThrownBy(() -> one.offer(new UnsafeBuffer(new byte[(int) most]), 0, (int) most))
                        .as("what never fits")
                        .isInstanceOf(IllegalArgumentException.class);
                long before = first.depth();
                Channel honest = other.connect(address + "/first", NodePair.TIMEOUT);
                assertThat(honest.offer(message, 0, 1000)).isEqualTo(SendResult.SENT);
                until(() -> honest.outstanding() == 0);
                assertThat(first.depth()).isGreaterThan(before);
                assertThat(first.depth() + second.depth() - (round + 1) * 1016L).isLessThanOrEqualTo(most);
                one.close();
                two.close();
                int left = round + 1; // the other's
                until(() -> server.tenant("default").connections() == left);
            }
            Channel again = greedy.connect(address + "/first", NodePair.TIMEOUT);
            assertThat(again.offer(message, 0, 1000)).isEqualTo(SendResult.SENT);
            first.poll(m -> {}, 1000);
            second.poll(m -> {}, 1000);
            until(() -> again.outstanding() == 0);
        }
    }

    private static void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.yield();
        }
    }

    @Test
    void aRuleThatThrowsGivesNothing() {
        AccessPolicy policy = AccessPolicy.denyAll()
                .allow(
                        r -> {
                            throw new IllegalStateException("broken rule");
                        },
                        Right.SEND);
        try (NodePair pair = pair(Fabric.TCP, policy)) {
            pair.server.openInbox("in");
            refused(pair, "in");
        }
    }

    /** The answer of a connection that exists is given again only to whom it is permitted now. */
    @Test
    void aCachedAnswerComesAfterTheCheck() {
        AtomicBoolean permits = new AtomicBoolean(true);
        try (NodePair pair = pair(Fabric.LOCAL, AccessPolicy.denyAll().allow(r -> permits.get(), Right.SEND))) {
            pair.server.openInbox("in");
            Node client = pair.client;
            assertThat(client.connect(pair.address + "in", NodePair.TIMEOUT).isConnected())
                    .isTrue();
            Connection c = client.connections()
                    .handshake()
                    .prepare(
                            pair.server.nicId(),
                            ConnectionFlyweight.INBOX,
                            "in",
                            client.tenant("default").asOwner(),
                            null,
                            ChannelSettings.DEFAULT,
                            false);
            ConnectionFlyweight request = client.connections().handshake().request(c, null, 16 * 1024);
            PeerIdentity peer = PeerIdentity.SAME_PROCESS;
            ConnectionFlyweight first = pair.server.connections().handshake().answer(client.nicId(), request, peer);
            assertThat(first.type()).isEqualTo(ConnectionFlyweight.REPLY);
            pair.await(
                    () -> { // what nobody confirms is given up after a while
                        ConnectionFlyweight answer =
                                pair.server.connections().handshake().answer(client.nicId(), request, peer);
                        return pair.server.connections().handshake().answer(client.nicId(), request, peer) == answer;
                    });
            permits.set(false);
            assertThat(pair.server
                            .connections()
                            .handshake()
                            .answer(client.nicId(), request, peer)
                            .type())
                    .isEqualTo(ConnectionFlyweight.REJECT);
            client.connections().handshake().abandon(c);
        }
    }

    // ---- by certificate ---------------------------------------------------------------------------------------------

    @Test
    void aCertificateBoundToATenantGetsNothingOfAnother() throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        NodeContext server = new NodeContext()
                .tenant(new TenantOptions().name("orders"))
                .tls(certificates.member("server").rules(PeerRules.none().accept("client", "orders")));
        NodeContext client = new NodeContext().tls(certificates.member("client"));
        try (NodePair pair = new NodePair(Fabric.TCP, server, client)) {
            pair.server.tenant("orders").openInbox("mine", new InboxOptions());
            pair.server.openInbox("theirs");
            assertThat(pair.client
                            .connect(pair.address + "mine", NodePair.TIMEOUT)
                            .isConnected())
                    .isTrue();
            refused(pair, "theirs");
        }
    }

    @Test
    void aPolicyKnowsThePeerByItsCertificate() throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        List<PeerIdentity> asked = Collections.synchronizedList(new ArrayList<>());
        AccessPolicy policy = AccessPolicy.denyAll()
                .allow(r -> asked.add(r.peer()) && r.peer().name().equals("friend"), Right.SEND);
        try (Node server = Node.launch(
                        new NodeContext().tls(certificates.member("server")).accessPolicy(policy));
                Node friend = Node.launch(new NodeContext().tls(certificates.member("friend")));
                Node foe = Node.launch(new NodeContext().name("friend").tls(certificates.member("foe")))) {
            server.openInbox("in");
            String address = server.listen("tcp://127.0.0.1:0") + "/in";
            assertThat(friend.connect(address, NodePair.TIMEOUT).isConnected()).isTrue();
            assertThatThrownBy(() -> foe.connect(address, NodePair.TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("gives 'foe' no right to 'in'");
            assertThat(asked).extracting(PeerIdentity::name).contains("friend", "foe");
        }
    }
}
