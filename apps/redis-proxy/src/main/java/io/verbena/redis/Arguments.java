package io.verbena.redis;

import io.verbena.redis.command.Names;
import io.verbena.redis.resp.RespParser;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of the command that is being executed, where they lie. Reusable; valid during the execution only. The
 * name of the command is argument 0.
 */
final class Arguments {
    private DirectBuffer buffer = new UnsafeBuffer(0, 0);
    private int base;
    private RespParser parser;
    private @Nullable StreamedCommand streamed;

    Arguments(RespParser parser) {
        this.parser = parser;
    }

    /** Shows the command that the parser has just found. */
    Arguments wrap(DirectBuffer source, int offset, RespParser found) {
        buffer = source;
        base = offset;
        parser = found;
        streamed = null;
        return this;
    }

    /** Shows a command whose value is at its shard. */
    Arguments wrap(StreamedCommand command) {
        buffer = command.buffer();
        base = 0;
        streamed = command;
        return this;
    }

    /** The command, if one of its arguments is at its shard already and is empty here. */
    @Nullable
    StreamedCommand streamed() {
        return streamed;
    }

    int count() {
        StreamedCommand command = streamed;
        return command == null ? parser.argumentCount() : command.count();
    }

    DirectBuffer buffer() {
        return buffer;
    }

    int offset(int index) {
        StreamedCommand command = streamed;
        return command == null ? base + parser.argumentOffset(index) : command.offset(index);
    }

    int length(int index) {
        StreamedCommand command = streamed;
        return command == null ? parser.argumentLength(index) : command.length(index);
    }

    /** Tells whether an argument is a word, in any case. */
    boolean is(int index, String lowerCase) {
        return Names.equalsIgnoreCase(lowerCase, buffer, offset(index), length(index));
    }

    /** An argument as bytes; allocates. */
    byte[] bytes(int index) {
        byte[] copy = new byte[length(index)];
        buffer.getBytes(offset(index), copy);
        return copy;
    }

    /** An argument as UTF-8 text; allocates. */
    String text(int index) {
        return new String(bytes(index), StandardCharsets.UTF_8);
    }

    /** An argument as it is to be quoted in an error: its bytes as Latin-1 characters, cut; allocates. */
    String quoted(int index, int maxLength) {
        byte[] copy = new byte[Math.min(length(index), maxLength)];
        buffer.getBytes(offset(index), copy);
        return new String(copy, StandardCharsets.ISO_8859_1);
    }

    /** An argument as a decimal integer, or the given value if it is none. */
    long integer(int index, long otherwise) {
        return RespParser.parseLong(buffer, offset(index), offset(index) + length(index), otherwise);
    }
}
