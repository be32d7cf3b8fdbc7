package io.verbena.bench.check.redis;

import io.verbena.bench.check.CheckOptions;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena check redis}: an integrity load for a server that speaks Redis' protocol. */
@Command(
        name = "redis",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Puts a server under a load whose every reply is known beforehand or judged for linearizability, and ends with 1",
            "at the first wrong one. Without --address it starts 'verbena serve' in a process of its own on a free port;",
            "options behind -- are that server's:  verbena check redis --seconds 60 -- --workers 4",
            "Keys have a prefix of the run's own and are removed in the end; nothing else in the server is touched.%n"
        })
public final class RedisCheckCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Option(names = "--address", paramLabel = "HOST:PORT", description = "A server that runs already.")
    private @Nullable String address;

    @Mixin
    private CheckOptions options = new CheckOptions();

    @Option(names = "--password", paramLabel = "P", defaultValue = "", description = "Password of the server.")
    private String password = "";

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "200",
            description = "Connections (${DEFAULT-VALUE}).")
    private int clients;

    @Option(
            names = "--max-value",
            paramLabel = "SIZE",
            defaultValue = "64m",
            converter = Size.class,
            description = "Largest value, such as 64k or 1m (${DEFAULT-VALUE}).")
    private long maxValue;

    @Option(
            names = "--max-depth",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Most commands sent ahead (${DEFAULT-VALUE}).")
    private int maxDepth;

    @Option(
            names = "--max-data",
            paramLabel = "SIZE",
            defaultValue = "256m",
            converter = Size.class,
            description = "Data that the load keeps in the server at most, about (${DEFAULT-VALUE}).")
    private long maxData;

    @Option(
            names = "--allow-oom",
            description =
                    "Writes may be refused with OOM, and must then not have happened. Leaves transactions out, and deaths on own keys.")
    private boolean allowOom;

    @Option(
            names = "--no-half-close",
            negatable = false,
            description = "Leave out clients that shut their output and read on.")
    private boolean noHalfClose;

    @Option(
            names = "--scenario",
            split = ",",
            paramLabel = "NAME",
            description = "Nothing but these scenarios, with all clients.")
    private List<String> scenarios = List.of();

    @Option(
            names = "--server-jvm",
            paramLabel = "OPTIONS",
            defaultValue = "",
            description = "Options of the JVM of the server that is started, such as \"-Xmx512m\".")
    private String serverJvm = "";

    @Parameters(
            paramLabel = "-- SERVER-OPTIONS",
            arity = "0..*",
            description = "Options of the server that is started.")
    private List<String> serverOptions = List.of();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintStream out = System.out;
        RedisCheckContext context = new RedisCheckContext()
                .password(password)
                .seconds(options.seconds())
                .seed(options.seed())
                .clients(clients)
                .threads(options.threads())
                .maxValue(maxValue)
                .maxDepth(maxDepth)
                .maxData(maxData)
                .stallSeconds(options.stallSeconds())
                .allowOom(allowOom)
                .halfClose(!noHalfClose)
                .scenarios(scenarios);
        try {
            if (address != null) {
                int colon = address.lastIndexOf(':');
                if (colon < 1 || !serverOptions.isEmpty() || !serverJvm.isEmpty()) {
                    throw new ParameterException(
                            spec.commandLine(),
                            colon < 1
                                    ? "--address " + address + " is no HOST:PORT"
                                    : "a server that runs already takes no options");
                }
                context.address(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
                return report(new RedisCheck(context, out::println, () -> null).run(), out);
            }
            List<String> jvm =
                    serverJvm.isBlank() ? List.of() : List.of(serverJvm.strip().split("\\s+"));
            try (ServerProcess server = new ServerProcess(jvm, serverOptions)) {
                context.address("127.0.0.1", server.port()).own(true);
                out.printf("server %d on port %d, seed %d%n", server.pid(), server.port(), context.seed());
                RedisCheckResult result = new RedisCheck(context, out::println, server::trouble).run();
                String wrong = result.passed() ? server.end() : also(server);
                int status = report(result, out);
                if (wrong != null) {
                    System.err.println("check redis: " + wrong);
                    return FAILED;
                }
                return status;
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        } catch (RunException e) {
            System.err.println("check redis: " + e.getMessage());
            return FAILED;
        }
    }

    private static @Nullable String also(ServerProcess server) throws IOException {
        String wrong = server.trouble();
        return wrong == null ? server.errors() : wrong;
    }

    private static int report(RedisCheckResult result, PrintStream out) {
        result.summary().forEach(out::println);
        String failure = result.failure();
        if (failure != null) {
            out.flush();
            System.err.println("check redis: " + failure);
            return FAILED;
        }
        out.println("every reply was as it must be");
        return 0;
    }

    /** Reads bytes with k, m or g. */
    static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String value) {
            String text = value.toLowerCase(Locale.ROOT).replaceAll("i?b$", "");
            int shift = switch (text.isEmpty() ? ' ' : text.charAt(text.length() - 1)) {
                case 'k' -> 10;
                case 'm' -> 20;
                case 'g' -> 30;
                default -> 0;
            };
            return Long.parseLong(shift == 0 ? text : text.substring(0, text.length() - 1)) << shift;
        }
    }
}
