package io.verbena.bench.overflow;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.bench.trial.ParentWatch;
import io.verbena.tier.Donation;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A donor, until its parent is gone or ends it. */
@Command(name = "donor", description = "Lends memory; started by bench.")
public final class DonorProcess implements Callable<Integer> {
    private static final long DIRECT = 256 << 20; // beside what it lends

    @Parameters(index = "0", description = "Bytes that it lends.")
    long bytes;

    /** Starts one that lends so much, whatever direct memory this process may have. */
    static JavaProcess start(long bytes) {
        return new JavaProcess(
                List.of(),
                List.of("-XX:MaxDirectMemorySize=" + (bytes + DIRECT)),
                DonorProcess.class,
                List.of(Long.toString(bytes)));
    }

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        try (Node node = Node.launch(new NodeContext().mode(NodeMode.THREAD));
                Donation donation = Donation.offer(node, bytes)) {
            System.out.println(OverflowServer.ADDRESS + node.listen("tcp://127.0.0.1:0"));
            System.out.flush();
            new CountDownLatch(1).await();
            return donation.statistics().loans() > 0 ? 0 : 1;
        }
    }
}
