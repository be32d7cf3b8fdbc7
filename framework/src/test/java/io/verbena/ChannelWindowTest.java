package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.connection.Connections;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A channel's window grows while others send to the same peer and it could send more; nothing is lost or changed by
 * that.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ChannelWindowTest {
    private static final int BURST = 20_000;
    private static final Duration LONG = Duration.ofHours(1);

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[4096]);
    private long taken;

    private Channel channel;
    private Inbox inbox;

    private static NodePair pair(Fabric fabric, int window, Duration idle) {
        return new NodePair(
                fabric,
                fabric.context(NodeMode.ASSISTED),
                fabric.context(NodeMode.ASSISTED)
                        .sendDepth(16)
                        .stagingLength(16 << 10)
                        .channelIdle(idle)
                        .tenant(new TenantOptions().name("one").maxChannelWindow(window))
                        .tenant(new TenantOptions().name("other")));
    }

    private void check(Message m) {
        assertThat(m.buffer().getLong(m.offset())).isEqualTo(taken);
        assertThat(m.length()).isEqualTo(length(taken));
        assertThat(m.buffer().getByte(m.offset() + m.length() - 1)).isEqualTo((byte) taken);
        taken++;
    }

    private static int length(long number) {
        return number % 3 == 0 ? 3000 : 16 + (int) (number % 400); // staged, or inline
    }

    private SendResult offer(Channel channel, long number) {
        int length = length(number);
        message.putByte(length - 1, (byte) number);
        message.putLong(0, number);
        return channel.offer(message, 0, length);
    }

    /** Sends numbers until the window is as wide as wanted; returns how many. */
    private long send(NodePair pair, int wanted, long most) {
        Inbox in = pair.server.openInbox("in", new InboxOptions());
        Inbox beside = pair.server.openInbox("beside", new InboxOptions());
        Channel one = pair.client.tenant("one").connect(pair.address + "in", NodePair.TIMEOUT);
        Channel other = pair.client.tenant("other").connect(pair.address + "beside", NodePair.TIMEOUT);
        int before = one.sender().window().capacity();
        long sent = 0;
        while (one.sender().window().capacity() < wanted && sent < most) {
            for (int i = 0; i < 200 && offer(one, sent) == SendResult.SENT; i++) {
                sent++;
            }
            other.offer(message, 0, 8);
            in.poll(this::check, 100);
            beside.poll(m -> {}, 100);
        }
        assertThat(one.sender().window().capacity()).isGreaterThanOrEqualTo(before);
        channel = one;
        inbox = in;
        arrive(pair, sent);
        return sent;
    }

    private void arrive(NodePair pair, long all) {
        pair.await(() -> {
            inbox.poll(this::check, 100);
            return taken == all;
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS"})
    void itGrowsAndEveryMessageComesOnceAndInOrder(Fabric fabric) {
        try (NodePair pair = pair(fabric, 256 << 10, LONG)) {
            assertThat(send(pair, 128 << 10, Long.MAX_VALUE)).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS"})
    void notBeyondWhatTheTenantMayHave(Fabric fabric) {
        try (NodePair pair = pair(fabric, 32 << 10, LONG)) {
            assertThat(send(pair, (32 << 10) + 1, BURST)).isGreaterThanOrEqualTo(BURST);
        }
    }

    /** A round trip takes 10 ms, however much is under way; nobody else sends. */
    @Test
    void aChannelThatIsAloneFillsALongPath() {
        AtomicLong now = new AtomicLong();
        NodeContext context = new NodeContext()
                .mode(NodeMode.INVOKER)
                .sendDepth(16)
                .stagingLength(16 << 10)
                .tenant(new TenantOptions().name("one").maxChannelWindow(256 << 10));
        context.runtime(NodeRuntime.system().withClock(now::get, () -> now.addAndGet(100_000)));
        try (NodePair pair = new NodePair(Fabric.TCP, new NodeContext(), context)) {
            inbox = pair.server.openInbox("in");
            channel = pair.client.tenant("one").connect(pair.address + "in", NodePair.TIMEOUT);
            long sent = 0;
            for (int trip = 0; trip < 1000 && channel.sender().window().capacity() < 128 << 10; trip++) {
                while (offer(channel, sent) == SendResult.SENT) {
                    sent++;
                }
                now.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
                arrive(pair, sent);
                pair.await(() -> channel.outstanding() == 0);
            }
            assertThat(channel.sender().window().capacity()).isEqualTo(128 << 10);
        }
    }

    /** Others send to the same peer, and the node's thread is late: a larger window would only wait longer for it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatTheNodeHasNotHeardOfIsNotShortOfWindow(boolean shared) throws InterruptedException {
        NodeContext context = new NodeContext()
                .mode(NodeMode.INVOKER)
                .sendDepth(16)
                .tenant(new TenantOptions().name("one"))
                .tenant(new TenantOptions().name("other"))
                .shareConnections(new MuxOptions().after(shared ? 0 : Integer.MAX_VALUE));
        try (NodePair pair = new NodePair(Fabric.TCP, new NodeContext(), context)) {
            inbox = pair.server.openInbox("in");
            channel = pair.client.tenant("one").connect(pair.address + "in", NodePair.TIMEOUT);
            Channel other = pair.client.tenant("other").connect(pair.address + "in", NodePair.TIMEOUT);
            for (int i = 0; i < 50; i++) {
                channel.offer(message, 0, 8);
                other.offer(message, 0, 8);
                pair.await(() -> {
                    inbox.poll(m -> {}, 100);
                    return channel.outstanding() + other.outstanding() == 0;
                });
            }
            Thread elsewhere = new Thread(() -> {
                for (int i = 0; i < 10_000; i++) {
                    channel.offer(message, 0, 8);
                }
            });
            elsewhere.start();
            elsewhere.join();
            assertThat(channel.outstanding()).isEqualTo(16);
        }
    }

    /** What has grown is small again when it is idle: of the channel, and of what all together may grow by. */
    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS"})
    void anIdleOneGivesItsMemoryBack(Fabric fabric) {
        try (NodePair pair = pair(fabric, 256 << 10, Duration.ofMillis(20))) {
            long sent = send(pair, 128 << 10, Long.MAX_VALUE);
            Connections connections = pair.client.connections();
            int most = connections.grown();
            pair.await(() -> channel.sender().window().capacity() == 16 << 10
                    && !channel.sender().window().hasMemory());
            assertThat(connections.grown()).isLessThanOrEqualTo(most);
            pair.await(() -> connections.grown() == 0);

            for (int i = 0; i < 1000; i++) { // it begins anew, and goes on
                while (offer(channel, sent) != SendResult.SENT) {
                    inbox.poll(this::check, 100);
                }
                sent++;
            }
            arrive(pair, sent);
        }
    }

    /** The node takes memory in the middle of a channel's use again and again. */
    @ParameterizedTest
    @EnumSource(value = Fabric.class)
    void nothingIsTakenFromAChannelThatSends(Fabric fabric) throws InterruptedException {
        try (NodePair pair = pair(fabric, 256 << 10, LONG)) {
            inbox = pair.server.openInbox("in");
            channel = pair.client.tenant("one").connect(pair.address + "in", NodePair.TIMEOUT);
            AtomicLong times = new AtomicLong();
            AtomicBoolean stop = new AtomicBoolean();
            Thread taker = new Thread(() -> {
                while (!stop.get()) {
                    times.addAndGet(channel.sender().window().giveBackIfIdle(16 << 10) ? 1 : 0);
                }
            });
            taker.start();
            long sent = 0;
            try {
                while (times.get() < 200 || sent < BURST) {
                    if (offer(channel, sent) == SendResult.SENT) {
                        sent++;
                    }
                    if (sent % 100 == 0) {
                        arrive(pair, sent); // it is idle for a moment
                    }
                    inbox.poll(this::check, 100);
                }
                arrive(pair, sent);
            } finally {
                stop.set(true);
                taker.join();
            }
        }
    }
}
