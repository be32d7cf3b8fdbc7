package io.verbena.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.wire.AppendEthFlyweight;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionFlyweightTest {
    private static byte[] bytes(ConnectionFlyweight datagram) {
        byte[] bytes = new byte[datagram.length()];
        datagram.buffer().getBytes(0, bytes);
        return bytes;
    }

    private static ConnectionFlyweight request(int senderStream, int receiverStream) {
        return ConnectionFlyweight.of(ConnectionFlyweight.REQUEST, 5)
                .queuePairs(7, 8)
                .streams(senderStream, receiverStream)
                .group(0xFEDC)
                .pathMtu(1024)
                .text("inbox", new byte[] {1, 2})
                .node("client");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 4095", "4095, 0", "4095, 4095"})
    void streamsAreBesideTheRest(int senderStream, int receiverStream) {
        ConnectionFlyweight found = ConnectionFlyweight.wrap(bytes(request(senderStream, receiverStream)));
        assertThat(found.isSound()).isTrue();
        assertThat(found.senderStream()).isEqualTo(senderStream);
        assertThat(found.receiverStream()).isEqualTo(receiverStream);
        assertThat(found.group()).isEqualTo(0xFEDC);
        assertThat(found.text()).isEqualTo("inbox");
        assertThat(found.token()).containsExactly(1, 2);
        assertThat(found.node()).isEqualTo("client");
        ConnectionFlyweight answer =
                ConnectionFlyweight.of(ConnectionFlyweight.DISCONNECT, 5).inAnswerTo(found);
        assertThat(answer.senderStream()).isEqualTo(receiverStream);
        assertThat(answer.receiverStream()).isEqualTo(senderStream);
    }

    @Test
    void numberThatNoStreamHasIsNotSound() {
        int none = AppendEthFlyweight.MAX_STREAM + 1;
        assertThat(ConnectionFlyweight.wrap(bytes(request(none, 0))).isSound()).isFalse();
        assertThat(ConnectionFlyweight.wrap(bytes(request(0, none))).isSound()).isFalse();
    }

    @Test
    void datagramOfTheVersionBeforeIsNotSound() {
        byte[] bytes = bytes(request(1, 0));
        new UnsafeBuffer(bytes).putInt(0, 0x0002_4356, ByteOrder.LITTLE_ENDIAN);
        assertThat(ConnectionFlyweight.wrap(bytes).isSound()).isFalse();
    }
}
