package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inline, staged and large messages in turns, so that the memory of each kind is freed and used again many times. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MixedLengthsTest {
    private static final int MESSAGES = 20_000;
    private static final int IN_PARTS = 5_000;
    private static final int MAX = 300_000;

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void arriveInOrderAndWhole(Fabric fabric) {
        NodeContext client = fabric.context(NodeMode.INVOKER).sendDepth(16).stagingLength(1 << 16);
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.THREAD), client)) {
            int[] received = new int[1];
            Random expected = new Random(11);
            Inbox inbox = pair.server.openInbox("mixed");
            Channel channel = pair.client.connect(pair.address + "mixed", NodePair.TIMEOUT);
            Random sent = new Random(11);
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[MAX]);
            for (int i = 0; i < MESSAGES; i++) {
                int length = lengthOf(sent);
                buffer.setMemory(0, length, (byte) i);
                pair.await(() -> {
                    receive(inbox, received, expected);
                    return channel.enqueue(buffer, 0, length) == SendResult.SENT;
                });
            }
            channel.flush();
            pair.await(() -> {
                receive(inbox, received, expected);
                return received[0] == MESSAGES;
            });
        }
    }

    /** Some in two parts, which lie elsewhere; those before and behind one may still be waiting for a doorbell. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void inTwoPartsToo(Fabric fabric) {
        NodeContext client = fabric.context(NodeMode.INVOKER).sendDepth(16).stagingLength(1 << 16);
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.THREAD), client)) {
            int[] received = new int[1];
            Random expected = new Random(12);
            Inbox inbox = pair.server.openInbox("mixed");
            Channel channel = pair.client.connect(pair.address + "mixed", NodePair.TIMEOUT);
            Random sent = new Random(12);
            Random cuts = new Random(13);
            UnsafeBuffer head = new UnsafeBuffer(new byte[MAX]);
            UnsafeBuffer body = new UnsafeBuffer(ByteBuffer.allocateDirect(MAX));
            for (int i = 0; i < IN_PARTS; i++) {
                int length = lengthOf(sent);
                int first = cuts.nextInt(1 + Math.min(length, 300));
                int at = cuts.nextInt(1 + MAX - length);
                boolean whole = cuts.nextInt(4) == 0;
                head.setMemory(at, whole ? length : first, (byte) i);
                body.setMemory(at, length - first, (byte) i);
                pair.await(() -> {
                    receive(inbox, received, expected);
                    return (whole
                                    ? channel.enqueue(head, at, length)
                                    : channel.offer(head, at, first, body, at, length - first))
                            == SendResult.SENT;
                });
                head.setMemory(at, whole ? length : first, (byte) ~i); // it has been copied
                body.setMemory(at, length - first, (byte) ~i);
            }
            channel.flush();
            pair.await(() -> {
                receive(inbox, received, expected);
                return received[0] == IN_PARTS;
            });
            int longest = channel.maxMessage();
            assertThatThrownBy(() -> channel.offer(head, 0, 1, body, 0, longest))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(String.valueOf(longest));
            assertThatThrownBy(() -> channel.offer(head, 0, -1, body, 0, 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    private static int lengthOf(Random random) {
        return switch (random.nextInt(50)) {
            case 0 -> 40_000 + random.nextInt(MAX - 40_000);
            case 1, 2, 3, 4 -> random.nextInt(64);
            default -> 300 + random.nextInt(500);
        };
    }

    private static void receive(Inbox inbox, int[] received, Random expected) {
        inbox.poll(
                m -> {
                    assertThat(m.length()).isEqualTo(lengthOf(expected));
                    byte stamp = (byte) received[0]++;
                    for (int i = 0; i < m.length(); i++) {
                        if (m.buffer().getByte(m.offset() + i) != stamp) {
                            throw new AssertionError("message " + received[0] + " is torn at " + i);
                        }
                    }
                },
                16);
    }
}
