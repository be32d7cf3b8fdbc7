package io.verbena.bench.kv;

import io.verbena.bench.trial.ParentWatch;
import io.verbena.kv.server.KvServer;
import io.verbena.kv.server.KvServerContext;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A key-value server of one shard that publishes what it holds, until its parent is gone or ends it. */
@Command(name = "kv-server", description = "Serves keys; started by bench.")
public final class KvProcess implements Callable<Integer> {
    static final String ADDRESS = "address ";

    @Parameters(index = "0", description = "Where it listens.")
    String listen = "";

    @Parameters(index = "1", description = "Bytes of the read index.")
    long indexBytes;

    @Parameters(index = "2", description = "Bytes of a slot.")
    int slotLength;

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        try (KvServer server =
                KvServer.launch(new KvServerContext().listen(listen).oneSided(indexBytes, slotLength))) {
            System.out.println(ADDRESS + server.addresses(0).get(1));
            System.out.flush();
            new CountDownLatch(1).await();
            return 0;
        }
    }
}
