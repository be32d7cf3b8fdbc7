package io.verbena.bench.kv;

import io.verbena.TenantOptions;
import io.verbena.Tenants;
import io.verbena.bench.trial.ParentWatch;
import io.verbena.kv.server.KvServer;
import io.verbena.kv.server.KvServerContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * A key-value server of one shard that publishes what it holds, until its parent is gone or ends it. It says in a line
 * a tenant where that sends its requests: {@code address <tenant> <address>}.
 */
@Command(name = "kv-server", description = "Serves keys; started by bench.")
public final class KvProcess implements Callable<Integer> {
    static final String ADDRESS = "address";

    @Parameters(index = "0", description = "Where it listens.")
    String listen = "";

    @Parameters(index = "1", description = "Bytes of the read index.")
    long indexBytes;

    @Parameters(index = "2", description = "Bytes of a slot.")
    int slotLength;

    @Parameters(index = "3..*", description = "Tenants beside the default one.")
    List<String> tenants = new ArrayList<>();

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        KvServerContext context = new KvServerContext().listen(listen).oneSided(indexBytes, slotLength);
        tenants.forEach(tenant -> context.tenant(new TenantOptions().name(tenant)));
        try (KvServer server = KvServer.launch(context)) {
            tenants.add(0, Tenants.DEFAULT);
            for (String tenant : tenants) {
                System.out.println(ADDRESS
                        + ' '
                        + tenant
                        + ' '
                        + server.addresses(0, tenant).get(1));
            }
            System.out.flush();
            new CountDownLatch(1).await();
            return 0;
        }
    }
}
