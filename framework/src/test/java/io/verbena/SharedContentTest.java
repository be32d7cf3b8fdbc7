package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What channels that share queue pairs carry, both ways, under random schedules: whole, once, in each one's order. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SharedContentTest {
    private static final int CHANNELS = 24;
    private static final int MESSAGES = 12_000;
    private static final int MAX = 20_000;

    /** One direction: what each channel has sent and what has arrived of it. */
    private static final class Way {
        final int[] sent = new int[CHANNELS];
        final int[] received = new int[CHANNELS];
        int total;

        /** Number, length and bytes of a message follow from its channel and place. */
        static int length(int channel, int place) {
            Random random = new Random(31L * channel + 7919L * place);
            return switch (random.nextInt(20)) {
                case 0 -> 4 + random.nextInt(MAX - 4);
                case 1, 2, 3 -> 200 + random.nextInt(800);
                default -> 4 + random.nextInt(150);
            };
        }

        void write(UnsafeBuffer buffer, int at, int channel) {
            int length = length(channel, sent[channel]);
            buffer.setMemory(at, length, (byte) (channel + 3 * sent[channel]));
            buffer.putInt(at, channel);
        }

        void take(Message m) {
            int channel = m.buffer().getInt(m.offset());
            int place = received[channel]++;
            assertThat(m.immediate()).as("of channel %s", channel).isEqualTo(place);
            assertThat(m.length()).isEqualTo(length(channel, place));
            byte stamp = (byte) (channel + 3 * place);
            for (int i = 4; i < m.length(); i++) {
                if (m.buffer().getByte(m.offset() + i) != stamp) {
                    throw new AssertionError("message " + place + " of channel " + channel + " is torn at " + i);
                }
            }
            total++;
        }
    }

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[2 * MAX]);

    private boolean send(Way way, Channel channel, int index, Random random) {
        int at = random.nextInt(MAX);
        int length = Way.length(index, way.sent[index]);
        way.write(buffer, at, index);
        boolean now = random.nextInt(3) > 0;
        SendResult result = now
                ? channel.offer(buffer, at, length, way.sent[index])
                : channel.enqueue(buffer, at, length, way.sent[index]);
        buffer.setMemory(at, length, (byte) -1); // it has been copied
        if (result == SendResult.SENT) {
            way.sent[index]++;
            return true;
        }
        assertThat(result).isEqualTo(SendResult.BACK_PRESSURED);
        return false;
    }

    /** Whichever discipline says who is next, each channel's messages arrive, in their order. */
    @ParameterizedTest
    @EnumSource
    void byAnyScheduler(MuxScheduler scheduler) {
        MuxOptions options =
                new MuxOptions().after(0).queuePairs(1).segment(4096).scheduler(scheduler);
        NodeContext client = Fabric.TCP.context(NodeMode.ASSISTED).shareConnections(options);
        try (NodePair pair = new NodePair(Fabric.TCP, Fabric.TCP.context(NodeMode.ASSISTED), client)) {
            Inbox in = pair.server.openInbox("in");
            Channel[] channels = new Channel[CHANNELS];
            for (int i = 0; i < CHANNELS; i++) {
                channels[i] = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
                channels[i].weight(1 + i % 3);
            }
            assertThat(channels).allMatch(Channel::isShared);
            Way up = new Way();
            Random random = new Random(7);
            int[] left = {MESSAGES};
            pair.await(() -> {
                for (int i = 0; i < 64 && left[0] > 0; i++) {
                    int index = random.nextInt(CHANNELS);
                    left[0] -= send(up, channels[index], index, random) ? 1 : 0;
                }
                if (left[0] == 0) {
                    Arrays.stream(channels).forEach(Channel::flush);
                }
                in.poll(up::take, 1 + random.nextInt(100));
                return up.total == MESSAGES;
            });
            assertThat(up.received).isEqualTo(up.sent);
        }
    }

    static List<Arguments> fabricsAndModes() {
        List<Arguments> all = new ArrayList<>();
        for (Fabric fabric : Fabric.values()) {
            for (NodeMode mode : NodeMode.values()) {
                all.add(Arguments.of(fabric, mode));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("fabricsAndModes")
    void bothWays(Fabric fabric, NodeMode mode) {
        MuxOptions options = new MuxOptions().after(2).queuePairs(2).depth(4);
        NodeContext client = fabric.context(mode).sendDepth(32).shareConnections(options);
        try (NodePair pair = new NodePair(fabric, fabric.context(mode).sendDepth(16), client)) {
            Inbox in = pair.server.openInbox("in");
            Inbox answers = pair.client.openInbox("answers");
            Channel[] there = new Channel[CHANNELS];
            Channel[] back = new Channel[CHANNELS];
            for (int i = 0; i < CHANNELS; i++) {
                there[i] = pair.client.connect(pair.address + "in", answers, NodePair.TIMEOUT);
            }
            assertThat(Arrays.stream(there).filter(Channel::isShared).count()).isEqualTo(CHANNELS - 2);
            Way up = new Way();
            Way down = new Way();
            MessageHandler onServer = m -> {
                up.take(m);
                int channel = m.buffer().getInt(m.offset());
                assertThat(m.channel()).isNotNull();
                assertThat(back[channel] == null || back[channel] == m.channel())
                        .as("one channel for one channel")
                        .isTrue();
                back[channel] = m.channel();
            };
            MessageHandler onClient = m -> {
                assertThat(m.channel()).isSameAs(there[m.buffer().getInt(m.offset())]);
                down.take(m);
            };
            Random random = new Random(5);
            int[] left = {MESSAGES};
            pair.await(() -> {
                for (int i = 0; i < 64 && left[0] > 0; i++) {
                    int index = random.nextInt(CHANNELS);
                    boolean backwards = random.nextBoolean() && back[index] != null;
                    if (send(backwards ? down : up, backwards ? back[index] : there[index], index, random)) {
                        left[0]--;
                    }
                }
                for (int i = 0; i < CHANNELS; i++) {
                    if (left[0] == 0 || random.nextInt(50) == 0) {
                        there[i].flush();
                        if (back[i] != null) {
                            back[i].flush();
                        }
                    }
                }
                in.poll(onServer, 1 + random.nextInt(100));
                answers.poll(onClient, 1 + random.nextInt(100));
                return left[0] == 0 && up.total + down.total == MESSAGES;
            });
            assertThat(up.received).isEqualTo(up.sent);
            assertThat(down.received).isEqualTo(down.sent);
            pair.await(() -> Arrays.stream(there).allMatch(channel -> channel.outstanding() == 0));
        }
    }

    /** Each of several threads has channels of its own, which share queue pairs with those of the others. */
    @ParameterizedTest
    @EnumSource
    void fromSeveralThreads(Fabric fabric) throws Exception {
        int threads = 3;
        int each = CHANNELS / threads;
        int messages = 2_000;
        NodeContext client = fabric.context(NodeMode.ASSISTED)
                .shareConnections(new MuxOptions().after(0).queuePairs(1).depth(8));
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.ASSISTED), client)) {
            Inbox in = pair.server.openInbox("in");
            Way way = new Way();
            List<Thread> running = new ArrayList<>();
            List<Throwable> failures = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                List<Channel> own = new ArrayList<>();
                for (int i = 0; i < each; i++) {
                    own.add(pair.client.connect(pair.address + "in", NodePair.TIMEOUT));
                }
                int first = t * each;
                Thread thread = new Thread(() -> sendAll(way, own, first, messages));
                thread.setUncaughtExceptionHandler((who, failure) -> {
                    synchronized (failures) {
                        failures.add(failure);
                    }
                });
                running.add(thread);
            }
            running.forEach(Thread::start);
            pair.await(() -> {
                in.poll(way::take, 100);
                synchronized (failures) {
                    return !failures.isEmpty() || way.total == threads * each * messages;
                }
            });
            for (Thread thread : running) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(way.received).isEqualTo(way.sent);
        }
    }

    private static void sendAll(Way way, List<Channel> own, int first, int messages) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[MAX]);
        for (int n = 0; n < messages; n++) {
            for (int i = 0; i < own.size(); i++) {
                int index = first + i;
                way.write(message, 0, index);
                while (own.get(i).offer(message, 0, Way.length(index, n), n) == SendResult.BACK_PRESSURED) {
                    Thread.onSpinWait();
                }
                way.sent[index]++;
            }
        }
    }
}
