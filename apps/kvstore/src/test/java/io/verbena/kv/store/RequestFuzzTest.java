package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.RequestFlyweight;
import io.verbena.kv.protocol.TransferDescriptor;
import java.util.Arrays;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Any bytes as requests and replies of the store. */
class RequestFuzzTest {
    private static final KvOp[] OPS = KvOp.values();

    /** What is taken for a request has all its arguments inside; what is not says why. */
    @FuzzTest(maxDuration = "1m")
    void request(byte[] bytes) {
        RequestFlyweight request = new RequestFlyweight();
        try {
            request.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
        } catch (ProtocolException e) {
            assertThat(e.getMessage()).isNotEmpty();
            return;
        }
        int end = 0;
        assertThat(request.argc()).isBetween(0, bytes.length / 4);
        for (int i = 0; i < request.argc(); i++) {
            assertThat(request.argumentOffset(i)).isGreaterThanOrEqualTo(end);
            end = request.argumentOffset(i) + request.argumentLength(i);
            assertThat(end).isLessThanOrEqualTo(bytes.length);
        }
        request.op();
        request.correlation();
        request.database();
    }

    /** A reply is walked to its end or refused; a walk visits no more values than there are bytes for. */
    @FuzzTest(maxDuration = "1m")
    void reply(byte[] bytes) {
        ReplyCursor cursor = new ReplyCursor();
        int values = 0;
        try {
            cursor.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
            while (cursor.next()) {
                values++;
                assertThat(values).isLessThanOrEqualTo(bytes.length / 8);
                read(cursor);
            }
            cursor.rewind();
            cursor.next();
            cursor.skip();
            assertThat(cursor.next()).as("after the root nothing").isFalse();
        } catch (ProtocolException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    private static void read(ReplyCursor cursor) {
        ReplyType type = cursor.type();
        if (type.isText()) {
            assertThat(cursor.bytes()).hasSize(cursor.textLength());
        } else if (type.isAggregate()) {
            assertThat(cursor.count()).isGreaterThanOrEqualTo(0);
        } else if (type == ReplyType.INTEGER) {
            cursor.integer();
        } else if (type == ReplyType.DOUBLE) {
            cursor.doubleValue();
        } else if (type == ReplyType.BOOLEAN) {
            cursor.booleanValue();
        }
        assertThat(cursor.toString()).isNotEmpty();
    }

    /** Raw bytes, and commands with any arguments: the shard answers each, and goes on. */
    @FuzzTest(maxDuration = "2m")
    void execute(byte[] script) {
        long[] now = {ShardFixture.EPOCH};
        Shard shard = new Shard(new ShardContext().seed(1), () -> now[0]);
        ReplyEncoder reply = new ReplyEncoder();
        ClientTransfers client = shard.newTransfers(TransferDescriptor.MAX_MESSAGE);
        try {
            ExpandableDirectByteBuffer buffer = new ExpandableDirectByteBuffer(4096);
            RequestEncoder encoder = new RequestEncoder();
            int at = 0;
            for (int command = 0; at < script.length && command < 32; command++) {
                int op = script[at++] & 0xFF;
                int argc = at < script.length ? script[at++] & 7 : 0;
                encoder.begin(buffer, 0, OPS[op % OPS.length], command & 1, command, op >>> 7);
                for (int i = 0; i < argc; i++) {
                    if (at < script.length && (script[at] & 0xE0) == 0xE0) {
                        encoder.uploadedArgument(script[at++] & 1);
                        continue;
                    }
                    if (at < script.length && (script[at] & 0xE0) == 0xC0) {
                        encoder.argumentLong(script[at++] & 0x1F);
                        continue;
                    }
                    int length = at < script.length ? script[at++] & 0x1F : 0;
                    int end = Math.min(at + length, script.length);
                    encoder.argument(Arrays.copyOfRange(script, Math.min(at, end), end));
                    at = end;
                }
                now[0] += op;
                try {
                    shard.execute(buffer, 0, encoder.length(), reply, client);
                    assertWhole(reply, command);
                } catch (ProtocolException e) {
                    // Only the requests inside a transaction can be malformed here.
                    assertThat(OPS[op % OPS.length]).as(e.getMessage()).isEqualTo(KvOp.TRANSACTION);
                }
            }
            encoder.begin(buffer, 0, KvOp.valueOf("SET"), 0, 99, 0);
            encoder.argument(new byte[] {'k'});
            encoder.argument(new byte[] {'v'});
            shard.execute(buffer, 0, encoder.length(), reply);
            assertWhole(reply, 99);
        } finally {
            client.close();
            shard.close();
            reply.close();
        }
    }

    private static void assertWhole(ReplyEncoder reply, long correlation) {
        ReplyCursor cursor = new ReplyCursor().wrap(Replies.whole(reply), 0, reply.length());
        assertThat(cursor.correlation()).isEqualTo(correlation);
        int values = 0;
        while (cursor.next()) {
            values++;
        }
        assertThat(values).isPositive();
    }
}
