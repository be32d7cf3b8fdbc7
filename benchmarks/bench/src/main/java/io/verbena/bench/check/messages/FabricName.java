package io.verbena.bench.check.messages;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.verification.fabric.LocalTls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** How the nodes of a round reach each other. */
public enum FabricName {
    /** In the process. */
    LOCAL(Scheme.LOCAL, Security.NONE),
    /** Shared memory. */
    SHM(Scheme.SHM, Security.NONE),
    /** Unix-domain sockets. */
    UDS(Scheme.UDS, Security.NONE),
    /** TCP. */
    TCP(Scheme.TCP, Security.NONE),
    /** Mutual TLS 1.3 over TCP. */
    TLS_TCP(Scheme.TCP, Security.TLS),
    /** Shared memory between nodes that prove a secret to each other. */
    SECRET_SHM(Scheme.SHM, Security.SECRET),
    /** Unix-domain sockets, with a secret. */
    SECRET_UDS(Scheme.UDS, Security.SECRET),
    /** TCP, with a secret. */
    SECRET_TCP(Scheme.TCP, Security.SECRET);

    private enum Scheme {
        LOCAL,
        SHM,
        UDS,
        TCP
    }

    private enum Security {
        NONE,
        SECRET,
        TLS
    }

    private static final SharedSecret KNOWN_TO_ALL =
            new SharedSecret("what all nodes of a check know".getBytes(StandardCharsets.US_ASCII));

    private final Scheme scheme;
    private final Security security;

    FabricName(Scheme scheme, Security security) {
        this.scheme = scheme;
        this.security = security;
    }

    /** Those by which another process can be reached. */
    static Set<FabricName> betweenProcesses() {
        return Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(LOCAL)));
    }

    /** Whether another process can be reached by it. */
    boolean reachesProcesses() {
        return scheme != Scheme.LOCAL;
    }

    /**
     * A context of a node that may use it.
     *
     * @param shared directory of shared memory, which nodes that reach each other have in common
     */
    NodeContext context(Path shared) {
        NodeContext context =
                new NodeContext().sharedMemory(scheme == Scheme.SHM).sharedMemoryRoot(shared);
        switch (security) {
            case TLS:
                return LocalTls.with(context::tls);
            case SECRET:
                return context.secret(KNOWN_TO_ALL);
            default:
                return context;
        }
    }

    /** Makes a node reachable. @return the address, to which names are appended */
    String listen(Node node, Path folder) {
        switch (scheme) {
            case LOCAL:
                return "local:" + node.name();
            case SHM:
                return node.listen("shm:" + node.name());
            case UDS:
                return node.listen("uds:" + folder.resolve(node.name() + ".sock"));
            default:
                return node.listen("tcp://127.0.0.1:0");
        }
    }

    /** The name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
