package io.verbena.redis.command;

import java.util.ArrayList;
import java.util.List;

/** What {@code COMMAND INFO} derives from a row: the categories of ACL, and the tips for clients that know shards. */
public final class CommandCategories {
    private CommandCategories() {}

    /**
     * The categories of a command.
     *
     * @param command row of the table
     * @return names that start with an at sign
     */
    public static List<String> of(Command command) {
        List<String> categories = new ArrayList<>();
        if (!command.subcommands().isEmpty() && command.local() == null) {
            // A container does nothing itself.
            return List.of("@slow");
        }
        if (command.is(CommandFlags.READONLY)) {
            categories.add("@read");
        }
        if (command.is(CommandFlags.WRITE)) {
            categories.add("@write");
        }
        if (command.is(CommandFlags.KEYSPACE)) {
            categories.add("@keyspace");
        }
        if (command.is(CommandFlags.CONNECTION)) {
            categories.add("@connection");
        }
        switch (command.group()) {
            case "generic":
                categories.add("@keyspace");
                break;
            case "sorted-set":
                categories.add("@sortedset");
                break;
            case "transactions":
                categories.add("@transaction");
                break;
            case "server":
                break;
            default:
                categories.add("@" + command.group());
                break;
        }
        if (command.is(CommandFlags.ADMIN)) {
            categories.add("@admin");
        }
        if (command.is(CommandFlags.ADMIN | CommandFlags.DANGEROUS)) {
            categories.add("@dangerous");
        }
        categories.add(command.is(CommandFlags.FAST) ? "@fast" : "@slow");
        return categories;
    }

    /**
     * The tips of a command.
     *
     * @param command row of the table
     * @return tips, possibly none
     */
    public static List<String> tips(Command command) {
        List<String> tips = new ArrayList<>();
        if (command.is(CommandFlags.NONDETERMINISTIC)) {
            tips.add("nondeterministic_output");
        }
        if (command.is(CommandFlags.UNORDERED)) {
            tips.add("nondeterministic_output_order");
        }
        switch (command.split()) {
            case KEYS_SUM:
                tips.add("request_policy:multi_shard");
                tips.add("response_policy:agg_sum");
                break;
            case KEYS_ARRAY:
                tips.add("request_policy:multi_shard");
                break;
            case KEYS_OK:
                tips.add("request_policy:multi_shard");
                tips.add("response_policy:all_succeeded");
                break;
            case ALL_SUM:
                tips.add("request_policy:all_shards");
                tips.add("response_policy:agg_sum");
                break;
            case ALL_OK:
                tips.add("request_policy:all_shards");
                tips.add("response_policy:all_succeeded");
                break;
            case ALL_ARRAY:
            case ANY:
                tips.add("request_policy:all_shards");
                break;
            case SCAN:
                tips.add("request_policy:special");
                break;
            default:
                break;
        }
        return tips;
    }
}
