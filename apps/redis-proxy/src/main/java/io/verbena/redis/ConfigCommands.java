package io.verbena.redis;

import io.verbena.redis.backend.Store;
import io.verbena.redis.resp.RespWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** CONFIG GET and CONFIG SET over a table of settings. For one worker's thread. */
final class ConfigCommands {
    /** Says what is wrong with a value, or null. */
    @FunctionalInterface
    private interface Check {
        @Nullable
        String problem(String value);
    }

    private record Row(
            String name, Supplier<String> get, @Nullable Check check, Consumer<String> set) {}

    private final Map<String, Row> rows = new TreeMap<>();

    ConfigCommands(Settings settings, Store store) {
        fixed("save", () -> "", "");
        fixed("appendonly", () -> "no", "no");
        immutable("port", () -> Integer.toString(settings.context().port()));
        immutable("bind", () -> settings.context().bind());
        immutable("databases", () -> Integer.toString(Settings.DATABASES));
        immutable("io-threads", () -> Integer.toString(settings.context().workers()));
        immutable("cluster-enabled", () -> "no");
        immutable(
                "proto-max-bulk-len",
                () -> Integer.toString(settings.context().limits().maxBulk()));
        clients(settings);
        memory(settings, store);
    }

    private void clients(Settings settings) {
        mutable("requirepass", settings::password, value -> null, settings::password);
        mutable(
                "maxclients",
                () -> Integer.toString(settings.maxClients()),
                value -> range(value, 1, Integer.MAX_VALUE),
                value -> settings.maxClients(Integer.parseInt(value)));
        mutable(
                "timeout",
                () -> Integer.toString(settings.timeoutSeconds()),
                value -> range(value, 0, Integer.MAX_VALUE),
                value -> settings.timeoutSeconds(Integer.parseInt(value)));
        mutable(
                "maxmemory-clients",
                () -> settings.maxMemoryClientsShare().toString(),
                ConfigCommands::shareProblem,
                value -> settings.maxMemoryClients(MemoryShare.parse(value)));
        mutable(
                "client-query-buffer-limit",
                () -> Long.toString(settings.queryBufferLimit()),
                value -> MemorySize.parse(value) < ProxyContext.MIN_QUERY_BUFFER_LIMIT
                        ? "argument must be a memory value of at least " + ProxyContext.MIN_QUERY_BUFFER_LIMIT
                        : null,
                value -> settings.queryBufferLimit(MemorySize.parse(value)));
        mutable(
                "client-output-buffer-limit",
                () -> settings.outputLimit().toString(),
                value -> outputLimit(value) == null ? "wrong arguments: give class, hard, soft and seconds" : null,
                value -> {
                    OutputLimit limit = outputLimit(value);
                    if (limit != null) {
                        settings.outputLimit(limit);
                    }
                });
    }

    private void memory(Settings settings, Store store) {
        mutable(
                "maxmemory",
                () -> Long.toString(settings.maxMemory()),
                value -> maxMemoryProblem(value, store.memoryBudget()),
                value -> {
                    long bytes = MemorySize.parse(value);
                    store.maxMemory(bytes);
                    settings.maxMemory(bytes);
                });
        mutable(
                "maxmemory-policy",
                settings::maxMemoryPolicy,
                value -> store.policies().contains(value.toLowerCase(Locale.ROOT))
                        ? null
                        : "argument(s) must be one of the following: " + String.join(", ", store.policies()),
                value -> {
                    store.maxMemoryPolicy(value.toLowerCase(Locale.ROOT));
                    settings.maxMemoryPolicy(value.toLowerCase(Locale.ROOT));
                });
    }

    private void fixed(String name, Supplier<String> get, String only) {
        Check check = value -> value.equals(only) ? null : "the data lives in memory only: nothing is saved to disk";
        rows.put(name, new Row(name, get, check, value -> {}));
    }

    private void immutable(String name, Supplier<String> get) {
        rows.put(name, new Row(name, get, null, value -> {}));
    }

    private void mutable(String name, Supplier<String> get, Check check, Consumer<String> set) {
        rows.put(name, new Row(name, get, check, set));
    }

    void get(Arguments arguments, RespWriter out) {
        Map<String, String> found = new LinkedHashMap<>();
        for (int i = 2; i < arguments.count(); i++) {
            String pattern = arguments.text(i).toLowerCase(Locale.ROOT);
            for (Row row : rows.values()) {
                if (Glob.matches(pattern, row.name())) {
                    found.put(row.name(), row.get().get());
                }
            }
        }
        out.map(found.size());
        found.forEach((name, value) -> {
            out.bulk(name);
            out.bulk(value);
        });
    }

    void set(Arguments arguments, RespWriter out) {
        if (arguments.count() % 2 != 0) {
            out.error("ERR wrong number of arguments for 'config|set' command");
            return;
        }
        // All are checked before the first is changed, as Redis does.
        Map<Row, String> changes = new LinkedHashMap<>();
        for (int i = 2; i < arguments.count(); i += 2) {
            String given = arguments.text(i);
            Row row = rows.get(given.toLowerCase(Locale.ROOT));
            if (row == null) {
                out.error("ERR Unknown option or number of arguments for CONFIG SET - '" + given + "'");
                return;
            }
            String value = arguments.text(i + 1);
            String problem = null;
            if (row.check() == null) {
                problem = "can't set immutable config";
            } else if (changes.containsKey(row)) {
                problem = "duplicate parameter";
            } else {
                problem = row.check().problem(value);
            }
            if (problem != null) {
                out.error("ERR CONFIG SET failed (possibly related to argument '" + given + "') - " + problem);
                return;
            }
            changes.put(row, value);
        }
        changes.forEach((row, value) -> row.set().accept(value));
        out.ok();
    }

    private static @Nullable String maxMemoryProblem(String value, long budget) {
        long bytes = MemorySize.parse(value);
        if (bytes < 0) {
            return "argument must be a memory value";
        }
        return bytes > budget
                ? bytes + " bytes > " + budget + ", which is what the direct memory leaves for data;"
                        + " start the JVM with a greater -XX:MaxDirectMemorySize"
                : null;
    }

    private static @Nullable String shareProblem(String value) {
        try {
            MemoryShare.parse(value);
            return null;
        } catch (IllegalArgumentException e) {
            return "argument must be a memory or percent value";
        }
    }

    /** Names of the settings. */
    Set<String> names() {
        return rows.keySet();
    }

    private static @Nullable String range(String value, int least, int most) {
        String problem = "argument must be between " + least + " and " + most + " inclusive";
        try {
            long number = Long.parseLong(value);
            return number < least || number > most ? problem : null;
        } catch (NumberFormatException e) {
            return "argument couldn't be parsed into an integer";
        }
    }

    private static @Nullable OutputLimit outputLimit(String value) {
        List<String> words = new ArrayList<>(List.of(value.strip().split("\\s+")));
        if (words.size() != 4 || !words.get(0).equalsIgnoreCase("normal")) {
            return null;
        }
        long hard = MemorySize.parse(words.get(1));
        long soft = MemorySize.parse(words.get(2));
        if (hard < 0 || soft < 0 || range(words.get(3), 0, Integer.MAX_VALUE) != null) {
            return null;
        }
        return new OutputLimit(hard, soft, Integer.parseInt(words.get(3)));
    }
}
