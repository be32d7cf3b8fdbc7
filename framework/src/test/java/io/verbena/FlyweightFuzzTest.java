package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.verbena.call.CallFlyweight;
import io.verbena.connection.ConnectionFlyweight;
import org.agrona.concurrent.UnsafeBuffer;

/** Any bytes as what nodes tell each other. */
class FlyweightFuzzTest {
    @FuzzTest(maxDuration = "1m")
    void connection(byte[] bytes) {
        ConnectionFlyweight d = ConnectionFlyweight.wrap(bytes.clone());
        if (!d.isSound()) {
            return;
        }
        assertThat(d.type()).isBetween(ConnectionFlyweight.REQUEST, ConnectionFlyweight.DISCONNECTED);
        assertThat(d.psn()).isBetween(0, 0xFF_FFFF);
        assertThat(d.text().length()).isLessThanOrEqualTo(ConnectionFlyweight.MAX_TEXT);
        assertThat(d.token().length).isLessThanOrEqualTo(ConnectionFlyweight.MAX_TOKEN);
        assertThat(d.toString()).isNotEmpty();
        // A text that is UTF-8 comes out as it went in.
        ConnectionFlyweight again = ConnectionFlyweight.of(d.type(), d.transaction())
                .queuePairs(d.senderQp(), d.receiverQp())
                .psn(d.psn())
                .kind(d.kind())
                .pathMtu(d.pathMtu())
                .text(d.text(), d.token());
        assertThat(again.text()).isEqualTo(cut(d.text()));
        assertThat(again.token()).isEqualTo(d.token());
        byte[] sent = new byte[again.length()];
        again.buffer().getBytes(0, sent);
        assertThat(ConnectionFlyweight.wrap(sent).isSound()).isTrue();
    }

    /** What fits of a text; malformed bytes have become longer ones when they were read. */
    private static String cut(String text) {
        byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return new String(
                bytes,
                0,
                Math.min(bytes.length, ConnectionFlyweight.MAX_TEXT),
                java.nio.charset.StandardCharsets.UTF_8);
    }

    @FuzzTest(maxDuration = "1m")
    void call(byte[] bytes) {
        UnsafeBuffer exact = new UnsafeBuffer(bytes);
        int type = CallFlyweight.type(exact, 0, bytes.length);
        if (type != 0) {
            assertThat(bytes.length).isGreaterThanOrEqualTo(CallFlyweight.HEADER_LENGTH);
            long id = CallFlyweight.correlationId(exact, 0);
            UnsafeBuffer again = new UnsafeBuffer(new byte[CallFlyweight.HEADER_LENGTH]);
            CallFlyweight.encode(again, 0, id, type);
            assertThat(CallFlyweight.type(again, 0, again.capacity())).isEqualTo(type);
            assertThat(CallFlyweight.correlationId(again, 0)).isEqualTo(id);
        }
    }
}
