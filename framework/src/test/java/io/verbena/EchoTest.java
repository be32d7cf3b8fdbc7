package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class EchoTest {
    static Stream<Arguments> everywhere() {
        return Stream.of(Fabric.values())
                .flatMap(fabric -> Stream.of(NodeMode.values()).map(mode -> Arguments.of(fabric, mode)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void echoesMessagesOfEverySize(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            InboxOptions options = new InboxOptions().maxMessage(32 << 20);
            pair.server.openInbox("echo", options).onMessage(m -> {
                while (m.channel().offer(m.buffer(), m.offset(), m.length(), m.immediate() + 1)
                        == SendResult.BACK_PRESSURED) {
                    Thread.onSpinWait();
                }
            });
            Inbox answers = pair.client.openInbox("answers", options);
            Channel channel = pair.client.connect(pair.address + "echo", answers, NodePair.TIMEOUT);
            Random random = new Random(7);
            for (int length :
                    new int[] {0, 1, 8, 191, 192, 193, 4096, 8192, 8193, 100_000, 262_144, 300_000, 20 << 20}) {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                pair.await(
                        () -> channel.offer(new UnsafeBuffer(bytes), 0, length, length) != SendResult.BACK_PRESSURED);
                byte[][] got = new byte[1][];
                pair.await(() -> answers.poll(
                                m -> {
                                    got[0] = new byte[m.length()];
                                    m.buffer().getBytes(m.offset(), got[0]);
                                    assertThat(m.immediate()).isEqualTo(length + 1);
                                    assertThat(m.channel()).isSameAs(channel);
                                },
                                1)
                        == 1);
                assertThat(got[0]).isEqualTo(bytes);
            }
        }
    }
}
