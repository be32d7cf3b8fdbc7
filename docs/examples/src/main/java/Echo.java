import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** An echo: what goes to the inbox "echo" comes back. The server is a process of its own, but for local:. */
final class Echo {
    static final int MESSAGES = 20_000;
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private Echo() {}

    /** The server, as a process of its own: listens, says where, and serves until its parent ends. */
    public static void main(String[] args) throws IOException {
        try (Node node = Node.launch(new NodeContext().name(args[0]).listen(args[1]))) {
            serve(node.openInbox("echo"));
            System.out.println(node.addresses().get(0));
            OtherProcess.awaitParent();
        }
    }

    /** Sends everything back: a thread of its own polls, and waits for room where the other side is slower. */
    static void serve(Inbox inbox) {
        Thread thread = new Thread(() -> {
            while (true) {
                if (inbox.await(Duration.ofMillis(100))) {
                    inbox.poll(
                            m -> {
                                if (m.channel().send(m.buffer(), m.offset(), m.length(), TIMEOUT)
                                        == SendResult.BACK_PRESSURED) {
                                    m.again(); // stays for the next poll; where it is CLOSED nobody waits for it
                                }
                            },
                            64);
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** Sends as fast as it can, while the answers come back by a callback, and looks at each of them. */
    static void run(String address) throws InterruptedException {
        try (Node client = Node.launch(new NodeContext().name("echo-client"))) {
            AtomicInteger answers = new AtomicInteger();
            Inbox inbox = client.openInbox("answers");
            inbox.onMessage(m -> {
                String expected = "message " + answers.get();
                Check.that(m.text().equals(expected), "got '" + m.text() + "', expected '" + expected + "'");
                answers.incrementAndGet();
            });
            Channel echo = client.connect(address + "/echo", inbox, TIMEOUT);
            for (int i = 0; i < MESSAGES; i++) {
                SendResult sent = echo.send("message " + i, TIMEOUT);
                Check.that(sent == SendResult.SENT, "message " + i + " was not sent: " + sent);
            }
            for (int i = 0; i < 1_000 && answers.get() < MESSAGES; i++) {
                Thread.sleep(10);
            }
            Check.that(answers.get() == MESSAGES, answers + " answers of " + MESSAGES);
            System.out.println(MESSAGES + " messages to " + address + " and back, in order");
        }
    }
}
