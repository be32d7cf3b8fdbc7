package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inline, staged and large messages in turns, so that the memory of each kind is freed and used again many times. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MixedLengthsTest {
    private static final int MESSAGES = 20_000;
    private static final int LARGEST = 300_000;

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
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[LARGEST]);
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

    private static int lengthOf(Random random) {
        return switch (random.nextInt(50)) {
            case 0 -> 40_000 + random.nextInt(LARGEST - 40_000);
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
