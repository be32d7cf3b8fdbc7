package io.verbena.redis;

import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.backend.OverflowState;
import io.verbena.redis.backend.Store;
import io.verbena.redis.command.Command;
import io.verbena.redis.command.CommandTable;
import io.verbena.redis.resp.RespWriter;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** INFO: sections of lines {@code name:value}, with Redis' names for what tools read. For one worker's thread. */
final class InfoCommand {
    private static final List<String> DEFAULT = List.of(
            "server",
            "clients",
            "tenants",
            "memory",
            "persistence",
            "stats",
            "replication",
            "cpu",
            "errors",
            "cluster",
            "keyspace");
    private static final List<String> ALL = List.of(
            "server",
            "clients",
            "tenants",
            "memory",
            "persistence",
            "stats",
            "replication",
            "cpu",
            "commandstats",
            "errors",
            "cluster",
            "keyspace");

    private final ProxyServer server;
    private final StringBuilder text = new StringBuilder();

    InfoCommand(ProxyServer server) {
        this.server = server;
    }

    void execute(Arguments arguments, RespWriter out) {
        Set<String> sections = new LinkedHashSet<>();
        if (arguments.count() == 1) {
            sections.addAll(DEFAULT);
        }
        for (int i = 1; i < arguments.count(); i++) {
            if (arguments.is(i, "default")) {
                sections.addAll(DEFAULT);
            } else if (arguments.is(i, "all") || arguments.is(i, "everything")) {
                sections.addAll(ALL);
            } else {
                sections.add(arguments.text(i).toLowerCase(Locale.ROOT));
            }
        }
        text.setLength(0);
        for (String section : ALL) {
            if (sections.contains(section) && hasText(section)) {
                if (text.length() > 0) {
                    text.append("\r\n");
                }
                write(section);
            }
        }
        out.verbatim(text.toString());
    }

    /** Whether there is something to say: of tenants, if there is more than the default one. */
    private boolean hasText(String section) {
        return !section.equals("tenants")
                || server.settings().context().tenants().size() > 1;
    }

    private void write(String section) {
        switch (section) {
            case "server":
                server();
                break;
            case "clients":
                title("Clients");
                line("connected_clients", server.settings().clients());
                line("maxclients", server.settings().maxClients());
                line("maxmemory_clients", server.settings().maxMemoryClients());
                line("client_query_buffer_limit", server.settings().queryBufferLimit());
                line("transaction_queue_bytes", server.settings().queueMemory().used());
                line("blocked_clients", 0);
                break;
            case "memory":
                memory();
                break;
            case "persistence":
                title("Persistence");
                line("loading", 0);
                line("rdb_bgsave_in_progress", 0);
                line("aof_enabled", 0);
                line("aof_rewrite_in_progress", 0);
                break;
            case "stats":
                stats();
                break;
            case "replication":
                title("Replication");
                line("role", "master");
                line("connected_slaves", 0);
                break;
            case "cpu":
                cpu();
                break;
            case "commandstats":
                commandStats();
                break;
            case "errors":
                title("Errors");
                for (ClientCloseReason reason : ClientCloseReason.values()) {
                    if (server.total(reason) > 0) {
                        line("closed_" + reason.name().toLowerCase(Locale.ROOT), server.total(reason));
                    }
                }
                line("error_replies", server.total(Counter.ERRORS));
                line("orphaned_replies", server.total(Counter.ORPHANED_REPLIES));
                line("paused_reads", server.total(Counter.PAUSES));
                break;
            case "tenants":
                tenants();
                break;
            case "cluster":
                title("Cluster");
                line("cluster_enabled", 0);
                break;
            default:
                keyspace();
                break;
        }
    }

    private void server() {
        title("Server");
        line("redis_version", ServerVersion.REDIS);
        line("redis_mode", "standalone");
        line("verbena_version", ServerVersion.verbena());
        line(
                "os",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        line("arch_bits", 64);
        line("java_version", System.getProperty("java.version"));
        line("multiplexing_api", server.transport());
        line("process_id", ProcessHandle.current().pid());
        line("run_id", server.runId());
        line("tcp_port", server.port());
        long seconds = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis() - server.startMillis());
        line("uptime_in_seconds", seconds);
        line("uptime_in_days", TimeUnit.SECONDS.toDays(seconds));
        line("workers", server.settings().context().workers());
        line("shards", server.store().shards());
    }

    private void memory() {
        Store store = server.store();
        long used = store.usedMemory();
        Runtime runtime = Runtime.getRuntime();
        title("Memory");
        line("used_memory", used);
        line("used_memory_human", MemorySize.human(used));
        long committed = store.committedMemory();
        line("used_memory_committed", committed);
        line(
                "mem_fragmentation_ratio",
                String.format(Locale.ROOT, "%.2f", used == 0 ? 1.0 : (double) committed / used));
        line("data_memory_budget", server.settings().memory().data());
        line("used_memory_direct", MemoryPlan.directInUse());
        line("direct_memory_max", server.settings().memory().direct());
        line("used_memory_heap", runtime.totalMemory() - runtime.freeMemory());
        line("heap_memory_max", server.settings().memory().heap());
        line("maxmemory", server.settings().maxMemory());
        line("maxmemory_human", MemorySize.human(server.settings().maxMemory()));
        line("maxmemory_policy", server.settings().maxMemoryPolicy());
        line("maxmemory_clients", server.settings().maxMemoryClients());
        OverflowState overflow = store.overflow();
        if (overflow != null) {
            line("overflow_keys", overflow.keys());
            line("overflow_bytes", overflow.bytes());
            line("overflow_capacity", overflow.capacity());
            line("overflow_moved_out", overflow.movedOut());
            line("overflow_moved_in", overflow.movedIn());
            line("overflow_waiting_commands", overflow.waiting());
            line("overflow_failed_commands", overflow.failures());
            line("overflow_peers", overflow.peers());
            line("overflow_peers_alive", overflow.peersAlive());
            line("overflow_lost_pages", overflow.lostPages());
        }
    }

    private void stats() {
        title("Stats");
        line("total_connections_received", server.total(Counter.CONNECTIONS));
        line("total_commands_processed", server.total(Counter.COMMANDS));
        line("instantaneous_ops_per_sec", server.commandsPerSecond());
        line("total_net_input_bytes", server.total(Counter.BYTES_IN));
        line("total_net_output_bytes", server.total(Counter.BYTES_OUT));
        line("rejected_connections", server.total(Counter.REJECTED_CONNECTIONS));
        line("expired_keys", server.store().expiredKeys());
        line("evicted_keys", server.store().evictedKeys());
        line("total_error_replies", server.total(Counter.ERRORS));
    }

    private void tenants() {
        List<ProxyTenant> tenants = server.settings().context().tenants();
        title("Tenants");
        for (int i = 0; i < tenants.size(); i++) {
            ProxyTenant tenant = tenants.get(i);
            line(
                    "tenant_" + tenant.name(),
                    "weight=" + tenant.weight() + ",clients=" + server.clients(tenant) + ",commands="
                            + server.commands(i) + ",turns_waited=" + server.turnsWaited(i) + ",alpha="
                            + tenant.alpha() + ",min=" + tenant.min() + ",rate=" + server.rate(i));
        }
    }

    private void cpu() {
        title("CPU");
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system) {
            double seconds = system.getProcessCpuTime() / 1e9;
            line("used_cpu_total", String.format(Locale.ROOT, "%.6f", seconds));
        }
    }

    private void commandStats() {
        title("Commandstats");
        CommandTable table = CommandTable.get();
        for (int id = 0; id < table.size(); id++) {
            Command command = table.row(id);
            long calls = server.calls(command);
            long rejected = server.rejectedCalls(command);
            if (calls + rejected > 0) {
                line(
                        "cmdstat_" + command.name(),
                        "calls=" + calls + ",rejected_calls=" + rejected + ",failed_calls="
                                + server.failedCalls(command));
            }
        }
    }

    private void keyspace() {
        title("Keyspace");
        for (int database = 0; database < Settings.DATABASES; database++) {
            long keys = server.store().keys(database);
            if (keys > 0) {
                line(
                        "db" + database,
                        "keys=" + keys + ",expires=" + server.store().expiringKeys(database));
            }
        }
    }

    private void title(String name) {
        text.append("# ").append(name).append("\r\n");
    }

    private void line(String name, String value) {
        text.append(name).append(':').append(value).append("\r\n");
    }

    private void line(String name, long value) {
        text.append(name).append(':').append(value).append("\r\n");
    }
}
