package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TransactionTest {
    private final ShardFixture shard = new ShardFixture();

    @AfterEach
    void close() {
        shard.close();
    }

    /** A request, in Latin-1 as the fixture sends it. */
    private static String request(int database, String line) {
        String[] words = line.split(" ");
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        RequestEncoder encoder =
                new RequestEncoder().begin(buffer, 0, KvOp.valueOf(words[0].toUpperCase(Locale.ROOT)), database, 0, 0);
        for (int i = 1; i < words.length; i++) {
            encoder.argument(words[i].getBytes(StandardCharsets.ISO_8859_1));
        }
        return new String(buffer.byteArray(), 0, encoder.length(), StandardCharsets.ISO_8859_1);
    }

    private String transaction(String... requests) {
        return Resp.render(shard.execute("transaction", requests), false);
    }

    @Test
    void executesItsRequestsInOrderAndAnswersEach() {
        assertThat(transaction(
                        request(0, "set k 1"), request(0, "incr k"), request(0, "get k"), request(0, "get none")))
                .isEqualTo("*4\r\n+OK\r\n:2\r\n$1\r\n2\r\n$-1\r\n");
        assertThat(shard.resp("get k")).isEqualTo("$1\r\n2\r\n");
    }

    @Test
    void anErrorIsThatRequestsAlone() {
        assertThat(transaction(request(0, "set k abc"), request(0, "incr k"), request(0, "strlen k")))
                .isEqualTo("*3\r\n+OK\r\n-ERR value is not an integer or out of range\r\n:3\r\n");
    }

    @Test
    void eachRequestNamesItsDatabase() {
        assertThat(transaction(request(0, "set k zero"), request(3, "set k three"), request(0, "get k")))
                .isEqualTo("*3\r\n+OK\r\n+OK\r\n$4\r\nzero\r\n");
    }

    @Test
    void nothingIsExecutedIfARequestIsMalformed() {
        assertThatThrownBy(() -> transaction(request(0, "set k 1"), "nonsense")).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> transaction(request(0, "set k 1"), request(0, "transaction x")))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("operation code 1 cannot be request 1 of a transaction");
        assertThat(shard.resp("exists k")).isEqualTo(":0\r\n");
        assertThat(transaction(request(0, "set k 1"))).isEqualTo("*1\r\n+OK\r\n");
    }

    @Test
    void repliesThatFindNoRoomBecomeErrors() {
        String value = "v".repeat(1000);
        assertThat(shard.resp("set k " + value)).isEqualTo("+OK\r\n");
        try (ReplyEncoder small = new ReplyEncoder(64 * 1024)) {
            ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
            RequestEncoder encoder = new RequestEncoder().begin(buffer, 0, KvOp.TRANSACTION, 0, 7, 0);
            for (int i = 0; i < 100; i++) {
                encoder.argument(request(0, "get k").getBytes(StandardCharsets.ISO_8859_1));
            }
            shard.shard.execute(buffer, 0, encoder.length(), small);
            assertThat(small.length()).isLessThanOrEqualTo(64 * 1024);
        }
        assertThat(shard.resp("strlen k")).isEqualTo(":1000\r\n");
    }
}
