import io.verbena.Channel;
import io.verbena.ChannelListener;
import io.verbena.CloseReason;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The peer's process is killed while it is sent to: the channel closes, and says why. */
public final class Kill {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            sink(args[0]);
            return;
        }
        String name = "kill-" + ProcessHandle.current().pid();
        try (OtherProcess peer = new OtherProcess(Kill.class, name);
                Node node = Node.launch(new NodeContext().name("survivor"))) {
            CountDownLatch closed = new CountDownLatch(1);
            node.addListener(new ChannelListener() {
                @Override
                public void onClose(Channel channel) {
                    closed.countDown();
                }
            });
            Channel channel = node.connect(peer.line() + "/sink", TIMEOUT);
            int sent = 0;
            SendResult result;
            do {
                result = channel.send("message " + sent, TIMEOUT);
                if (++sent == 10_000) {
                    peer.kill();
                }
            } while (result == SendResult.SENT);
            Check.that(closed.await(20, TimeUnit.SECONDS), "nobody told of the end");
            Check.that(result == SendResult.CLOSED, "sending ended in " + result);
            Check.that(channel.closeReason() == CloseReason.PEER_LOST, "closed because: " + channel.closeReason());
            System.out.println("killed the peer after 10000 messages: " + channel.closeReason());
        }
    }

    private static void sink(String name) throws IOException {
        try (Node node = Node.launch(new NodeContext().name(name).listen("shm:" + name))) {
            int[] next = {0};
            node.openInbox("sink").onMessage(m -> Check.that(m.text().equals("message " + next[0]++), m.text()));
            System.out.println(node.addresses().get(0));
            OtherProcess.awaitParent();
        }
    }
}
