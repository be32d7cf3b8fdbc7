package io.verbena.redis.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Values whose bytes are not at hand: where they belong in what is written, and received. */
class StreamedBodyTest {
    private final List<Body> closed = new ArrayList<>();

    private final class Body implements StreamedBody {
        @Override
        public long length() {
            return 10;
        }

        @Override
        public void close() {
            closed.add(this);
        }
    }

    private static RespWriter writer() {
        return new RespWriter(UnpooledByteBufAllocator.DEFAULT);
    }

    private static String taken(RespWriter writer) {
        ByteBuf bytes = writer.take();
        if (bytes == null) {
            return "";
        }
        try {
            return bytes.toString(StandardCharsets.US_ASCII);
        } finally {
            bytes.release();
        }
    }

    @Test
    void bodiesAreGivenAwayWhereTheyBelong() {
        RespWriter writer = writer();
        Body first = new Body();
        Body second = new Body();
        writer.ok();
        writer.bulk(first);
        writer.bulk(second);
        assertThat(taken(writer)).isEqualTo("+OK\r\n$10\r\n");
        assertThat(taken(writer)).isEmpty();
        assertThat(writer.nextBody()).isSameAs(first);
        assertThat(writer.nextBody()).isNull();
        writer.bulk("x".repeat(5000)); // grows behind what was given away
        assertThat(taken(writer)).isEqualTo("\r\n$10\r\n");
        assertThat(writer.nextBody()).isSameAs(second);
        assertThat(taken(writer)).isEqualTo("\r\n$5000\r\n" + "x".repeat(5000) + "\r\n");
        assertThat(writer.nextBody()).isNull();
        assertThat(closed).isEmpty();
    }

    @Test
    void bodiesGoAlongWithTheirPart() {
        RespWriter parts = writer();
        Body[] bodies = {new Body(), new Body(), new Body()};
        int[] ends = new int[3];
        for (int i = 0; i < 3; i++) {
            parts.bulk(bodies[i]);
            ends[i] = parts.length();
        }
        RespWriter out = writer();
        out.raw(parts, 0, ends[0]);
        out.raw(parts, ends[1], ends[2] - ends[1]);
        assertThat(closed).containsExactly(bodies[1]); // its part was left out
        parts.release();
        assertThat(taken(out)).isEqualTo("$10\r\n");
        assertThat(out.nextBody()).isSameAs(bodies[0]);
        assertThat(taken(out)).isEqualTo("\r\n$10\r\n");
        assertThat(out.nextBody()).isSameAs(bodies[2]);
        assertThat(taken(out)).isEqualTo("\r\n");
        assertThat(closed).hasSize(1);
    }

    @Test
    void whatIsThrownAwayIsClosed() {
        RespWriter writer = writer();
        Body kept = new Body();
        Body dropped = new Body();
        writer.bulk(kept);
        int mark = writer.length();
        writer.bulk(dropped);
        writer.truncate(mark);
        assertThat(closed).containsExactly(dropped);
        writer.release();
        assertThat(closed).containsExactly(dropped, kept);
    }

    @Test
    void anArgumentIsTakenBySomebodyElseWhileItIsReceived() {
        RespParser parser = new RespParser(RespLimits.DEFAULT);
        byte[] head = "*5\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\nbeginning".getBytes(StandardCharsets.US_ASCII);
        assertThat(parser.parse(new UnsafeBuffer(head), 0, head.length)).isEqualTo(RespParser.NEED_MORE);
        assertThat(parser.pendingLength()).isEqualTo(100_000);
        assertThat(parser.argumentCount()).isEqualTo(2);
        assertThat(parser.divert()).isEqualTo(head.length - "beginning".length());
        byte[] tail = "\r\n$2\r\nEX\r\n$2\r\n10\r\nPING".getBytes(StandardCharsets.US_ASCII);
        UnsafeBuffer rest = new UnsafeBuffer(tail);
        assertThat(parser.parse(rest, 0, 1)).isEqualTo(RespParser.NEED_MORE);
        assertThat(parser.parse(rest, 0, tail.length)).isEqualTo(RespParser.COMMAND);
        assertThat(parser.argumentCount()).isEqualTo(3);
        assertThat(parser.argumentLength(0)).isZero(); // in place of the one that was taken
        assertThat(rest.getStringWithoutLengthAscii(parser.argumentOffset(1), parser.argumentLength(1)))
                .isEqualTo("EX");
        assertThat(rest.getStringWithoutLengthAscii(parser.argumentOffset(2), parser.argumentLength(2)))
                .isEqualTo("10");
        assertThat(parser.consumed()).isEqualTo(tail.length - "PING".length());
    }
}
