package io.verbena.bench.polling;

import io.verbena.Channel;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.SendResult;
import io.verbena.bench.trial.ParentWatch;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A node whose callback answers each message, until the process that started it is gone or ends it. */
@Command(name = "echo", description = "Answers messages; started by bench.")
public final class EchoProcess implements Callable<Integer> {
    static final String ADDRESS = "address ";

    @Parameters(index = "0")
    SchemeName scheme = SchemeName.KVM;

    @Parameters(index = "1", description = "Where it listens.")
    String listen = "";

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        try (Node node =
                Node.launch(new NodeContext().polling(scheme.polling()).sharedMemory(listen.startsWith("shm:")))) {
            node.openInbox("echo").onMessage(m -> {
                Channel channel = m.channel();
                if (channel != null && channel.offer(m.buffer(), m.offset(), m.length()) == SendResult.BACK_PRESSURED) {
                    m.again();
                }
            });
            System.out.println(ADDRESS + node.listen(listen) + "/echo");
            System.out.flush();
            new CountDownLatch(1).await();
            return 0;
        }
    }
}
