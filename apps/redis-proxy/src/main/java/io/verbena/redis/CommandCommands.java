package io.verbena.redis;

import io.verbena.redis.command.Command;
import io.verbena.redis.command.CommandCategories;
import io.verbena.redis.command.CommandFlags;
import io.verbena.redis.command.CommandTable;
import io.verbena.redis.command.Local;
import io.verbena.redis.resp.RespWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** COMMAND and its subcommands, and the HELP of all containers, read from the command table. */
final class CommandCommands {
    private final CommandTable table = CommandTable.get();

    void execute(Local by, Arguments arguments, RespWriter out) {
        switch (by) {
            case COMMAND:
                out.array(table.commands().size());
                for (Command command : table.commands()) {
                    info(command, out);
                }
                break;
            case COMMAND_COUNT:
                out.integer(table.commands().size());
                break;
            case COMMAND_INFO:
                infos(arguments, out);
                break;
            case COMMAND_DOCS:
                docs(arguments, out);
                break;
            case COMMAND_LIST:
                list(arguments, out);
                break;
            case COMMAND_GETKEYS:
                keys(arguments, out);
                break;
            default:
                throw new IllegalStateException("nobody executes " + by);
        }
    }

    private void infos(Arguments arguments, RespWriter out) {
        if (arguments.count() == 2) {
            execute(Local.COMMAND, arguments, out);
            return;
        }
        out.array(arguments.count() - 2);
        for (int i = 2; i < arguments.count(); i++) {
            Command command = table.find(arguments.text(i));
            if (command == null) {
                out.nil();
            } else {
                info(command, out);
            }
        }
    }

    /** Redis 7's ten fields of a command. */
    private void info(Command command, RespWriter out) {
        out.array(10);
        out.bulk(command.name());
        out.integer(command.arity());
        out.set(Integer.bitCount(command.flags() & ((1 << CommandFlags.count()) - 1)));
        for (int bit = 0; bit < CommandFlags.count(); bit++) {
            if (command.is(1 << bit)) {
                out.status(CommandFlags.name(bit));
            }
        }
        out.integer(command.firstKey());
        out.integer(command.lastKey());
        out.integer(command.keyStep());
        List<String> categories = CommandCategories.of(command);
        out.set(categories.size());
        categories.forEach(out::status);
        List<String> tips = CommandCategories.tips(command);
        out.array(tips.size());
        tips.forEach(out::bulk);
        keySpecifications(command, out);
        out.array(command.subcommands().size());
        for (Command sub : command.subcommands()) {
            info(sub, out);
        }
    }

    private static void keySpecifications(Command command, RespWriter out) {
        if (command.firstKey() == 0) {
            out.array(0);
            return;
        }
        out.array(1);
        out.map(3);
        out.bulk("flags");
        out.set(1);
        out.status(command.is(CommandFlags.READONLY) ? "RO" : "RW");
        out.bulk("begin_search");
        out.map(2);
        out.bulk("type");
        out.bulk("index");
        out.bulk("spec");
        out.map(1);
        out.bulk("index");
        out.integer(command.firstKey());
        out.bulk("find_keys");
        out.map(2);
        out.bulk("type");
        out.bulk("range");
        out.bulk("spec");
        out.map(3);
        out.bulk("lastkey");
        // Counted from the first key, unless from the end.
        out.integer(command.lastKey() < 0 ? command.lastKey() : command.lastKey() - command.firstKey());
        out.bulk("keystep");
        out.integer(command.keyStep());
        out.bulk("limit");
        out.integer(0);
    }

    private void docs(Arguments arguments, RespWriter out) {
        List<Command> commands = new ArrayList<>();
        if (arguments.count() == 2) {
            commands.addAll(table.commands());
        }
        for (int i = 2; i < arguments.count(); i++) {
            Command command = table.find(arguments.text(i));
            if (command != null) {
                commands.add(command);
            }
        }
        out.map(commands.size());
        for (Command command : commands) {
            doc(command, out);
        }
    }

    private static void doc(Command command, RespWriter out) {
        out.bulk(command.name());
        out.map(command.subcommands().isEmpty() ? 3 : 4);
        out.bulk("summary");
        out.bulk(command.summary());
        out.bulk("since");
        out.bulk(command.since());
        out.bulk("group");
        out.bulk(command.group());
        if (!command.subcommands().isEmpty()) {
            out.bulk("subcommands");
            out.map(command.subcommands().size());
            for (Command sub : command.subcommands()) {
                doc(sub, out);
            }
        }
    }

    private void list(Arguments arguments, RespWriter out) {
        List<String> names = new ArrayList<>();
        if (arguments.count() == 2) {
            addNames(null, null, names);
        } else if (arguments.count() == 5 && arguments.is(2, "filterby") && arguments.is(3, "pattern")) {
            addNames(arguments.text(4).toLowerCase(Locale.ROOT), null, names);
        } else if (arguments.count() == 5 && arguments.is(2, "filterby") && arguments.is(3, "aclcat")) {
            addNames(null, "@" + arguments.text(4).toLowerCase(Locale.ROOT), names);
        } else if (!(arguments.count() == 5 && arguments.is(2, "filterby") && arguments.is(3, "module"))) {
            out.error("ERR syntax error");
            return;
        }
        out.set(names.size());
        names.forEach(out::bulk);
    }

    private void addNames(@Nullable String pattern, @Nullable String category, List<String> names) {
        for (int id = 0; id < table.size(); id++) {
            Command command = table.row(id);
            if ((pattern == null || Glob.matches(pattern, command.name()))
                    && (category == null || CommandCategories.of(command).contains(category))) {
                names.add(command.name());
            }
        }
    }

    private void keys(Arguments arguments, RespWriter out) {
        Command command = table.find(arguments.buffer(), arguments.offset(2), arguments.length(2));
        if (command != null && !command.subcommands().isEmpty() && arguments.count() > 3) {
            command = command.subcommand(arguments.buffer(), arguments.offset(3), arguments.length(3));
        }
        if (command == null) {
            out.error("ERR Invalid command specified");
            return;
        }
        int count = arguments.count() - 2;
        if (command.firstKey() == 0) {
            out.error("ERR The command has no key arguments");
        } else if (!command.accepts(count)) {
            out.error("ERR Invalid number of arguments specified for command");
        } else {
            int last = command.lastKey(count);
            out.array((last - command.firstKey()) / command.keyStep() + 1);
            for (int i = command.firstKey(); i <= last; i += command.keyStep()) {
                out.bulk(arguments.buffer(), arguments.offset(2 + i), arguments.length(2 + i));
            }
        }
    }

    /** HELP of a container: its subcommands, a line each and one that says what it does. */
    void help(Command executed, RespWriter out) {
        String name = executed.name().substring(0, executed.name().indexOf('|'));
        Command container = table.find(name);
        if (container == null) {
            throw new IllegalStateException("no command " + name);
        }
        out.array(1 + 2 * container.subcommands().size());
        out.status(name.toUpperCase(Locale.ROOT) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
        for (Command sub : container.subcommands()) {
            out.status(sub.name().substring(name.length() + 1).toUpperCase(Locale.ROOT));
            out.status("    " + sub.summary() + ".");
        }
    }
}
