package io.verbena.redis.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes RESP values, in the form of the client's version of the protocol, into a buffer that is then sent as it is.
 *
 * <p>The writer takes a buffer from the allocator when it needs one and gives it away with {@link #take()}. It writes
 * through a view of that buffer, so that a byte costs one bounds check and a text one copy.
 *
 * <p>Not thread-safe: one writer belongs to one connection or one unfinished reply.
 */
public final class RespWriter {
    private static final int FIRST_CAPACITY = 1024;
    /** Room for a type byte, a number and two line ends. */
    private static final int HEAD_ROOM = 32;

    private static final byte[] OK = ascii("+OK\r\n");
    private static final byte[] PONG = ascii("+PONG\r\n");
    private static final byte[] NIL_BULK = ascii("$-1\r\n");
    private static final byte[] NIL_ARRAY = ascii("*-1\r\n");
    private static final byte[] NULL = ascii("_\r\n");
    private static final byte[] TRUE = ascii("#t\r\n");
    private static final byte[] FALSE = ascii("#f\r\n");
    private static final short CRLF = '\r' | '\n' << 8;

    private final ByteBufAllocator allocator;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private @Nullable ByteBuf buffer;
    private int position;
    /** What was given away of the buffer, up to a body. */
    private int start;

    private int protocol = 2;

    // Bulk strings whose bytes come from elsewhere, and where they belong.
    private final BodyQueue bodies = new BodyQueue();

    /** Creates a writer without a buffer; it takes its buffers from the allocator. */
    public RespWriter(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /**
     * Chooses the version of the protocol for what is written from now on.
     *
     * @param version 2 or 3
     * @return this
     */
    public RespWriter protocol(int version) {
        protocol = version;
        return this;
    }

    /** Version of the protocol that is written: 2 or 3. */
    public int protocol() {
        return protocol;
    }

    /** Bytes written and not taken. */
    public int length() {
        return position - start;
    }

    /**
     * Gives the bytes away, up to where a {@link #nextBody} belongs; the caller has to release the buffer.
     *
     * @return null if nothing was written
     */
    public @Nullable ByteBuf take() {
        ByteBuf taken = buffer;
        if (taken == null || position == start) {
            return null;
        }
        if (!bodies.isEmpty()) {
            int length = bodies.position() - start;
            if (length == 0) {
                return null;
            }
            ByteBuf first = taken.retainedSlice(start, length);
            start += length;
            return first;
        }
        taken.setIndex(start, position);
        buffer = null;
        view.wrap(0, 0);
        position = 0;
        start = 0;
        return taken;
    }

    /**
     * Gives away the body that belongs behind what {@link #take} has given; what was written after it follows.
     *
     * @return null if there is none
     */
    public @Nullable StreamedBody nextBody() {
        return !bodies.isEmpty() && bodies.position() == start ? bodies.remove() : null;
    }

    /** Number of bodies that were written and not given away. */
    public int bodies() {
        return bodies.size();
    }

    /** Throws away what was written, and the buffer. */
    public void release() {
        bodies.closeBehind(-1);
        if (buffer != null) {
            buffer.release();
            buffer = null;
            view.wrap(0, 0);
        }
        position = 0;
        start = 0;
    }

    /**
     * Throws away what was written, and the buffer too if it is large.
     *
     * @param kept most bytes of a buffer that is kept
     */
    public void clear(int kept) {
        bodies.closeBehind(-1);
        if (view.capacity() > kept || start > 0) {
            release();
        }
        position = 0;
    }

    /**
     * Goes back to an earlier length.
     *
     * @param length earlier result of {@link #length()}, with nothing taken since
     */
    public void truncate(int length) {
        if (length > length()) {
            throw new IllegalArgumentException("length " + length + " > written " + length());
        }
        bodies.closeBehind(start + length);
        position = start + length;
    }

    /**
     * Tells whether the value written at a position is an error.
     *
     * @param at earlier result of {@link #length()}, with nothing taken since
     * @return false also if nothing was written there
     */
    public boolean isErrorAt(int at) {
        return at < length() && view.getByte(start + at) == '-';
    }

    /** Writes the status OK. */
    public void ok() {
        raw(OK);
    }

    /** Writes the status PONG. */
    public void pong() {
        raw(PONG);
    }

    /**
     * Writes a status.
     *
     * @param text ASCII without line ends
     */
    public void status(String text) {
        line((byte) '+', text);
    }

    /**
     * Writes an error. Line ends in the text become spaces, as RESP cannot carry them.
     *
     * @param text code and message, without the dash
     */
    public void error(String text) {
        line((byte) '-', text);
    }

    /**
     * Writes a status or an error from bytes. Line ends in the text become spaces, as RESP cannot carry them.
     *
     * @param type plus or dash
     * @param source of the text
     * @param offset of its first byte
     * @param length in bytes
     */
    public void line(byte type, DirectBuffer source, int offset, int length) {
        ensure(HEAD_ROOM + length);
        view.putByte(position++, type);
        for (int i = 0; i < length; i++) {
            byte b = source.getByte(offset + i);
            view.putByte(position++, b == '\r' || b == '\n' ? (byte) ' ' : b);
        }
        lineEnd();
    }

    /** Writes an integer. */
    public void integer(long value) {
        head((byte) ':', value);
    }

    /**
     * Writes a bulk string.
     *
     * @param source of the bytes
     * @param offset of the first byte
     * @param length in bytes
     */
    public void bulk(DirectBuffer source, int offset, int length) {
        text((byte) '$', source, offset, length);
    }

    /** Writes a bulk string of these bytes. */
    public void bulk(byte[] bytes) {
        head((byte) '$', bytes.length);
        raw(bytes);
        ensure(2);
        lineEnd();
    }

    /** Writes a text in UTF-8 as a bulk string. */
    public void bulk(String text) {
        bulk(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes a bulk string whose bytes come later, see {@link #nextBody}.
     *
     * @param body to be closed by this writer if it is not given away
     */
    public void bulk(StreamedBody body) {
        head((byte) '$', body.length());
        bodies.add(position, body);
        ensure(2);
        lineEnd();
    }

    /** Writes nothing, in place of a bulk string. */
    public void nil() {
        raw(protocol >= 3 ? NULL : NIL_BULK);
    }

    /** Writes nothing, in place of an array. */
    public void nilArray() {
        raw(protocol >= 3 ? NULL : NIL_ARRAY);
    }

    /**
     * Begins an array; its elements follow.
     *
     * @param count elements
     */
    public void array(int count) {
        head((byte) '*', count);
    }

    /**
     * Begins a map; keys and values follow in turn. RESP2 has an array of twice the count.
     *
     * @param pairs keys
     */
    public void map(int pairs) {
        if (protocol >= 3) {
            head((byte) '%', pairs);
        } else {
            head((byte) '*', 2L * pairs);
        }
    }

    /**
     * Begins a set; its elements follow. RESP2 has an array.
     *
     * @param count elements
     */
    public void set(int count) {
        head(protocol >= 3 ? (byte) '~' : (byte) '*', count);
    }

    /**
     * Begins a push message; its elements follow. RESP2 has an array.
     *
     * @param count elements
     */
    public void push(int count) {
        head(protocol >= 3 ? (byte) '>' : (byte) '*', count);
    }

    /**
     * Writes true or false. RESP2 has the integers 1 and 0.
     *
     * @param value to write
     */
    public void bool(boolean value) {
        if (protocol >= 3) {
            raw(value ? TRUE : FALSE);
        } else {
            integer(value ? 1 : 0);
        }
    }

    /**
     * Writes a number from its text. RESP2 has a bulk string.
     *
     * @param source of the text
     * @param offset of its first byte
     * @param length in bytes
     */
    public void number(DirectBuffer source, int offset, int length) {
        if (protocol >= 3) {
            ensure(HEAD_ROOM + length);
            view.putByte(position++, (byte) ',');
            view.putBytes(position, source, offset, length);
            position += length;
            lineEnd();
        } else {
            bulk(source, offset, length);
        }
    }

    /**
     * Writes text that is to be shown as it is. RESP2 has a bulk string.
     *
     * @param text sent in UTF-8
     */
    public void verbatim(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (protocol >= 3) {
            head((byte) '=', bytes.length + 4L);
            raw(ascii("txt:"));
            raw(bytes);
            ensure(2);
            lineEnd();
        } else {
            bulk(bytes);
        }
    }

    /**
     * Writes text that is to be shown as it is, and starts with three characters of format and a colon. RESP2 has a
     * bulk string without them.
     *
     * @param source of the text
     * @param offset of its first byte
     * @param length in bytes, at least 4
     */
    public void verbatim(DirectBuffer source, int offset, int length) {
        if (protocol >= 3) {
            text((byte) '=', source, offset, length);
        } else {
            text((byte) '$', source, offset + 4, length - 4);
        }
    }

    /**
     * Writes bytes that are RESP already.
     *
     * @param bytes whole values
     */
    public void raw(byte[] bytes) {
        ensure(bytes.length);
        view.putBytes(position, bytes);
        position += bytes.length;
    }

    /**
     * Writes what another writer has written; that one keeps it, but for {@linkplain #nextBody bodies}.
     *
     * @param other writer
     */
    public void raw(RespWriter other) {
        raw(other, 0, other.length());
    }

    /**
     * Writes a part of what another writer has written; that one keeps it, but for {@linkplain #nextBody bodies}.
     *
     * @param other writer
     * @param offset first byte of the part
     * @param length bytes of the part
     */
    public void raw(RespWriter other, int offset, int length) {
        if (offset + length > other.length()) {
            throw new IllegalArgumentException(
                    "offset " + offset + " + length " + length + " > written " + other.length());
        }
        ensure(length);
        view.putBytes(position, other.view, other.start + offset, length);
        if (!other.bodies.isEmpty()) {
            bodies.takeFrom(other.bodies, other.start + offset, length, position);
        }
        position += length;
    }

    private void text(byte type, DirectBuffer source, int offset, int length) {
        ensure(HEAD_ROOM + length);
        view.putByte(position++, type);
        decimal(length);
        lineEnd();
        view.putBytes(position, source, offset, length);
        position += length;
        lineEnd();
    }

    private void line(byte type, String text) {
        int length = text.length();
        ensure(HEAD_ROOM + length);
        view.putByte(position++, type);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            // Texts that quote what a client sent hold its bytes as Latin-1 characters.
            view.putByte(position++, c == '\r' || c == '\n' ? (byte) ' ' : (byte) c);
        }
        lineEnd();
    }

    private void head(byte type, long number) {
        ensure(HEAD_ROOM);
        view.putByte(position++, type);
        decimal(number);
        lineEnd();
    }

    private void decimal(long value) {
        if (value >= 0 && value < 10) {
            view.putByte(position++, (byte) ('0' + value));
        } else {
            position += view.putLongAscii(position, value);
        }
    }

    private void lineEnd() {
        view.putShort(position, CRLF, ByteOrder.LITTLE_ENDIAN);
        position += 2;
    }

    private void ensure(int room) {
        if (view.capacity() - position < room) {
            grow(room);
        }
    }

    private void grow(int room) {
        long wanted = Math.max((long) position + room, Math.min(2L * view.capacity(), Integer.MAX_VALUE - 64));
        if ((long) position + room > Integer.MAX_VALUE - 64) {
            throw new IllegalStateException(
                    "reply of " + ((long) position + room) + " bytes > maximum " + (Integer.MAX_VALUE - 64));
        }
        int capacity = (int) Math.max(FIRST_CAPACITY, wanted);
        ByteBuf larger = allocator.directBuffer(capacity, capacity);
        ByteBuf old = buffer;
        if (old != null) {
            larger.setBytes(0, old, start, position - start);
            old.release();
            position -= start;
            bodies.shift(start);
            start = 0;
        }
        ByteBuffer nio = larger.internalNioBuffer(0, capacity);
        view.wrap(nio, nio.position(), capacity);
        buffer = larger;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
