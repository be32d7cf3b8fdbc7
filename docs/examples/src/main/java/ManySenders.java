import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Eight threads, each with a channel of its own, send to one inbox; each channel's messages arrive whole, once, in
 * order.
 */
public final class ManySenders {
    private static final int SENDERS = 8;
    private static final int MESSAGES = 10_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    public static void main(String[] args) throws InterruptedException {
        try (Node server = Node.launch(new NodeContext().name("log-server").listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext().name("log-client"))) {
            Inbox log = server.openInbox("log");
            List<Thread> senders = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                int sender = i;
                Channel channel = client.connect(server.addresses().get(0) + "/log", TIMEOUT); // one thread a channel
                senders.add(new Thread(() -> send(channel, sender)));
            }
            senders.forEach(Thread::start);

            int[] next = new int[SENDERS];
            int taken = 0;
            while (taken < SENDERS * MESSAGES) {
                Check.that(log.await(TIMEOUT), "nothing came for 10 s after " + taken + " messages");
                taken += log.poll(
                        m -> {
                            int sender = m.buffer().getInt(m.offset());
                            int number = m.buffer().getInt(m.offset() + 4);
                            Check.that(number == next[sender], "sender " + sender + " at " + number);
                            Check.that(m.length() == 8 + number % 1000, "length " + m.length());
                            next[sender]++;
                        },
                        256);
            }
            for (Thread sender : senders) {
                sender.join();
            }
            System.out.println(taken + " messages from " + SENDERS + " senders, each sender's in order");
        }
    }

    private static void send(Channel channel, int sender) {
        ByteBuffer message = ByteBuffer.allocate(8 + 1000).order(java.nio.ByteOrder.nativeOrder());
        for (int i = 0; i < MESSAGES; i++) {
            message.clear().putInt(0, sender).putInt(4, i).limit(8 + i % 1000);
            Check.that(channel.send(message, TIMEOUT) == SendResult.SENT, "sender " + sender + " could not send " + i);
        }
    }
}
