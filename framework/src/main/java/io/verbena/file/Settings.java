package io.verbena.file;

import io.verbena.Node;
import io.verbena.tier.PagedOptions;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What {@link RemoteFileSystemProvider#newFileSystem} is told: values as what they are, or as text. */
final class Settings {
    private static final Set<String> KNOWN =
            new TreeSet<>(Set.of("donors", "memory", "node", "peers", "replicas", "resident", "size", "timeout"));

    private final Map<String, ?> env;

    /**
     * Takes them.
     *
     * @throws IllegalArgumentException if one is not known
     */
    Settings(Map<String, ?> env) {
        this.env = env;
        for (String each : env.keySet()) {
            if (!KNOWN.contains(each)) {
                throw new IllegalArgumentException("property '" + each + "' is not known; there are " + KNOWN);
            }
        }
    }

    /** The node that is to be used; null if the file system needs one of its own. */
    @Nullable
    Node node() {
        Object value = env.get("node");
        if (value == null || value instanceof Node) {
            return (Node) value;
        }
        throw wrong("node", value, "a Node");
    }

    /** How long a page is waited for. */
    Duration timeout() {
        Object value = env.get("timeout");
        if (value instanceof Duration duration) {
            return duration;
        }
        try {
            return value == null ? PagedOptions.DEFAULT_TIMEOUT : Duration.parse(value.toString());
        } catch (DateTimeParseException e) {
            throw wrong("timeout", value, "a duration as PT15S", e);
        }
    }

    /** The memory that the files lie in. */
    PagedOptions memory() {
        List<String> peers = addresses("peers");
        List<String> donors = addresses("donors");
        if (peers.isEmpty() && donors.isEmpty()) {
            throw new IllegalArgumentException("neither property 'peers' nor 'donors' has an address");
        }
        PagedOptions options = peers.isEmpty() ? lent() : shared();
        peers.forEach(options::peer);
        donors.forEach(options::donor);
        Long resident = number("resident");
        if (resident != null) {
            options.resident(resident);
        }
        return options.replicas(replicas()).timeout(timeout());
    }

    /** With memory of donors alone, whose regions have no names that are known beforehand. */
    private PagedOptions lent() {
        if (env.containsKey("memory")) {
            throw wrong("memory", env.get("memory"), "shared by any peer");
        }
        Long size = number("size");
        return size == null ? new PagedOptions() : new PagedOptions(wholeBlocks(size));
    }

    private PagedOptions shared() {
        Object name = env.containsKey("memory") ? env.get("memory") : "files";
        if (!(name instanceof String memory)) {
            throw wrong("memory", name, "the name of a region");
        }
        Long size = number("size");
        return size == null ? new PagedOptions(memory) : new PagedOptions(memory, wholeBlocks(size));
    }

    /** On how many peers each block is. */
    int replicas() {
        Long replicas = number("replicas");
        return replicas == null ? 1 : (int) Math.max(0, Math.min(replicas, Integer.MAX_VALUE));
    }

    private static long wholeBlocks(long size) {
        if (size % BlockPool.BLOCK != 0) {
            throw new IllegalArgumentException("size " + size + " is not a multiple of " + BlockPool.BLOCK);
        }
        return size;
    }

    private List<String> addresses(String key) {
        Object value = env.get(key);
        if (value == null) {
            return List.of();
        }
        if (value instanceof Collection<?> several) {
            return several.stream().map(String::valueOf).toList();
        }
        if (value instanceof String text && !text.isBlank()) {
            return List.of(text.trim().split("\\s*,\\s*", -1));
        }
        throw wrong(key, value, "addresses, as a collection or with commas between them");
    }

    private @Nullable Long number(String key) {
        Object value = env.get(key);
        if (value == null) {
            return null;
        }
        try {
            return value instanceof Integer || value instanceof Long
                    ? Long.valueOf(((Number) value).longValue())
                    : Long.valueOf(value.toString());
        } catch (NumberFormatException e) {
            throw wrong(key, value, "a whole number", e);
        }
    }

    private static IllegalArgumentException wrong(String key, @Nullable Object value, String expected) {
        return new IllegalArgumentException("property '" + key + "' is " + value + ", and not " + expected);
    }

    private static IllegalArgumentException wrong(
            String key, @Nullable Object value, String expected, Exception cause) {
        IllegalArgumentException failure = wrong(key, value, expected);
        failure.initCause(cause);
        return failure;
    }
}
