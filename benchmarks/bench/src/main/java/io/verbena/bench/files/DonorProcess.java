package io.verbena.bench.files;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.bench.trial.ParentWatch;
import io.verbena.bench.trial.SinkProcess;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shares memory for files, until its parent is gone or ends it. */
@Command(name = "donor", description = "Shares memory; started by bench.")
public final class DonorProcess implements Callable<Integer> {
    /** The region's name. */
    static final String MEMORY = "files";

    @Parameters(index = "0", description = "Where it listens.")
    String listen = "";

    @Parameters(index = "1", description = "Bytes that it shares.")
    int bytes;

    /** Of the nodes at both ends. */
    static NodeContext context(String fabric) {
        return new NodeContext().sharedMemory(fabric.startsWith("shm"));
    }

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        try (Node node = Node.launch(context(listen))) {
            node.share(MEMORY, bytes);
            System.out.println(SinkProcess.ADDRESS + node.listen(listen));
            System.out.flush();
            new CountDownLatch(1).await();
            return 0;
        }
    }
}
