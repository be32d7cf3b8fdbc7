package io.verbena.redis.resp;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Cursor over a receive buffer that finds the commands in it: RESP arrays of bulk strings, and inline commands with
 * Redis' quoting. It records where each argument lies and copies nothing.
 *
 * <p>Positions are relative to the first byte of the command, so the buffer may move or grow between two calls. A call
 * that finds the command incomplete goes on where it stopped: bytes seen once are not read again, and the middle of a
 * bulk string is not read at all.
 *
 * <p>A command that is larger than the store can keep ({@link RespLimits#maxValue()}) is walked through and thrown away
 * as it arrives: {@link #consumed()} then is positive also when more is needed, and the finished command is reported
 * as {@link #OVERSIZED}.
 *
 * <p>Not thread-safe: one parser a connection. Behaviour and error texts are those of Redis 7.0.
 */
public final class RespParser {
    /**
     * The command is incomplete; {@link #consumed()} bytes may be thrown away, {@link #needed()} more are known to
     * come.
     */
    public static final int NEED_MORE = 0;
    /** A command is complete. */
    public static final int COMMAND = 1;
    /** Nothing to answer was read: an empty line, or an array without elements. */
    public static final int EMPTY = 2;
    /** A command was read whose arguments are too large to be kept; {@link #announced()} tells how large. */
    public static final int OVERSIZED = 3;
    /** The bytes are not RESP; {@link #error()} says why. The connection has to be closed. */
    public static final int ERROR = 4;

    private static final int GO_ON = -1; // with the next step

    private static final int FIRST_ARGUMENTS = 8;
    private static final int KEPT_ARGUMENTS = 1024;

    private static final int START = 0;
    private static final int INLINE = 1;
    private static final int COUNT = 2;
    private static final int LENGTH = 3;
    private static final int BULK = 4;

    private static final long NOT_A_NUMBER = Long.MIN_VALUE;
    private static final long INCOMPLETE = Long.MIN_VALUE + 1;
    private static final long MALFORMED = Long.MIN_VALUE + 2;

    private final RespLimits limits;
    private int[] offsets = new int[FIRST_ARGUMENTS];
    private int[] lengths = new int[FIRST_ARGUMENTS];
    private boolean authenticated = true;

    private int state = START;
    private int cursor;
    private int scanned;
    private int argumentCount;
    private int argumentsLeft;
    private int bulkLength;
    private boolean discarding;
    private long announced;
    private int consumed;
    private String error = "";

    /** Creates a parser; the limits say what clients may announce. */
    public RespParser(RespLimits limits) {
        this.limits = limits;
    }

    /** Sets whether the client has authenticated; before that it may announce less. */
    public void authenticated(boolean authenticated) {
        this.authenticated = authenticated;
    }

    /**
     * Goes on with the command that starts at {@code offset}.
     *
     * @param buffer the received bytes; an inline command is unquoted in place
     * @param offset first byte of the command (after {@link #NEED_MORE}: after the {@link #consumed()} bytes)
     * @param limit end of the received bytes
     * @return {@link #NEED_MORE}, {@link #COMMAND}, {@link #EMPTY}, {@link #OVERSIZED} or {@link #ERROR}
     */
    public int parse(MutableDirectBuffer buffer, int offset, int limit) {
        consumed = 0;
        int available = limit - offset;
        int result = GO_ON;
        while (result == GO_ON) {
            result = switch (state) {
                case START -> parseStart(buffer, offset, available);
                case INLINE -> parseInline(buffer, offset, available);
                case COUNT -> parseCount(buffer, offset, available);
                case LENGTH -> parseLength(buffer, offset, available);
                default -> parseBulk(available);
            };
        }
        return result;
    }

    /** Number of arguments of the command, including its name; at least 1 after {@link #COMMAND}. */
    public int argumentCount() {
        return argumentCount;
    }

    /** Where an argument starts, in bytes from the start of the command; argument 0 is the command's name. */
    public int argumentOffset(int index) {
        return offsets[index];
    }

    /** Bytes of an argument; argument 0 is the command's name. */
    public int argumentLength(int index) {
        return lengths[index];
    }

    /**
     * Bytes at the start that are done with: the whole command, or while more is needed what need not be kept.
     *
     * @return bytes from {@code offset} of the last call
     */
    public int consumed() {
        return consumed;
    }

    /**
     * Least length of the command as far as it is known, to size a buffer by.
     *
     * @return bytes from the start of the command; 0 if unknown
     */
    public int needed() {
        if (discarding || state == START) {
            return 0;
        }
        return state == BULK ? cursor + bulkLength + 2 : cursor;
    }

    /**
     * Bytes that the argument has which is being received, after {@link #NEED_MORE}: those before it are known.
     *
     * @return length; -1 if none is being received that is kept
     */
    public int pendingLength() {
        return state == BULK && !discarding ? bulkLength : -1;
    }

    /**
     * The bytes of the argument that is being received are taken by somebody else. The command so far is forgotten;
     * behind the argument's bytes its parsing goes on, with an empty argument 0 in place of that one.
     *
     * @return bytes from the start of the command to the argument's first
     */
    public int divert() {
        if (pendingLength() < 0) {
            throw new IllegalStateException("no argument is being received");
        }
        int head = cursor;
        cursor = 0;
        scanned = 0;
        argumentCount = 0;
        bulkLength = 0;
        return head;
    }

    /**
     * Bytes that the arguments of the command announced.
     *
     * @return bytes
     */
    public long announced() {
        return announced;
    }

    /**
     * Why the bytes are no RESP, in Redis' words.
     *
     * @return text without the leading {@code ERR Protocol error: }
     */
    public String error() {
        return error;
    }

    /** Lets go of room that an unusually long command needed; call between commands. */
    public void trim() {
        if (offsets.length > KEPT_ARGUMENTS) {
            offsets = new int[FIRST_ARGUMENTS];
            lengths = new int[FIRST_ARGUMENTS];
        }
    }

    // ---- one step each: GO_ON, or the result of parse ---------------------------------------------------------------

    private int parseStart(DirectBuffer buffer, int offset, int available) {
        if (available == 0) {
            return NEED_MORE;
        }
        argumentCount = 0;
        announced = 0;
        discarding = false;
        scanned = 0;
        if (buffer.getByte(offset) == '*') {
            cursor = 1;
            state = COUNT;
        } else {
            cursor = 0;
            state = INLINE;
        }
        return GO_ON;
    }

    private int parseCount(MutableDirectBuffer buffer, int offset, int available) {
        long count = parseLine(buffer, offset, available, false);
        if (count == INCOMPLETE) {
            return needMore();
        }
        if (count == MALFORMED) {
            return ERROR;
        }
        if (count > limits.maxArguments()) {
            return fail("invalid multibulk length");
        }
        if (!authenticated && count > limits.maxArgumentsBeforeAuth()) {
            return fail("unauthenticated multibulk length");
        }
        if (count <= 0) {
            return finish(EMPTY);
        }
        argumentsLeft = (int) count;
        state = LENGTH;
        return GO_ON;
    }

    private int parseLength(MutableDirectBuffer buffer, int offset, int available) {
        long length = parseLine(buffer, offset, available, true);
        if (length == INCOMPLETE) {
            return needMore();
        }
        if (length == MALFORMED) {
            return ERROR;
        }
        if (length < 0 || length > limits.maxBulk()) {
            return fail("invalid bulk length");
        }
        if (!authenticated && length > limits.maxBulkBeforeAuth()) {
            return fail("unauthenticated bulk length");
        }
        bulkLength = (int) length;
        announced += length;
        if (length > limits.maxValue() || announced > limits.maxCommand()) {
            discarding = true;
        }
        state = BULK;
        return GO_ON;
    }

    private int parseBulk(int available) {
        if (discarding) {
            int skip = Math.min(available - cursor, bulkLength + 2);
            cursor += skip;
            bulkLength -= skip;
            // Goes down to -2: the line end behind the bulk counts too.
            if (bulkLength > -2) {
                return needMore();
            }
        } else {
            if (available - cursor < bulkLength + 2) {
                return NEED_MORE;
            }
            addArgument(cursor, bulkLength);
            cursor += bulkLength + 2;
        }
        if (--argumentsLeft == 0) {
            return finish(discarding ? OVERSIZED : COMMAND);
        }
        state = LENGTH;
        return GO_ON;
    }

    private int needMore() {
        if (discarding) {
            consumed = cursor;
            scanned = Math.max(0, scanned - cursor);
            cursor = 0;
        }
        return NEED_MORE;
    }

    private int finish(int result) {
        consumed = cursor;
        state = START;
        return result;
    }

    private int fail(String reason) {
        error = reason;
        state = START;
        return ERROR;
    }

    /**
     * Reads the line at the cursor, a count or the length of a bulk string, and moves the cursor behind it. Redis looks
     * at a line only when its carriage return and one more byte are there; error texts depend on that.
     */
    private long parseLine(MutableDirectBuffer buffer, int offset, int available, boolean bulk) {
        int end = Math.max(scanned, cursor);
        while (end < available && buffer.getByte(offset + end) != '\r') {
            end++;
        }
        scanned = end;
        if (end + 1 >= available) {
            if (end == available && available - cursor > limits.maxInline()) {
                fail(bulk ? "too big bulk count string" : "too big mbulk count string");
                return MALFORMED;
            }
            return INCOMPLETE;
        }
        int start = cursor;
        if (bulk) {
            byte first = buffer.getByte(offset + start++);
            if (first != '$') {
                fail("expected '$', got '" + printable(first) + "'");
                return MALFORMED;
            }
        }
        long value = parseLong(buffer, offset + start, offset + end, NOT_A_NUMBER);
        if (value == NOT_A_NUMBER) {
            fail(bulk ? "invalid bulk length" : "invalid multibulk length");
            return MALFORMED;
        }
        cursor = end + 2;
        scanned = cursor;
        return value;
    }

    private int parseInline(MutableDirectBuffer buffer, int offset, int available) {
        int index = scanned;
        while (index < available && buffer.getByte(offset + index) != '\n') {
            index++;
        }
        if (index == available) {
            scanned = index;
            return available > limits.maxInline() ? fail("too big inline request") : NEED_MORE;
        }
        cursor = index + 1;
        int end = index > 0 && buffer.getByte(offset + index - 1) == '\r' ? index - 1 : index;
        if (!splitInline(buffer, offset, end)) {
            return fail("unbalanced quotes in request");
        }
        return finish(argumentCount == 0 ? EMPTY : COMMAND);
    }

    /**
     * Splits a line into words, unquoting them in place; false if a quote does not close or is not followed by space.
     */
    private boolean splitInline(MutableDirectBuffer buffer, int offset, int end) {
        int in = 0;
        while (true) {
            while (in < end && isSpace(buffer.getByte(offset + in))) {
                in++;
            }
            if (in >= end || buffer.getByte(offset + in) == 0) {
                return true;
            }
            int start = in;
            int out = in;
            byte quote = 0;
            while (true) {
                if (in >= end || buffer.getByte(offset + in) == 0) {
                    if (quote != 0) {
                        return false;
                    }
                    break;
                }
                byte b = buffer.getByte(offset + in);
                if (quote == 0) {
                    if (isSpace(b)) {
                        break;
                    }
                    in++;
                    if (b == '"' || b == '\'') {
                        quote = b;
                    } else {
                        buffer.putByte(offset + out++, b);
                    }
                } else if (b == quote) {
                    in++;
                    if (in < end && !isSpace(buffer.getByte(offset + in))) {
                        return false;
                    }
                    break;
                } else if (b == '\\' && quote == '"' && in + 1 < end) {
                    if (in + 3 < end
                            && buffer.getByte(offset + in + 1) == 'x'
                            && hex(buffer.getByte(offset + in + 2)) >= 0
                            && hex(buffer.getByte(offset + in + 3)) >= 0) {
                        b = (byte) (hex(buffer.getByte(offset + in + 2)) << 4 | hex(buffer.getByte(offset + in + 3)));
                        in += 4;
                    } else {
                        b = unescape(buffer.getByte(offset + in + 1));
                        in += 2;
                    }
                    buffer.putByte(offset + out++, b);
                } else if (b == '\\' && quote == '\'' && in + 1 < end && buffer.getByte(offset + in + 1) == '\'') {
                    in += 2;
                    buffer.putByte(offset + out++, (byte) '\'');
                } else {
                    in++;
                    buffer.putByte(offset + out++, b);
                }
            }
            addArgument(start, out - start);
        }
    }

    private void addArgument(int offset, int length) {
        if (argumentCount == offsets.length) {
            offsets = Arrays.copyOf(offsets, argumentCount * 2);
            lengths = Arrays.copyOf(lengths, argumentCount * 2);
        }
        offsets[argumentCount] = offset;
        lengths[argumentCount++] = length;
    }

    private static char printable(byte b) {
        return b == '\r' || b == '\n' ? ' ' : (char) (b & 0xFF);
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || (b >= '\t' && b <= '\r');
    }

    private static int hex(byte b) {
        if (b >= '0' && b <= '9') {
            return b - '0';
        }
        int lower = b | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    private static byte unescape(byte b) {
        switch (b) {
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'b':
                return '\b';
            case 'a':
                return 7;
            default:
                return b;
        }
    }

    /**
     * Strict decimal as Redis reads it: no plus sign, no leading zero, no space, at most 18 digits.
     *
     * @param buffer that holds the text
     * @param from first byte
     * @param to end of the text
     * @param otherwise what to return if the text is no such number
     * @return the number
     */
    public static long parseLong(DirectBuffer buffer, int from, int to, long otherwise) {
        int index = from;
        boolean negative = index < to && buffer.getByte(index) == '-';
        if (negative) {
            index++;
        }
        int digits = to - index;
        if (digits < 1 || digits > 18) {
            return otherwise;
        }
        byte first = buffer.getByte(index);
        if (first == '0' && (digits > 1 || negative)) {
            return otherwise;
        }
        long value = 0;
        for (; index < to; index++) {
            int digit = buffer.getByte(index) - '0';
            if (digit < 0 || digit > 9) {
                return otherwise;
            }
            value = value * 10 + digit;
        }
        return negative ? -value : value;
    }
}
