package io.verbena.bench.channels;

import io.verbena.Channel;
import io.verbena.Node;
import io.verbena.SendResult;
import io.verbena.bench.trial.ParentWatch;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A node with an inbox that takes messages, and one that answers each, until its parent is gone or ends it. */
@Command(name = "sink", description = "Takes messages; started by bench.")
public final class SinkProcess implements Callable<Integer> {
    static final String ADDRESS = "address ";
    static final String SINK = "sink";
    static final String ECHO = "echo";

    @Parameters(index = "0", description = "Where it listens.")
    String listen = "";

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        try (Node node = Node.launch(ManyChannels.context().sharedMemory(listen.startsWith("shm:")))) {
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
