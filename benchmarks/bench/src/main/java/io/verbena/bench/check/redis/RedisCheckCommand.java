package io.verbena.bench.check.redis;

import io.verbena.verification.RunCommand;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena check redis}: an integrity load for a server that speaks Redis' protocol. */
@Command(
        name = "redis",
        description = {
            "Puts a server under a load whose every reply is known beforehand or "
                    + "judged for linearizability, and ends with 1",
            "at the first wrong one. Without --address it starts 'verbena serve' in "
                    + "a process of its own on a free port;",
            "options behind -- are that server's:  verbena check redis --seconds 60 -- --workers 4",
            "Keys have a prefix of the run's own and are removed in the end; nothing else in the server is touched.%n"
        })
public final class RedisCheckCommand extends RunCommand {
    private static final int FAILED = 1;

    @Option(names = "--address", paramLabel = "HOST:PORT", description = "A server that runs already.")
    private @Nullable String address;

    @Mixin
    private RedisCheckContext context = new RedisCheckContext();

    @Option(
            names = "--server-jvm",
            paramLabel = "OPTIONS",
            description = "Options of the JVM of the server that is started, such as \"-Xmx512m\".")
    private String serverJvm = "";

    @Parameters(
            paramLabel = "-- SERVER-OPTIONS",
            arity = "0..*",
            description = "Options of the server that is started.")
    private List<String> serverOptions = List.of();

    /** Prints to the standard streams. */
    public RedisCheckCommand() {
        super("check redis");
    }

    @Override
    protected int run() throws IOException, InterruptedException {
        try {
            if (address != null) {
                int colon = address.lastIndexOf(':');
                if (colon < 1 || !serverOptions.isEmpty() || !serverJvm.isEmpty()) {
                    throw wrong(
                            colon < 1
                                    ? "--address " + address + " is no HOST:PORT"
                                    : "a server that runs already takes no options");
                }
                context.address(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
                return report(new RedisCheck(context, out::println, () -> null).run());
            }
            List<String> jvm =
                    serverJvm.isBlank() ? List.of() : List.of(serverJvm.strip().split("\\s+"));
            try (ServerProcess server = new ServerProcess(jvm, serverOptions)) {
                context.address("127.0.0.1", server.port());
                context.own = true;
                out.printf("server %d on port %d, seed %d%n", server.pid(), server.port(), context.seed());
                RedisCheckResult result = new RedisCheck(context, out::println, server::trouble).run();
                String wrong = result.passed() ? server.end() : also(server);
                int status = report(result);
                if (wrong != null) {
                    err.println("check redis: " + wrong);
                    return FAILED;
                }
                return status;
            }
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable String also(ServerProcess server) throws IOException {
        String wrong = server.trouble();
        return wrong == null ? server.errors() : wrong;
    }

    private int report(RedisCheckResult result) {
        result.summary().forEach(out::println);
        String failure = result.failure();
        if (failure != null) {
            out.flush();
            err.println("check redis: " + failure);
            return FAILED;
        }
        out.println("every reply was as it must be");
        return 0;
    }
}
