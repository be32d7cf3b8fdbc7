package io.verbena.examples;

import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import java.time.Duration;

public final class Echo {
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    public static void main(String[] args) throws InterruptedException {
        try (Node server = Node.launch(new NodeContext().name("server").listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext().name("client"))) {
            Inbox requests = server.openInbox("echo");
            Thread echoing = new Thread(() -> {
                while (requests.await(TIMEOUT)) { // send waits while the other side is BACK_PRESSURED: nothing is lost
                    requests.poll(m -> m.channel().send(m.buffer(), m.offset(), m.length(), TIMEOUT), 64);
                }
            });
            echoing.start();

            Inbox answers = client.openInbox("answers"); // "local:server/echo" would stay in the process
            Channel echo = client.connect(server.addresses().get(0) + "/echo", answers, TIMEOUT);
            echo.send("Hello, NIC!", TIMEOUT);
            answers.await(TIMEOUT);
            answers.poll(m -> System.out.println(m.text()), 1);
        }
    }
}
