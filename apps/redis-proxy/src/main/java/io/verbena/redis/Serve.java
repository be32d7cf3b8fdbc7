package io.verbena.redis;

import io.verbena.ConnectionException;
import io.verbena.nic.JvmFlags;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.redis.backend.NodeStore;
import io.verbena.redis.backend.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command line of the proxy with a store in the same process. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Serves Redis clients from a key-value store in this process.",
        exitCodeOnInvalidInput = 1)
public final class Serve implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final String ALLOCATOR = "io.netty.allocator.type";
    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    @Option(names = "--port", paramLabel = "PORT", description = "TCP port to listen on, 0 for any free one (6379).")
    private @Nullable Integer port;

    @Option(names = "--bind", paramLabel = "ADDRESS", description = "Address to listen on (127.0.0.1).")
    private @Nullable String bind;

    @Option(names = "--workers", paramLabel = "N", description = "Threads that serve clients (1).")
    private @Nullable Integer workers;

    @Option(names = "--shards", paramLabel = "N", description = "Shards of the store (1).")
    private @Nullable Integer shards;

    @Option(
            names = "--maxmemory",
            paramLabel = "BYTES",
            description = "Most memory for data: 100mb, 2gb; 0 is no limit.")
    private @Nullable String maxMemory;

    @Option(
            names = "--maxmemory-policy",
            paramLabel = "POLICY",
            description = "What to do when memory is full: noeviction, allkeys-lru, volatile-lru.")
    private @Nullable String maxMemoryPolicy;

    @Option(
            names = "--maxmemory-clients",
            paramLabel = "BYTES",
            description =
                    "Most memory for what clients have sent and left unread: 64mb, or 5%% of the direct memory; 0 is"
                            + " no limit (an eighth).")
    private @Nullable String maxMemoryClients;

    @Option(
            names = "--client-query-buffer-limit",
            paramLabel = "BYTES",
            description =
                    "Most memory for what one client has sent and that waits (a quarter of the direct memory, 80mb to"
                            + " 1gb).")
    private @Nullable String queryBufferLimit;

    @Option(names = "--requirepass", paramLabel = "PASSWORD", description = "Password that clients have to give.")
    private @Nullable String password;

    @Option(
            names = "--tenant",
            paramLabel = "NAME:weight=N,alpha=A,min=N,password=PASSWORD",
            description =
                    "Clients that give this name with AUTH get a share of weight N, and min commands a second in any"
                            + " case; may be given several times.")
    private List<String> tenants = new ArrayList<>();

    @Option(names = "--maxclients", paramLabel = "N", description = "Most clients at a time (10000).")
    private @Nullable Integer maxClients;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Closes clients that are silent for so long; 0 never.")
    private @Nullable Integer timeout;

    @Mixin
    private final OverflowOptions overflow = new OverflowOptions();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML file with these options; the command line wins.")
    private @Nullable Path config;

    @Override
    public Integer call() throws InterruptedException {
        ProxyContext context = new ProxyContext();
        MemoryPlan memory;
        try {
            if (config != null) {
                ConfigFile.apply(config, context);
            }
            applyOptions(context);
            context.conclude();
            memory = MemoryPlan.of(context);
            memory.check(context.maxMemory());
        } catch (IllegalArgumentException e) {
            return fail(e.getMessage());
        }
        ProxyServer server;
        try {
            server = ProxyServer.launch(context, openStore(context, memory));
        } catch (ProxyListenException
                | ConnectionException
                | MemoryExhaustedException
                | IllegalStateException
                | IllegalArgumentException e) {
            return fail(e.getMessage());
        }
        Logger log = LoggerFactory.getLogger(Serve.class);
        Thread hook = new Thread(server::close, "verbena-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        log.info(
                "ready on {}:{} ({}, workers {}, shards {})",
                context.bind(),
                server.port(),
                server.transport(),
                context.workers(),
                context.shards());
        log.info(
                "memory: heap {}, direct {}, of it data {}{}, clients {}",
                MemorySize.human(memory.heap()),
                MemorySize.human(memory.direct()),
                MemorySize.human(context.maxMemory() == 0 ? memory.data() : context.maxMemory()),
                context.maxMemory() == 0 ? "" : " (maxmemory; room for " + MemorySize.human(memory.data()) + ")",
                memory.clients() == 0 ? "without limit" : MemorySize.human(memory.clients()));
        Throwable failure = server.awaitEnd();
        if (failure != null) {
            server.close();
            return fail("a worker ended: " + failure);
        }
        return 0;
    }

    private static Store openStore(ProxyContext context, MemoryPlan memory) {
        return new NodeStore(
                context.shards(),
                context.maxMemory(),
                context.maxMemoryPolicy(),
                memory.data(),
                context.overflow().options(),
                context.overflow()::node);
    }

    private void applyOptions(ProxyContext context) {
        if (port != null) {
            context.port(port);
        }
        if (bind != null) {
            context.bind(bind);
        }
        if (workers != null) {
            context.workers(workers);
        }
        if (shards != null) {
            context.shards(shards);
        }
        if (maxMemory != null) {
            context.maxMemory(maxMemory);
        }
        if (maxMemoryPolicy != null) {
            context.maxMemoryPolicy(maxMemoryPolicy);
        }
        if (maxMemoryClients != null) {
            context.maxMemoryClients(maxMemoryClients);
        }
        if (queryBufferLimit != null) {
            context.queryBufferLimit(queryBufferLimit);
        }
        if (password != null) {
            context.password(password);
        }
        tenants.forEach(each -> context.tenant(ProxyTenant.parse(each)));
        if (maxClients != null) {
            context.maxClients(maxClients);
        }
        overflow.apply(context.overflow());
        if (timeout != null) {
            context.timeoutSeconds(timeout);
        }
    }

    private static int fail(@Nullable String message) {
        System.err.println("verbena serve: " + message);
        return FAILED;
    }

    /**
     * Parses the arguments and runs the command.
     *
     * @param args the arguments, {@code --help} explains them
     */
    public static void main(String[] args) {
        String missing = JvmFlags.missing();
        if (missing != null) {
            System.err.println("verbena serve: start the JVM with " + missing);
            System.exit(FAILED);
        }
        // Buffers of many connections share the chunks of Netty's adaptive allocator, which then stay for long.
        if (System.getProperty(ALLOCATOR) == null) {
            System.setProperty(ALLOCATOR, "pooled");
        }
        // Netty's default takes a stack trace of one buffer in 128.
        if (System.getProperty(LEAK_DETECTION) == null) {
            System.setProperty(LEAK_DETECTION, "disabled");
        }
        System.exit(VerbenaCommand.of(new Serve()).execute(args));
    }
}
