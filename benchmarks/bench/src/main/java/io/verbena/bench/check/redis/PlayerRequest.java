package io.verbena.bench.check.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One command: its bytes, generated while they are sent where they are many, and its outcome. */
final class PlayerRequest {
    /** Arguments beyond this are not copied into the command's bytes. */
    private static final int LARGE = 1024;

    private static final int SHOWN_ARGUMENTS = 6;
    private static final byte[] CRLF = {'\r', '\n'};

    private final String command;
    private final Object[] arguments;
    private final ExpectedReply outcome;
    private final List<Slot> changed;
    private final Object[] pieces;
    private final long length;

    /**
     * Creates one.
     *
     * @param command name
     * @param outcome of it
     * @param changed keys that it may change
     * @param arguments behind the name: {@link Slot} for its key, {@link ValueContent}, or anything for its text
     */
    PlayerRequest(String command, ExpectedReply outcome, List<Slot> changed, Object... arguments) {
        this.command = command;
        this.outcome = outcome;
        this.changed = changed;
        this.arguments = new Object[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            // A key may get another name later.
            this.arguments[i] = arguments[i] instanceof Slot slot ? slot.name() : arguments[i];
        }
        List<Object> parts = new ArrayList<>(1);
        Bytes head = new Bytes();
        head.text("*" + (arguments.length + 1));
        head.crlf();
        head.bulk(command.getBytes(StandardCharsets.US_ASCII));
        long sum = 0;
        for (Object each : this.arguments) {
            if (each instanceof ValueContent content && content.length() > LARGE) {
                head.text("$" + content.length());
                head.crlf();
                byte[] before = head.take();
                parts.add(before);
                parts.add(content);
                sum += before.length + content.length();
                head.crlf();
            } else if (each instanceof ValueContent content) {
                head.bulk(content.toBytes());
            } else {
                head.bulk(each.toString().getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        byte[] rest = head.take();
        parts.add(rest);
        this.pieces = parts.toArray();
        this.length = sum + rest.length;
    }

    String command() {
        return command;
    }

    ExpectedReply outcome() {
        return outcome;
    }

    List<Slot> changed() {
        return changed;
    }

    Object[] arguments() {
        return arguments;
    }

    /** Bytes on the wire. */
    long length() {
        return length;
    }

    /**
     * Copies bytes into a buffer.
     *
     * @param position first byte to copy
     * @param into as many as it has room for
     * @return the position behind them
     */
    long copy(long position, ByteBuffer into) {
        long begin = 0;
        long at = position;
        for (Object piece : pieces) {
            int size = piece instanceof ValueContent content ? content.length() : ((byte[]) piece).length;
            if (at < begin + size && into.hasRemaining()) {
                int offset = (int) (at - begin);
                int count = Math.min(size - offset, into.remaining());
                if (piece instanceof ValueContent content) {
                    content.copyTo(offset, into.array(), into.arrayOffset() + into.position(), count);
                    into.position(into.position() + count);
                } else {
                    into.put((byte[]) piece, offset, count);
                }
                at += count;
            }
            begin += size;
        }
        return at;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(command);
        for (int i = 0; i < arguments.length && i < SHOWN_ARGUMENTS; i++) {
            text.append(' ').append(arguments[i]);
        }
        return text + (arguments.length > SHOWN_ARGUMENTS ? " ... (" + arguments.length + " arguments)" : "");
    }

    /** Bytes that grow. */
    private static final class Bytes {
        private byte[] bytes = new byte[64];
        private int length;

        void text(String text) {
            for (int i = 0; i < text.length(); i++) {
                room(1);
                bytes[length++] = (byte) text.charAt(i);
            }
        }

        void crlf() {
            put(CRLF);
        }

        void bulk(byte[] argument) {
            text("$" + argument.length);
            crlf();
            put(argument);
            crlf();
        }

        private void put(byte[] added) {
            room(added.length);
            System.arraycopy(added, 0, bytes, length, added.length);
            length += added.length;
        }

        private void room(int added) {
            if (length + added > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + added));
            }
        }

        byte[] take() {
            byte[] taken = Arrays.copyOf(bytes, length);
            length = 0;
            return taken;
        }
    }
}
