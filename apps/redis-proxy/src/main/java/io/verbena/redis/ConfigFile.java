package io.verbena.redis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** A YAML file with the options of the command line, one a key. */
final class ConfigFile {
    private static final Map<String, BiConsumer<ProxyContext, JsonNode>> KEYS = new TreeMap<>(Map.ofEntries(
            Map.entry("port", (context, value) -> context.port(integer(value))),
            Map.entry("bind", (context, value) -> context.bind(text(value))),
            Map.entry("workers", (context, value) -> context.workers(integer(value))),
            Map.entry("shards", (context, value) -> context.shards(integer(value))),
            Map.entry("maxmemory", (context, value) -> context.maxMemory(text(value))),
            Map.entry("maxmemory-policy", (context, value) -> context.maxMemoryPolicy(text(value))),
            Map.entry("maxmemory-clients", (context, value) -> context.maxMemoryClients(text(value))),
            Map.entry("client-query-buffer-limit", (context, value) -> context.queryBufferLimit(text(value))),
            Map.entry("requirepass", (context, value) -> context.password(text(value))),
            Map.entry("tenants", ConfigFile::tenants),
            Map.entry("maxclients", (context, value) -> context.maxClients(integer(value))),
            Map.entry("overflow-peers", (context, value) -> context.overflow().peers(text(value))),
            Map.entry("overflow-memory", (context, value) -> context.overflow().memory(text(value))),
            Map.entry(
                    "overflow-replicas", (context, value) -> context.overflow().replicas(integer(value))),
            Map.entry(
                    "overflow-resident", (context, value) -> context.overflow().resident(text(value))),
            Map.entry("overflow-timeout", (context, value) -> context.overflow().timeoutSeconds(integer(value))),
            Map.entry(
                    "overflow-secret-file",
                    (context, value) -> context.overflow().secretFile(Path.of(text(value)))),
            Map.entry("timeout", (context, value) -> context.timeoutSeconds(integer(value)))));

    private ConfigFile() {}

    /**
     * Takes over what a file says.
     *
     * @throws IllegalArgumentException if it cannot be read or says what nobody understands; one line that says what to
     *     do
     */
    static void apply(Path file, ProxyContext context) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(
                    "cannot read the configuration " + file + ": check that it is there and may be read");
        }
        JsonNode root;
        try {
            root = new YAMLMapper().readTree(file.toFile());
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the configuration " + file + " is no YAML: " + reason(e), e);
        }
        if (root.isMissingNode() || root.isNull()) {
            return;
        }
        if (!root.isObject()) {
            throw new IllegalArgumentException(
                    "the configuration " + file + " is no list of keys and values; write lines such as 'port: 6379'");
        }
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            BiConsumer<ProxyContext, JsonNode> key = KEYS.get(entry.getKey());
            if (key == null) {
                throw new IllegalArgumentException("the configuration " + file + " has the unknown key '"
                        + oneLine(entry.getKey()) + "'; use " + String.join(", ", KEYS.keySet()));
            }
            try {
                key.accept(context, entry.getValue());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "the configuration " + file + ": " + entry.getKey() + ": " + oneLine(e.getMessage()), e);
            }
        }
    }

    private static String reason(JacksonException e) {
        String first = oneLine(e.getOriginalMessage());
        return e.getLocation() == null
                ? first
                : first + "; correct it at line " + e.getLocation().getLineNr();
    }

    /** The first line: what a file holds may have several. */
    private static String oneLine(@Nullable String text) {
        return text == null ? "" : text.lines().findFirst().orElse("");
    }

    private static void tenants(ProxyContext context, JsonNode value) {
        if (!value.isArray()) {
            throw new IllegalArgumentException(value + " is not a list; write lines such as '- gold:weight=3'");
        }
        value.forEach(each -> context.tenant(ProxyTenant.parse(text(each))));
    }

    private static int integer(JsonNode value) {
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw new IllegalArgumentException(value + " is no whole number");
        }
        return value.intValue();
    }

    private static String text(JsonNode value) {
        if (!value.isValueNode() || value.isNull()) {
            throw new IllegalArgumentException(value + " is no single value");
        }
        return value.asString();
    }
}
