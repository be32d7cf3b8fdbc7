package io.verbena.bench.trial;

import io.verbena.Channel;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A node with an inbox that takes messages, and one that answers each, until its parent is gone or ends it. */
@Command(name = "sink", description = "Takes messages; started by bench.")
public final class SinkProcess implements Callable<Integer> {
    /** What the line of such a process begins with that says where it is reached. */
    public static final String ADDRESS = "address ";

    static final String SINK = "sink";
    static final String ECHO = "echo";

    /** Channels that a node may have. */
    public static final int MAX_CHANNELS = 1 << 18;

    @Parameters(index = "0", description = "Where it listens.")
    String listen = "";

    /** What nodes at both ends have in common: room for as many channels as one wants. */
    public static NodeContext context() {
        return new NodeContext()
                .maxConnections(MAX_CHANNELS)
                .maxConnectionsPerPeer(MAX_CHANNELS)
                .maxRegions(1 << 16);
    }

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        try (Node node = Node.launch(context().sharedMemory(listen.startsWith("shm:")))) {
            node.openInbox(SINK).onMessage(m -> {});
            node.openInbox(ECHO).onMessage(m -> {
                Channel channel = m.channel();
                if (channel != null && channel.offer(m.buffer(), m.offset(), m.length()) == SendResult.BACK_PRESSURED) {
                    m.again();
                }
            });
            System.out.println(ADDRESS + node.listen(listen) + "/");
            System.out.flush();
            new CountDownLatch(1).await();
            return 0;
        }
    }
}
