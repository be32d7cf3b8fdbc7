package io.verbena.bench.files;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.bench.trial.ParentWatch;
import io.verbena.bench.trial.SinkProcess;
import io.verbena.tier.Donation;
import io.verbena.tier.DonationStatistics;
import io.verbena.verification.Waits;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lends memory for files, until it has it back, or its parent is gone or ends it. */
@Command(name = "donor", description = "Lends memory; started by bench.")
public final class DonorProcess implements Callable<Integer> {
    private static final double SECONDS_BETWEEN_LOOKS = 0.1;

    @Parameters(index = "0", description = "Where it listens.")
    String listen = "";

    @Parameters(index = "1", description = "Bytes that it lends.")
    long bytes;

    /** Of the nodes at both ends. */
    static NodeContext context(String fabric) {
        return new NodeContext().sharedMemory(fabric.startsWith("shm"));
    }

    @Override
    public Integer call() {
        ParentWatch.start();
        try (Node node = Node.launch(context(listen));
                Donation donation = Donation.offer(node, bytes)) {
            System.out.println(SinkProcess.ADDRESS + node.listen(listen));
            System.out.flush();
            while (!hasReturned(donation.statistics())) {
                Waits.sleep(SECONDS_BETWEEN_LOOKS);
            }
            return 0;
        }
    }

    private static boolean hasReturned(DonationStatistics statistics) {
        return statistics.loans() > 0 && statistics.borrower().isEmpty();
    }
}
