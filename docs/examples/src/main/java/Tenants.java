import io.verbena.Channel;
import io.verbena.ChannelOptions;
import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import io.verbena.TenantOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Two tenants of one node that both send as much as they can: gold has three times the weight of tin. */
public final class Tenants {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String[] NAMES = {"gold", "tin"};
    private static final int LENGTH = 1024;

    private static volatile boolean stop;

    public static void main(String[] args) throws InterruptedException {
        try (Node server = Node.launch(new NodeContext().name("mint").listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext()
                        .name("tenants")
                        .tenant(new TenantOptions().name("gold").weight(3))
                        .tenant(new TenantOptions().name("tin").weight(1)))) {
            long[] sent = new long[2];
            long[] got = new long[2];
            Inbox[] inboxes = {server.openInbox("gold"), server.openInbox("tin")};
            List<Thread> senders = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int tenant = i;
                Channel channel = client.tenant(NAMES[i])
                        .connect(server.addresses().get(0) + "/" + NAMES[i], null, new ChannelOptions(), TIMEOUT);
                inboxes[i].onMessage(m -> {
                    long number = m.buffer().getLong(m.offset());
                    Check.that(number == got[tenant], NAMES[tenant] + "'s " + number + " came as " + got[tenant]);
                    got[tenant]++;
                });
                senders.add(new Thread(() -> sent[tenant] = flood(channel)));
            }
            senders.forEach(Thread::start);
            Thread.sleep(3_000);
            long gold = client.tenant("gold").statistics().bytes();
            long tin = client.tenant("tin").statistics().bytes();
            stop = true;
            for (Thread sender : senders) {
                sender.join();
            }
            for (int i = 0; i < 1_000 && (got[0] < sent[0] || got[1] < sent[1]); i++) {
                Thread.sleep(10);
            }
            Check.that(got[0] == sent[0] && got[1] == sent[1], "sent and not arrived");
            System.out.printf(
                    "gold sent %d MB, tin %d MB, %.1f times as much; all %d messages arrived in order%n",
                    gold >> 20, tin >> 20, (double) gold / tin, sent[0] + sent[1]);
        }
    }

    private static long flood(Channel channel) {
        org.agrona.concurrent.UnsafeBuffer message = new org.agrona.concurrent.UnsafeBuffer(new byte[LENGTH]);
        long count = 0;
        while (!stop) {
            message.putLong(0, count);
            Check.that(channel.send(message, 0, LENGTH, TIMEOUT) == SendResult.SENT, "could not send");
            count++;
        }
        return count;
    }
}
