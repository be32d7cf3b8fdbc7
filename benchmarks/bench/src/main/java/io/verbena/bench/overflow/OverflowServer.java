package io.verbena.bench.overflow;

import io.verbena.bench.trial.JavaProcess;
import io.verbena.bench.trial.ParentWatch;
import io.verbena.kv.server.KvServer;
import io.verbena.kv.server.KvServerContext;
import io.verbena.kv.store.EvictionPolicy;
import io.verbena.tier.PagedOptions;
import io.verbena.verification.RunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A key-value server of one shard, until its parent is gone or ends it: with donors, with all of its memory in a mapped
 * file, or one that evicts.
 */
@Command(name = "overflow-server", description = "Serves keys; started by bench.")
public final class OverflowServer implements Callable<Integer> {
    static final String ADDRESS = "address ";

    @Option(names = "--mapped", description = "The file of which it maps its memory, without a limit.")
    @Nullable
    Path mapped;

    @Option(names = "--random", description = "Advise the kernel that pages of the mapping are used at random.")
    boolean random;

    @Parameters(index = "0", description = "Bytes of data.")
    long memory;

    @Parameters(index = "1", description = "Bytes of frames.")
    long resident;

    @Parameters(index = "2", description = "Bytes that are moved at most.")
    long far;

    @Parameters(index = "3", arity = "0..*", description = "Donors; it evicts without.")
    List<String> donors = new ArrayList<>();

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        KvServerContext context = new KvServerContext().listen("tcp://127.0.0.1:0");
        Path path = mapped;
        try (MappedFile file = path == null ? null : new MappedFile(path, random ? new MappingAdvice() : null)) {
            if (file != null) {
                context.memorySource(file);
            } else if (donors.isEmpty()) {
                context.maxMemory(memory).evictionPolicy(EvictionPolicy.ALL_KEYS_LRU);
            } else {
                PagedOptions options = new PagedOptions(far).resident(resident).replicas(Math.min(2, donors.size()));
                donors.forEach(options::donor);
                context.maxMemory(memory).overflow(options);
            }
            serve(context);
        }
        return 0;
    }

    private static void serve(KvServerContext context) throws InterruptedException {
        try (KvServer server = KvServer.launch(context)) {
            System.out.println(ADDRESS + server.addresses(0).get(1));
            System.out.flush();
            new CountDownLatch(1).await();
        }
    }

    /** What a process says where it can be reached. */
    static String addressOf(JavaProcess process) {
        BufferedReader reader = process.process().inputReader(StandardCharsets.UTF_8);
        try {
            String line = reader.readLine();
            if (line == null || !line.startsWith(ADDRESS)) {
                throw new RunException("a server said '" + line + "'");
            }
            return line.substring(ADDRESS.length());
        } catch (IOException e) {
            throw new RunException("a server cannot be heard: " + e.getMessage(), e);
        }
    }
}
