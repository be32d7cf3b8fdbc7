import io.verbena.Channel;
import io.verbena.ChannelOptions;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server that is launched again, three times: the client gets a channel to it each time. */
public final class Reconnect {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    public static void main(String[] args) throws InterruptedException {
        String address = "uds:" + System.getProperty("java.io.tmpdir") + "/reconnect-"
                + ProcessHandle.current().pid() + ".sock";
        BlockingQueue<String> log = new LinkedBlockingQueue<>();
        BlockingQueue<Channel> channels = new LinkedBlockingQueue<>();
        ChannelOptions options =
                new ChannelOptions().reconnect(Duration.ofMillis(10), Duration.ofSeconds(1), channels::add);
        Node server = launch(address, log);
        try (Node client = Node.launch(new NodeContext().name("steadfast"))) {
            Channel channel = client.tenant("default").connect(address + "/log", null, options, TIMEOUT);
            for (String text : List.of("one", "two", "three")) {
                Check.that(channel.send(text, TIMEOUT) == SendResult.SENT, text + " was not sent");
                String got = log.poll(10, TimeUnit.SECONDS);
                Check.that(text.equals(got), "got " + got + ", expected " + text);
                server.close();
                server = launch(address, log);
                channel = channels.poll(20, TimeUnit.SECONDS);
                Check.that(channel != null, "not connected again within 20 s");
            }
            channel.close();
            System.out.println("sent to three servers after each other by one address");
        } finally {
            server.close();
        }
    }

    private static Node launch(String address, BlockingQueue<String> log) {
        Node server = Node.launch(new NodeContext().name("fickle").listen(address));
        server.openInbox("log").onMessage(m -> log.add(m.text()));
        return server;
    }
}
