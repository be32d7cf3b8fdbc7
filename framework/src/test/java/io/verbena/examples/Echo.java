package io.verbena.examples;

import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import java.time.Duration;

public final class Echo {
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    public static void main(String[] args) {
        try (Node server = Node.launch(new NodeContext().name("server").listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext().name("client"))) {
            server.openInbox("echo").onMessage(m -> {
                if (m.channel().offer(m.buffer(), m.offset(), m.length()) == SendResult.BACK_PRESSURED) {
                    m.again(); // no room for the answer now: the message stays, and comes again
                }
            });

            Inbox answers = client.openInbox("answers"); // "local:server/echo" would stay in the process
            Channel echo = client.connect(server.addresses().get(0) + "/echo", answers, TIMEOUT);
            echo.send("Hello, NIC!", TIMEOUT);
            answers.await(TIMEOUT);
            answers.poll(m -> System.out.println(m.text()), 1);
        }
    }
}
