package io.verbena.redis.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class RespWriterTest {
    private static String write(int protocol, Consumer<RespWriter> what) {
        RespWriter writer = new RespWriter(ByteBufAllocator.DEFAULT).protocol(protocol);
        what.accept(writer);
        return taken(writer);
    }

    private static String taken(RespWriter writer) {
        ByteBuf buffer = writer.take();
        if (buffer == null) {
            return "";
        }
        String text = buffer.toString(StandardCharsets.ISO_8859_1);
        buffer.release();
        return text;
    }

    private static UnsafeBuffer bytes(String text) {
        return new UnsafeBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void bothVersionsShareTheSimpleTypes() {
        for (int protocol = 2; protocol <= 3; protocol++) {
            assertThat(write(protocol, RespWriter::ok)).isEqualTo("+OK\r\n");
            assertThat(write(protocol, w -> w.status("PONG"))).isEqualTo("+PONG\r\n");
            assertThat(write(protocol, w -> w.error("ERR a\r\nb"))).isEqualTo("-ERR a  b\r\n");
            assertThat(write(protocol, w -> w.integer(Long.MIN_VALUE))).isEqualTo(":-9223372036854775808\r\n");
            assertThat(write(protocol, w -> w.integer(0))).isEqualTo(":0\r\n");
            assertThat(write(protocol, w -> w.bulk(bytes("a\r\nb"), 0, 4))).isEqualTo("$4\r\na\r\nb\r\n");
            assertThat(write(protocol, w -> w.bulk(""))).isEqualTo("$0\r\n\r\n");
            assertThat(write(protocol, w -> w.array(12))).isEqualTo("*12\r\n");
        }
    }

    @Test
    void resp2HasNoTypesOfItsOwnForTheRest() {
        assertThat(write(2, RespWriter::nil)).isEqualTo("$-1\r\n");
        assertThat(write(2, RespWriter::nilArray)).isEqualTo("*-1\r\n");
        assertThat(write(2, w -> w.map(3))).isEqualTo("*6\r\n");
        assertThat(write(2, w -> w.set(3))).isEqualTo("*3\r\n");
        assertThat(write(2, w -> w.push(3))).isEqualTo("*3\r\n");
        assertThat(write(2, w -> w.bool(true))).isEqualTo(":1\r\n");
        assertThat(write(2, w -> w.number(bytes("1.5"), 0, 3))).isEqualTo("$3\r\n1.5\r\n");
        assertThat(write(2, w -> w.verbatim("text"))).isEqualTo("$4\r\ntext\r\n");
        assertThat(write(2, w -> w.verbatim(bytes("txt:text"), 0, 8))).isEqualTo("$4\r\ntext\r\n");
    }

    @Test
    void resp3HasThem() {
        assertThat(write(3, RespWriter::nil)).isEqualTo("_\r\n");
        assertThat(write(3, RespWriter::nilArray)).isEqualTo("_\r\n");
        assertThat(write(3, w -> w.map(3))).isEqualTo("%3\r\n");
        assertThat(write(3, w -> w.set(3))).isEqualTo("~3\r\n");
        assertThat(write(3, w -> w.push(3))).isEqualTo(">3\r\n");
        assertThat(write(3, w -> w.bool(true))).isEqualTo("#t\r\n");
        assertThat(write(3, w -> w.bool(false))).isEqualTo("#f\r\n");
        assertThat(write(3, w -> w.number(bytes("1.5"), 0, 3))).isEqualTo(",1.5\r\n");
        assertThat(write(3, w -> w.verbatim("text"))).isEqualTo("=8\r\ntxt:text\r\n");
        assertThat(write(3, w -> w.verbatim(bytes("txt:text"), 0, 8))).isEqualTo("=8\r\ntxt:text\r\n");
    }

    @Test
    void growsToWhatIsWritten() {
        String large = "x".repeat(3_000_000);
        RespWriter writer = new RespWriter(ByteBufAllocator.DEFAULT);
        writer.ok();
        writer.bulk(bytes(large), 0, large.length());
        writer.integer(7);
        assertThat(taken(writer)).isEqualTo("+OK\r\n$3000000\r\n" + large + "\r\n:7\r\n");
        assertThat(writer.length()).isZero();
        writer.ok();
        assertThat(taken(writer)).isEqualTo("+OK\r\n");
    }

    @Test
    void goesBackAndCopiesParts() {
        RespWriter source = new RespWriter(ByteBufAllocator.DEFAULT);
        source.integer(1);
        int second = source.length();
        source.integer(22);
        RespWriter target = new RespWriter(ByteBufAllocator.DEFAULT);
        target.error("ERR x");
        assertThat(target.isErrorAt(0)).isTrue();
        target.truncate(0);
        assertThat(target.isErrorAt(0)).isFalse();
        target.raw(source, second, source.length() - second);
        target.raw(source);
        assertThat(taken(target)).isEqualTo(":22\r\n:1\r\n:22\r\n");
        assertThatThrownBy(() -> target.truncate(5)).hasMessage("length 5 > written 0");
        assertThatThrownBy(() -> target.raw(source, 5, 50)).hasMessageContaining("> written");
        source.release();
    }
}
