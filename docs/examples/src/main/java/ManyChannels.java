import io.verbena.Channel;
import io.verbena.ChannelOptions;
import io.verbena.MuxOptions;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import io.verbena.Tenant;
import io.verbena.TenantOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Ten thousand channels to one peer, each of which is used as if it were alone: all but the first eight share a few
 * queue pairs. Of two that send as much as their tenant may, one has three times the weight.
 */
public final class ManyChannels {
    private static final int CHANNELS = 10_000;
    private static final int OPENING = 512;
    private static final int HEAVY = 1_000;
    private static final int LIGHT = 2_000;
    private static final int LENGTH = 16_000;
    private static final long CEILING = 20_000_000; // bytes a second: less than a thread offers
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final UnsafeBuffer MESSAGE = new UnsafeBuffer(new byte[LENGTH]);

    public static void main(String[] args) throws Exception {
        NodeContext serves = new NodeContext().name("exchange").listen("tcp://127.0.0.1:0");
        NodeContext connects = new NodeContext().name("brokers").shareConnections(new MuxOptions().after(8));
        connects.tenant(new TenantOptions().name("traders").ceiling(CEILING));
        serves.maxConnections(16_384).maxConnectionsPerPeer(CHANNELS);
        connects.maxConnections(16_384).maxConnectionsPerPeer(CHANNELS);
        try (Node server = Node.launch(serves);
                Node client = Node.launch(connects)) {
            AtomicIntegerArray got = new AtomicIntegerArray(CHANNELS);
            server.openInbox("orders").onMessage(m -> {
                int channel = m.buffer().getInt(m.offset());
                int number = m.buffer().getInt(m.offset() + 4);
                Check.that(number == got.get(channel), "message " + number + " of channel " + channel);
                got.lazySet(channel, number + 1);
            });
            List<Channel> channels = open(client.tenant("traders"), server.addresses().get(0) + "/orders");
            long shared = channels.stream().filter(Channel::isShared).count();
            Check.that(shared == CHANNELS - 8, shared + " channels share");

            for (int i = 0; i < 3 * CHANNELS; i++) {
                while (!offer(channels.get(i % CHANNELS), i % CHANNELS, i / CHANNELS, 8)) {
                    Thread.yield();
                }
            }
            for (int i = 0; i < CHANNELS; i++) {
                await(got, i, 3);
            }
            System.out.println(CHANNELS + " channels, " + shared + " of which share; 3 messages of each have come");

            channels.get(HEAVY).weight(3);
            int[] sent = flood(channels);
            double times = (double) got.get(HEAVY) / got.get(LIGHT);
            await(got, HEAVY, sent[0]);
            await(got, LIGHT, sent[1]);
            System.out.printf(
                    "of two that send all they can, that with three times the weight sent %.1f times as much;"
                            + " all %d messages arrived in order%n",
                    times, sent[0] + sent[1]);
        }
    }

    /** Requests do not wait for each other; a few hundred at a time keep both nodes busy. */
    private static List<Channel> open(Tenant tenant, String address) {
        List<Channel> channels = new ArrayList<>();
        Deque<CompletableFuture<Channel>> asked = new ArrayDeque<>();
        while (channels.size() < CHANNELS) {
            if (channels.size() + asked.size() < CHANNELS && asked.size() < OPENING) {
                asked.add(tenant.connectAsync(address, null, new ChannelOptions(), TIMEOUT));
            } else {
                channels.add(asked.remove().join());
            }
        }
        return channels;
    }

    private static boolean offer(Channel channel, int index, int number, int length) {
        MESSAGE.putInt(0, index);
        MESSAGE.putInt(4, number);
        SendResult result = channel.offer(MESSAGE, 0, length);
        Check.that(result != SendResult.CLOSED, "channel " + index + " closed: " + channel.closeReason());
        return result == SendResult.SENT; // else BACK_PRESSURED
    }

    /** Gives two channels whatever they take, for two seconds; returns how many messages each has sent in all. */
    private static int[] flood(List<Channel> channels) {
        int[] next = {3, 3};
        long end = System.nanoTime() + 2_000_000_000L;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 2; i++) {
                int index = i == 0 ? HEAVY : LIGHT;
                while (offer(channels.get(index), index, next[i], LENGTH)) {
                    next[i]++;
                }
            }
            Thread.yield();
        }
        return next;
    }

    private static void await(AtomicIntegerArray got, int channel, int messages) throws InterruptedException {
        for (int i = 0; i < 3_000 && got.get(channel) < messages; i++) {
            Thread.sleep(10);
        }
        Check.that(got.get(channel) == messages, got.get(channel) + " messages of channel " + channel + " have come");
    }
}
