package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that are offered one by one, by an application that then does no turn of its node. */
@Timeout(180)
class OffersTest {
    private static final int MESSAGES = 20;

    @ParameterizedTest
    @EnumSource
    void aFlushSendsWhatWaitsForATurn(Fabric fabric) throws InterruptedException {
        try (NodePair nodes = new NodePair(fabric, NodeMode.INVOKER)) {
            List<Integer> came = new ArrayList<>();
            AtomicInteger count = new AtomicInteger();
            nodes.server.openInbox("in").onMessage(message -> {
                came.add(message.buffer().getInt(message.offset()));
                count.setRelease(came.size());
            });
            try (Channel channel = connect(nodes)) {
                offerAll(channel);
                channel.flush();
                awaitAll(count);
                assertThat(came).containsExactlyElementsOf(numbers());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aThreadOfTheNodeSendsThem(Fabric fabric) throws InterruptedException {
        try (NodePair nodes = new NodePair(fabric, NodeMode.ASSISTED)) {
            List<Integer> came = new ArrayList<>();
            AtomicInteger count = new AtomicInteger();
            nodes.server.openInbox("in").onMessage(message -> {
                came.add(message.buffer().getInt(message.offset()));
                count.setRelease(came.size());
            });
            try (Channel channel = connect(nodes)) {
                offerAll(channel);
                awaitAll(count);
                assertThat(came).containsExactlyElementsOf(numbers());
            }
        }
    }

    private static Channel connect(NodePair nodes) {
        return nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
    }

    private static void offerAll(Channel channel) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[Integer.BYTES]);
        for (int number : numbers()) {
            buffer.putInt(0, number);
            assertThat(channel.offer(buffer, 0, Integer.BYTES)).isEqualTo(SendResult.SENT);
        }
    }

    private static List<Integer> numbers() {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    /** Without a turn of the client's. */
    private static void awaitAll(AtomicInteger count) throws InterruptedException {
        long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
        while (count.getAcquire() < MESSAGES) {
            assertThat(System.nanoTime())
                    .as("%d of %d came", count.get(), MESSAGES)
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }
}
