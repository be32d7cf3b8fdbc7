package io.verbena.redis;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.TenantOptions;
import io.verbena.Tenants;
import io.verbena.fabric.ListenException;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsOptions;
import io.verbena.nic.JvmFlags;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.tier.Donation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command line of a donor: memory of this machine, for a store on another one whose own is too small. */
@Command(
        name = "donate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Lends memory of this machine to a store on another one, one store at a time.",
        exitCodeOnInvalidInput = 1)
public final class Donate implements Callable<Integer> {
    private static final int FAILED = 1;

    @Option(names = "--memory", paramLabel = "BYTES", required = true, description = "How much: 512mb, 4gb.")
    private String memory = "";

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            required = true,
            description =
                    "Where stores find it: tcp://host:port, uds:/path or shm:name; port 0 takes a free one. May be"
                            + " given several times.")
    private List<String> listen = new ArrayList<>();

    @Option(
            names = "--tenant",
            paramLabel = "NAME",
            description = "Whose memory it is: a store whose certificate binds it to another tenant gets none.")
    private @Nullable String tenant;

    @Mixin
    private final SecurityOptions security = new SecurityOptions();

    @Option(names = "--insecure", description = "Listen beyond this machine, in clear and for anybody.")
    private boolean insecure;

    @Override
    public Integer call() throws InterruptedException {
        long bytes = MemorySize.parse(memory);
        if (bytes < 0) {
            return fail("--memory " + memory + " is no amount; write 512mb or 4gb");
        }
        try (Node node = Node.launch(context());
                Donation donation = Donation.offer(node, tenant == null ? Tenants.DEFAULT : tenant, bytes)) {
            Logger log = LoggerFactory.getLogger(Donate.class);
            log.info(
                    "ready on {}: lends {}",
                    String.join(", ", node.addresses()),
                    MemorySize.human(donation.statistics().bytes()));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(donation, node), "verbena-stop"));
            new CountDownLatch(1).await(); // until a signal
        } catch (ListenException | MemoryExhaustedException | IllegalArgumentException | IllegalStateException e) {
            return fail(e.getMessage());
        }
        return 0;
    }

    private static void end(Donation donation, Node node) {
        donation.close();
        node.close();
    }

    private NodeContext context() {
        NodeContext context =
                new NodeContext().mode(NodeMode.THREAD).insecure(insecure).closeOnShutdown(false);
        listen.forEach(context::listen);
        if (tenant != null) {
            context.tenant(new TenantOptions().name(tenant));
        }
        TlsOptions tls = security.tls();
        if (tls != null) {
            context.tls(tls);
        }
        SharedSecret secret = security.secret();
        if (secret != null) {
            context.secret(secret);
        }
        return context;
    }

    private static int fail(@Nullable String message) {
        System.err.println("verbena donate: " + message);
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
            System.err.println("verbena donate: start the JVM with " + missing);
            System.exit(FAILED);
        }
        System.exit(VerbenaCommand.of(new Donate()).execute(args));
    }
}
