package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.DoublePredicate;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What two tenants that always offer get of a receiver that is short, by default settings, before and after their weights change:
 * counted there, and judged by messages, not by time.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WeightChangeTest {
    private static final int LENGTH = 1000;
    private static final int SPINS = 300; // for each message: so the receiver is what is short
    private static final int SKIPPED = 5_000; // messages, what is under way among them
    private static final int COUNTED = 10_000;
    private static final int OFFERS = 256;
    private static final int LOOKS = 2;

    private final UnsafeBuffer[] messages = {message(0), message(1)};
    private final AtomicIntegerArray taken = new AtomicIntegerArray(2);
    private final AtomicInteger sum = new AtomicInteger();

    private static UnsafeBuffer message(int tenant) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
        message.putByte(0, (byte) tenant);
        return message;
    }

    private void take(Message message) {
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
        taken.incrementAndGet(message.buffer().getByte(message.offset()));
        sum.incrementAndGet();
    }

    /** Both offer all that is taken until so many messages have arrived. */
    private void flood(Channel[] channels, int number) {
        int end = sum.get() + number;
        while (sum.get() < end) {
            for (int tenant = 0; tenant < channels.length; tenant++) {
                SendResult result = SendResult.SENT;
                for (int i = 0; i < OFFERS && result == SendResult.SENT; i++) {
                    result = channels[tenant].offer(messages[tenant], 0, LENGTH);
                }
                assertThat(result).isNotEqualTo(SendResult.CLOSED);
            }
        }
    }

    /** Whether the first tenant's part of what arrives comes to what is wanted; a machine with too few cores may take a few looks. */
    private void awaitShare(Channel[] channels, DoublePredicate wanted) {
        double share = share(channels);
        for (int i = 1; i < LOOKS && !wanted.test(share); i++) {
            share = share(channels);
        }
        assertThat(wanted.test(share)).as("share %s", share).isTrue();
    }

    /** The first tenant's part of what arrives, once what was under way has. */
    private double share(Channel[] channels) {
        flood(channels, SKIPPED);
        int first = taken.get(0);
        int second = taken.get(1);
        flood(channels, COUNTED);
        first = taken.get(0) - first;
        return first / (double) (first + taken.get(1) - second);
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void isFollowedByWhatArrives(Fabric fabric) {
        NodeContext sender = fabric.context(NodeMode.THREAD)
                .tenant(new TenantOptions().name("first").weight(9))
                .tenant(new TenantOptions().name("second").weight(1));
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.THREAD), sender)) {
            pair.server.openInbox("in").onMessage(this::take);
            Channel[] channels = {
                pair.client.tenant("first").connect(pair.address + "in", NodePair.TIMEOUT),
                pair.client.tenant("second").connect(pair.address + "in", NodePair.TIMEOUT)
            };

            awaitShare(channels, share -> share > 0.65);
            pair.client.tenants().weight("first", 1);
            pair.client.tenants().weight("second", 9);
            awaitShare(channels, share -> share < 0.35);
        }
    }
}
