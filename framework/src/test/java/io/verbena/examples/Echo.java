package io.verbena.examples;

import io.verbena.Channel;
import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import java.time.Duration;
import org.agrona.ExpandableArrayBuffer;

public final class Echo {
    public static void main(String[] args) {
        try (Node server = Node.launch(new NodeContext().name("server").listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext().name("client").eventLoop(true))) {
            server.openInbox("echo").onMessage(m -> {
                if (m.channel().offer(m.buffer(), m.offset(), m.length()) == SendResult.BACK_PRESSURED) {
                    m.again(); // no room for the answer now: the message stays, and comes again
                }
            });

            Inbox answers = client.openInbox("answers"); // "local:server/echo" would stay in the process
            Channel echo = client.connect(server.addresses().get(0) + "/echo", answers, Duration.ofSeconds(5));
            ExpandableArrayBuffer hello = new ExpandableArrayBuffer();
            echo.offer(hello, 0, hello.putStringWithoutLengthUtf8(0, "Hello, NIC!"));
            answers.await(Duration.ofSeconds(5).toNanos());
            answers.poll(m -> System.out.println(m.buffer().getStringWithoutLengthUtf8(m.offset(), m.length())), 1);
        }
    }
}
