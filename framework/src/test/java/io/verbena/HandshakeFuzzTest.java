package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.verbena.connection.ChannelSettings;
import io.verbena.connection.Connection;
import io.verbena.connection.ConnectionFlyweight;
import io.verbena.fabric.shm.LocalFabric;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.engine.NicEvents;
import io.verbena.nic.verbs.EngineMode;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A peer that sends any management datagrams: the node takes them or drops them, and goes on connecting others. */
class HandshakeFuzzTest {
    /**
     * More than inputs can take in the seconds for which a connection outlives them, so that no limit refuses the next.
     */
    private static final int CONNECTIONS = 1 << 16;

    private Node node;
    private Nic hostile;

    @BeforeEach
    void open() {
        node = Node.launch(new NodeContext()
                .mode(NodeMode.INVOKER)
                .maxConnections(CONNECTIONS)
                .maxConnectionsPerPeer(CONNECTIONS));
        node.openInbox("inbox", new InboxOptions());
        node.share("region", 4096);
        hostile = Nic.open(new NicContext().mode(EngineMode.INVOKER).backgroundThread(false));
        LocalFabric.connect(node.self().endpoint(), hostile.engine(0).endpoint());
        turn();
    }

    @AfterEach
    void close() {
        hostile.close();
        node.close();
    }

    @FuzzTest(maxDuration = "2m")
    void anyDatagrams(byte[] script) {
        Connection asked = node.connections()
                .handshake()
                .prepare(
                        hostile.id(),
                        ConnectionFlyweight.INBOX,
                        "there",
                        node.tenant("default").asOwner(),
                        null,
                        ChannelSettings.DEFAULT,
                        false);
        int at = 0;
        for (int i = 0; at < script.length && i < 16; i++) {
            int what = script[at++];
            int length = Math.min(script.length - at, at < script.length ? script[at++] & 0xFF : 0);
            length = Math.max(0, Math.min(length, script.length - at));
            byte[] bytes = new byte[length];
            System.arraycopy(script, at, bytes, 0, length);
            at += length;
            if ((what & 1) != 0) {
                bytes = halfRight(bytes, what, asked);
            }
            if (bytes.length > 0) {
                hostile.engine(0).sendDatagram(node.nicId(), new UnsafeBuffer(bytes), 0, bytes.length);
            }
            turn();
        }
        node.connections().handshake().abandon(asked);
        turn();
        assertServes();
    }

    /** Puts right what is needed to come through to the fields behind it. */
    private static byte[] halfRight(byte[] bytes, int what, Connection asked) {
        byte[] whole = java.util.Arrays.copyOf(bytes, Math.max(bytes.length, ConnectionFlyweight.HEADER_LENGTH));
        UnsafeBuffer b = new UnsafeBuffer(whole);
        b.putInt(0, ConnectionFlyweight.MAGIC, ByteOrder.LITTLE_ENDIAN);
        if ((what & 2) != 0) {
            b.putByte(4, (byte) (1 + (what >>> 4 & 7) % 6));
        }
        if ((what & 4) != 0) {
            b.putLong(8, asked.transaction, ByteOrder.LITTLE_ENDIAN);
            b.putInt(20, asked.number(), ByteOrder.LITTLE_ENDIAN);
            b.putShort(66, (short) asked.stream(), ByteOrder.LITTLE_ENDIAN);
        }
        if ((what & 8) != 0) {
            int text = whole.length - ConnectionFlyweight.HEADER_LENGTH;
            b.putShort(56, (short) text, ByteOrder.LITTLE_ENDIAN);
            b.putShort(58, (short) 0, ByteOrder.LITTLE_ENDIAN);
            b.putByte(5, (byte) (b.getByte(5) & 1));
            for (int at : new int[] {16, 24}) {
                b.putInt(at, b.getInt(at, ByteOrder.LITTLE_ENDIAN) & 0xFF_FFFF, ByteOrder.LITTLE_ENDIAN);
            }
            for (int at : new int[] {64, 66}) {
                b.putShort(at, (short) (b.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFF), ByteOrder.LITTLE_ENDIAN);
            }
            b.putInt(28, 256 << (b.getByte(28) & 7) % 9, ByteOrder.LITTLE_ENDIAN);
            b.putByte(43, (byte) (b.getByte(43) & 0x7F));
            b.putByte(55, (byte) (b.getByte(55) & 0x7F));
        }
        return whole;
    }

    private void turn() {
        for (int i = 0; i < 4; i++) {
            hostile.engine(0).doWork();
            node.doWork();
        }
    }

    /**
     * A request in order is answered by a reply; what was replied to is hung up, so that nothing is left for the next
     * input.
     */
    private void assertServes() {
        hangUp(0);
        long transaction = System.nanoTime();
        ConnectionFlyweight request = ConnectionFlyweight.of(ConnectionFlyweight.REQUEST, transaction)
                .kind(ConnectionFlyweight.INBOX)
                .queuePairs(7, 0)
                .pathMtu(1024)
                .text("inbox", new byte[0]);
        send(request);
        ConnectionFlyweight answer = hangUp(transaction);
        assertThat(answer).as("answer to a request in order").isNotNull();
        assertThat(answer.type())
                .as("type of %s, which says '%s'", answer, answer.text())
                .isEqualTo(ConnectionFlyweight.REPLY);
    }

    /** Ends all connections that the node has replied to. Returns what it has said of a transaction, or null. */
    private ConnectionFlyweight hangUp(long transaction) {
        ConnectionFlyweight found = null;
        NicEvents.Datagram datagram;
        while ((datagram = hostile.events().pollDatagram()) != null) {
            ConnectionFlyweight said = ConnectionFlyweight.wrap(datagram.bytes());
            assertThat(said.isSound()).isTrue();
            if (said.transaction() == transaction && said.type() != ConnectionFlyweight.DISCONNECTED) {
                found = said;
            }
            if (said.type() == ConnectionFlyweight.REPLY) {
                send(ConnectionFlyweight.of(ConnectionFlyweight.DISCONNECT, said.transaction())
                        .inAnswerTo(said));
            }
        }
        return found;
    }

    private void send(ConnectionFlyweight datagram) {
        hostile.engine(0).sendDatagram(node.nicId(), datagram.buffer(), 0, datagram.length());
        turn();
    }
}
