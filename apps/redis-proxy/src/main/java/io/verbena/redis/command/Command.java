package io.verbena.redis.command;

import io.verbena.kv.protocol.KvOp;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One row of the command table. Immutable; positions count from the name, which is argument 0, as Redis counts them.
 */
public final class Command {
    private final int id;
    private final String name;
    private final byte[] nameBytes;
    private final String group;
    private final int arity;
    private final int flags;
    private final int firstKey;
    private final int lastKey;
    private final int keyStep;
    private final Split split;
    private final @Nullable KvOp op;
    private final @Nullable Local local;
    private final String since;
    private final String summary;
    private final List<Command> subcommands;

    Command(CommandRow row, int id, List<Command> subcommands) {
        this.id = id;
        this.name = row.name();
        this.nameBytes = row.name().getBytes(StandardCharsets.US_ASCII);
        this.group = row.group();
        this.arity = row.arity();
        this.flags = row.flags();
        this.firstKey = row.firstKey();
        this.lastKey = row.lastKey();
        this.keyStep = row.keyStep();
        this.split = row.split();
        this.op = row.op();
        this.local = row.local();
        this.since = row.since();
        this.summary = row.summary();
        this.subcommands = List.copyOf(subcommands);
    }

    /**
     * Number of the row, subcommands included.
     *
     * @return 0 to {@link CommandTable#size()} - 1
     */
    public int id() {
        return id;
    }

    /**
     * Name in lower case; a subcommand's is {@code container|subcommand}.
     *
     * @return name
     */
    public String name() {
        return name;
    }

    /**
     * The name in the form of the wire.
     *
     * @return bytes, not to be changed
     */
    byte[] nameBytes() {
        return nameBytes;
    }

    /**
     * Kind of command, as Redis documents it: {@code string}, {@code generic}, ...
     *
     * @return name of the group
     */
    public String group() {
        return group;
    }

    /**
     * Arguments with the name (and the container's): exact if positive, a minimum if negative.
     *
     * @return never 0
     */
    public int arity() {
        return arity;
    }

    /**
     * Tells whether a number of arguments is right.
     *
     * @param count arguments with the name
     * @return true if the command takes that many
     */
    public boolean accepts(int count) {
        return arity > 0 ? count == arity : count >= -arity;
    }

    /**
     * Bits of {@link CommandFlags}.
     *
     * @return bits
     */
    public int flags() {
        return flags;
    }

    /**
     * Tells whether a flag is set.
     *
     * @param flag of {@link CommandFlags}
     * @return true if it is set
     */
    public boolean is(int flag) {
        return (flags & flag) != 0;
    }

    /**
     * Position of the first key.
     *
     * @return 0 if there is no key
     */
    public int firstKey() {
        return firstKey;
    }

    /**
     * Position of the last key; -1 is the last argument.
     *
     * @return 0 if there is no key
     */
    public int lastKey() {
        return lastKey;
    }

    /**
     * Position of the last key in a command.
     *
     * @param count arguments with the name
     * @return 0 if there is no key
     */
    public int lastKey(int count) {
        return lastKey < 0 ? count + lastKey : lastKey;
    }

    /**
     * Distance between two keys.
     *
     * @return 0 if there is no key
     */
    public int keyStep() {
        return keyStep;
    }

    /**
     * How the command is spread over shards.
     *
     * @return the way
     */
    public Split split() {
        return split;
    }

    /**
     * The store's operation that executes it.
     *
     * @return null if the proxy answers
     */
    public @Nullable KvOp op() {
        return op;
    }

    /**
     * What in the proxy executes it.
     *
     * @return null if the store answers or if it only contains subcommands
     */
    public @Nullable Local local() {
        return local;
    }

    /**
     * Version of Redis that brought the command.
     *
     * @return version
     */
    public String since() {
        return since;
    }

    /**
     * What the command does, in a line.
     *
     * @return text
     */
    public String summary() {
        return summary;
    }

    /**
     * The subcommands, in the order of the table.
     *
     * @return empty if it is no container
     */
    public List<Command> subcommands() {
        return subcommands;
    }

    /**
     * Finds a subcommand by its name in any case, without garbage.
     *
     * @param buffer that holds the name
     * @param offset first byte of the name
     * @param length bytes of the name
     * @return null if there is none
     */
    public @Nullable Command subcommand(DirectBuffer buffer, int offset, int length) {
        for (int i = 0; i < subcommands.size(); i++) {
            Command sub = subcommands.get(i);
            if (Names.equalsIgnoreCase(sub.nameBytes, nameBytes.length + 1, buffer, offset, length)) {
                return sub;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return name;
    }
}
