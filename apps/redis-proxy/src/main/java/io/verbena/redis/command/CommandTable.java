package io.verbena.redis.command;

import io.verbena.kv.protocol.KvOp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * All commands, read once from {@code commands.txt}, and an open-addressed hash of their names that finds a command
 * from the bytes on the wire without garbage. Immutable.
 */
public final class CommandTable {
    private static final String TEXT = "commands.txt";
    private static final CommandTable DEFAULT = load();

    private final List<Command> commands;
    private final Command[] rows;
    private final @Nullable Command[] slots;
    private final int mask;

    private CommandTable(List<Command> commands, List<Command> rows) {
        this.commands = Collections.unmodifiableList(commands);
        this.rows = rows.toArray(new Command[0]);
        // A load of a quarter keeps nearly every look-up at one probe.
        this.slots = new Command[BitUtil.findNextPositivePowerOfTwo(commands.size() * 4)];
        this.mask = slots.length - 1;
        for (Command command : commands) {
            int slot = Names.hash(new UnsafeBuffer(command.nameBytes()), 0, command.nameBytes().length) & mask;
            while (slots[slot] != null) {
                slot = (slot + 1) & mask;
            }
            slots[slot] = command;
        }
    }

    /**
     * The table of this version.
     *
     * @return always the same
     */
    public static CommandTable get() {
        return DEFAULT;
    }

    /**
     * The commands without subcommands, in the order of the table.
     *
     * @return unmodifiable
     */
    public List<Command> commands() {
        return commands;
    }

    /**
     * Number of rows, subcommands included.
     *
     * @return one more than the largest {@link Command#id()}
     */
    public int size() {
        return rows.length;
    }

    /**
     * A row by its number.
     *
     * @param id of {@link Command#id()}
     * @return the row
     */
    public Command row(int id) {
        return rows[id];
    }

    /**
     * Finds a command by its name in any case, without garbage.
     *
     * @param buffer that holds the name
     * @param offset first byte of the name
     * @param length bytes of the name
     * @return null if there is none
     */
    public @Nullable Command find(DirectBuffer buffer, int offset, int length) {
        int slot = Names.hash(buffer, offset, length) & mask;
        while (true) {
            Command command = slots[slot];
            if (command == null || Names.equalsIgnoreCase(command.nameBytes(), 0, buffer, offset, length)) {
                return command;
            }
            slot = (slot + 1) & mask;
        }
    }

    /**
     * Finds a command by its name; a subcommand's is {@code container|subcommand}.
     *
     * @param name in any case
     * @return null if there is none
     */
    public @Nullable Command find(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        for (Command command : rows) {
            if (command.name().equals(lower)) {
                return command;
            }
        }
        return null;
    }

    private static CommandTable load() {
        InputStream stream = CommandTable.class.getResourceAsStream(TEXT);
        if (stream == null) {
            throw new IllegalStateException(TEXT + " is missing beside " + CommandTable.class.getName());
        }
        List<CommandRow> rows = new ArrayList<>();
        int number = 0;
        String group = "";
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                if (line.startsWith("[")) {
                    group = line.substring(1, line.indexOf(']'));
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    rows.add(parse(group, line));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            throw new IllegalStateException(TEXT + " line " + number + ": " + e.getMessage(), e);
        }
        return number(rows);
    }

    private static CommandTable number(List<CommandRow> rows) {
        Map<String, List<CommandRow>> subcommands = new HashMap<>();
        for (CommandRow row : rows) {
            int bar = row.name().indexOf('|');
            if (bar >= 0) {
                subcommands
                        .computeIfAbsent(row.name().substring(0, bar), container -> new ArrayList<>())
                        .add(row);
            }
        }
        List<Command> commands = new ArrayList<>();
        List<Command> all = new ArrayList<>();
        for (CommandRow row : rows) {
            if (row.name().indexOf('|') < 0) {
                List<Command> subs = new ArrayList<>();
                for (CommandRow sub : subcommands.getOrDefault(row.name(), List.of())) {
                    Command command = new Command(sub, all.size(), List.of());
                    subs.add(command);
                    all.add(command);
                }
                Command command = new Command(row, all.size(), subs);
                commands.add(command);
                all.add(command);
            }
        }
        return new CommandTable(commands, all);
    }

    private static CommandRow parse(String group, String line) {
        String[] columns = line.split("\\|", -1);
        if (columns.length != 8) {
            throw new IllegalArgumentException(columns.length + " columns instead of 8: " + line);
        }
        for (int i = 0; i < columns.length; i++) {
            columns[i] = columns[i].strip();
        }
        String name = columns[0].replace('/', '|');
        String[] keys = columns[2].equals("-") ? new String[] {"0", "0", "0"} : columns[2].split(" ", -1);
        String constant = name.toUpperCase(Locale.ROOT).replace('|', '_').replace('-', '_');
        int bar = name.indexOf('|');
        String by = columns[4];
        return new CommandRow(
                name,
                group,
                Integer.parseInt(columns[1]),
                flags(columns[5]),
                Integer.parseInt(keys[0]),
                Integer.parseInt(keys[1]),
                Integer.parseInt(keys[2]),
                Split.valueOf(columns[3].toUpperCase(Locale.ROOT)),
                by.equals("store")
                        ? KvOp.valueOf((bar < 0 ? name : name.substring(0, bar)).toUpperCase(Locale.ROOT))
                        : null,
                by.equals("proxy") ? Local.valueOf(name.endsWith("|help") ? "HELP" : constant) : null,
                columns[6],
                columns[7]);
    }

    private static int flags(String text) {
        int flags = CommandFlags.NONE;
        if (!text.equals("-")) {
            for (String word : text.split(" ", -1)) {
                flags |= CommandFlags.of(word);
            }
        }
        return flags;
    }
}
