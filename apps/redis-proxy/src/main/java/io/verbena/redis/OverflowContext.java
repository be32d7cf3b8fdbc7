package io.verbena.redis;

import io.verbena.NodeContext;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsOptions;
import io.verbena.tier.PagedOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the store moves values that do not fit into {@code maxmemory}: memory of donors, see {@link Donate}. Setters
 * return this, take what a user writes, and name both values of what does not fit. Mutable; not thread-safe.
 */
public final class OverflowContext {
    private static final String MEMORY = "overflow-memory";
    private static final long PAGE = PagedOptions.DEFAULT_PAGE_LENGTH;

    private final List<String> peers = new ArrayList<>();
    private long memory;
    private int replicas = 1;
    private long resident = PagedOptions.DEFAULT_RESIDENT;
    private Duration timeout = PagedOptions.DEFAULT_TIMEOUT;
    private @Nullable SharedSecret secret;
    private @Nullable TlsOptions tls;

    /** Creates settings without peers: nothing is moved. */
    public OverflowContext() {}

    /** Addresses of the donors, with commas between them. */
    public OverflowContext peers(String addresses) {
        peers.clear();
        for (String address : addresses.split(",", -1)) {
            if (address.isBlank()) {
                throw new IllegalArgumentException("overflow-peers '" + addresses + "' has an empty address");
            }
            peers.add(address.strip());
        }
        return this;
    }

    /** Bytes of values that are moved at most, such as 4gb; replicas are not counted. */
    public OverflowContext memory(String amount) {
        memory = bytes(MEMORY, amount) / PAGE * PAGE;
        return this;
    }

    /** On how many donors each string is, 1 or 2. */
    public OverflowContext replicas(int count) {
        if (count < 1 || count > 2) {
            throw new IllegalArgumentException("overflow-replicas " + count + " outside 1..2");
        }
        replicas = count;
        return this;
    }

    /** Bytes of direct memory beside the data by which values come and go, such as 64mb. */
    public OverflowContext resident(String amount) {
        resident = bytes("overflow-resident", amount);
        return this;
    }

    /** Seconds that a command waits for a string, at least 1. */
    public OverflowContext timeoutSeconds(int seconds) {
        if (seconds < 1) {
            throw new IllegalArgumentException("overflow-timeout " + seconds + " < minimum 1");
        }
        timeout = Duration.ofSeconds(seconds);
        return this;
    }

    /** A file with the secret that the donors know. */
    public OverflowContext secretFile(Path file) {
        secret = SharedSecret.read(file);
        return this;
    }

    /** What this side shows to donors that speak TLS, and whom it trusts. */
    public OverflowContext tls(TlsOptions options) {
        tls = options;
        return this;
    }

    private static long bytes(String what, String amount) {
        long bytes = MemorySize.parse(amount);
        if (bytes < 1) {
            throw new IllegalArgumentException(what + " " + amount + " is no amount; write 512mb or 4gb");
        }
        return bytes;
    }

    /** Whether values are moved. */
    public boolean isOn() {
        return !peers.isEmpty();
    }

    /** Direct memory that this takes. */
    long directBytes() {
        return isOn() ? resident : 0;
    }

    /**
     * Checks what depends on each other.
     *
     * @param maxMemory bytes of data, 0 for no limit
     */
    void conclude(long maxMemory) {
        if (!isOn()) {
            if (memory > 0) {
                throw new IllegalArgumentException(MEMORY + " " + memory + " needs overflow-peers");
            }
            return;
        }
        if (memory == 0) {
            throw new IllegalArgumentException("overflow-peers needs " + MEMORY + ", such as 4gb");
        }
        if (maxMemory == 0) {
            throw new IllegalArgumentException("overflow-peers needs maxmemory: what does not fit in there is moved");
        }
        if (replicas > peers.size()) {
            throw new IllegalArgumentException(
                    "overflow-replicas " + replicas + " > " + peers.size() + ", the number of overflow-peers");
        }
    }

    /** Options of the paged memory; null if nothing is moved. */
    public @Nullable PagedOptions options() {
        if (!isOn()) {
            return null;
        }
        PagedOptions options =
                new PagedOptions(memory).resident(resident).replicas(replicas).timeout(timeout);
        peers.forEach(options::donor);
        return options;
    }

    /** Settings of the node that reaches the donors. */
    public void node(NodeContext node) {
        if (secret != null) {
            node.secret(secret);
        }
        if (tls != null) {
            node.tls(tls);
        }
    }
}
