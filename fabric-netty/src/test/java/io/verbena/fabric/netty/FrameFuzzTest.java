package io.verbena.fabric.netty;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Any bytes on a link: the same packets come out of them however they are cut, and then perhaps a fault. */
class FrameFuzzTest {
    private static final int MAX_PACKET = 512;

    /** The first two bytes say where to cut and whether to put headers right, the rest is the stream. */
    @FuzzTest(maxDuration = "2m")
    void anySplit(byte[] input) {
        if (input.length < 3) {
            return;
        }
        byte[] stream = Arrays.copyOfRange(input, 2, input.length);
        if ((input[0] & 1) != 0) {
            frame(stream);
        }
        List<String> whole = read(stream, stream.length);
        assertThat(read(stream, 1)).as("byte by byte").isEqualTo(whole);
        int piece = 1 + (input[1] & 0xFF);
        assertThat(read(stream, piece)).as("pieces of %d", piece).isEqualTo(whole);
    }

    /** Puts a right header wherever one is due, its length out of what was there; sometimes leaves it wrong. */
    private static void frame(byte[] stream) {
        int at = 0;
        while (at + FrameFlyweight.HEADER_LENGTH <= stream.length) {
            int length = (stream[at] & 0xFF) << 1 | (stream[at + 1] & 1);
            boolean right = stream[at + 2] != 0x7F;
            int kind = stream[at + 3];
            var view = new org.agrona.concurrent.UnsafeBuffer(stream);
            if (kind == 1) {
                FrameFlyweight.encodeMark(view, at);
                length = 0;
            } else if (kind == 2) {
                FrameFlyweight.encodeAnswer(view, at, stream[at + 4] & 3);
                length = 0;
            } else {
                FrameFlyweight.encode(view, at, length);
            }
            if (!right) {
                stream[at + 5]++;
            }
            at += Math.max(8, FrameFlyweight.frameLength(length));
        }
    }

    private static List<String> read(byte[] stream, int piece) {
        Marks marks = new Marks();
        marks.sent(1000);
        FrameReader reader = new FrameReader(
                MAX_PACKET, new ReadBuffers(4096, MAX_PACKET + 16, new ReceiveBudget(1 << 20)), asking -> false, marks);
        List<String> packets = new ArrayList<>();
        for (int at = 0; at < stream.length; at += piece) {
            reader.offer(Unpooled.copiedBuffer(stream, at, Math.min(piece, stream.length - at)));
            while (reader.poll(
                            null,
                            (link, buffer, offset, length) -> {
                                assertThat(length).isBetween(FrameFlyweight.MIN_PACKET, MAX_PACKET);
                                byte[] packet = new byte[length];
                                buffer.getBytes(offset, packet);
                                packets.add(Arrays.toString(packet));
                            },
                            3,
                            null)
                    > 0) {}
        }
        packets.add(marks.owed() + " marks, received " + marks.received());
        if (reader.fault() != null) {
            packets.add(reader.fault());
        }
        reader.release();
        assertThat(reader.hasInbound()).isFalse();
        assertThat(reader.isAbove(0)).as("all buffers were given back").isFalse();
        return packets;
    }
}
