package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds and takes whole replies of RESP2 and RESP3 in a buffer. Looking for the end visits each element once and no
 * byte of a bulk, so that it may be tried again whenever bytes have come. Not thread-safe.
 */
final class ReplyParser {
    /** There is no end yet. */
    static final int INCOMPLETE = -1;

    private static final int MAX_DEPTH = 8;
    private static final int MAX_LINE = 1 << 16;

    private byte[] buffer = {};
    private int at;
    private int end;

    /** The end of the reply that begins at a place, or {@link #INCOMPLETE}. */
    int endOf(byte[] bytes, int from, int to) {
        buffer = bytes;
        at = from;
        end = to;
        return skip(0) ? at : INCOMPLETE;
    }

    /** The end of the line that begins at a place, past its CRLF, or {@link #INCOMPLETE}. */
    int lineEnd(byte[] bytes, int from, int to) {
        buffer = bytes;
        end = to;
        int cr = lineAt(from);
        return cr < 0 ? INCOMPLETE : cr + 2;
    }

    /** The number of a line's text behind its type. */
    long header(byte[] bytes, int from, int to) {
        buffer = bytes;
        end = to;
        return number(from + 1, lineAt(from));
    }

    /** Takes the reply whose end {@link #endOf} has found. */
    Reply take(byte[] bytes, int from, int to) {
        buffer = bytes;
        at = from;
        end = to;
        return take();
    }

    private boolean skip(int depth) {
        if (depth > MAX_DEPTH) {
            throw new MalformedReplyException("nested more than " + MAX_DEPTH + " deep");
        }
        if (at >= end) {
            return false;
        }
        int cr = lineAt(at);
        if (cr < 0) {
            return false;
        }
        char type = (char) buffer[at];
        int first = at + 1;
        at = cr + 2;
        switch (type) {
            case '+', '-', ':', ',', '#', '_', '(':
                return true;
            case '$', '=', '!':
                return skipBulk(number(first, cr));
            case '*', '~', '>', '%':
                long items = number(first, cr) * (type == '%' ? 2 : 1);
                for (long i = 0; i < items; i++) {
                    if (!skip(depth + 1)) {
                        return false;
                    }
                }
                return true;
            default:
                throw new MalformedReplyException(
                        "no type of reply: " + Text.of(Arrays.copyOfRange(buffer, first - 1, end)));
        }
    }

    private boolean skipBulk(long length) {
        if (length < 0) {
            return true;
        }
        if (at + length + 2 > end) {
            return false;
        }
        at += (int) length;
        if (buffer[at] != '\r' || buffer[at + 1] != '\n') {
            throw new MalformedReplyException("no CRLF behind a bulk of " + length + " bytes, but "
                    + Text.of(Arrays.copyOfRange(buffer, at, Math.min(end, at + Text.SHORT))));
        }
        at += 2;
        return true;
    }

    private Reply take() {
        char type = (char) buffer[at];
        int cr = lineAt(at);
        int first = at + 1;
        at = cr + 2;
        switch (type) {
            case '_':
                return Reply.nil();
            case '(':
                return Reply.of(Reply.INTEGER, Arrays.copyOfRange(buffer, first, cr));
            case '$', '=', '!':
                int length = (int) number(first, cr);
                if (length < 0) {
                    return Reply.nil();
                }
                byte[] bulk = Arrays.copyOfRange(buffer, at, at + length);
                at += length + 2;
                return Reply.of(type == '!' ? Reply.ERROR : Reply.BULK, bulk);
            case '*', '~', '>', '%':
                int count = (int) number(first, cr) * (type == '%' ? 2 : 1);
                if (count < 0) {
                    return Reply.nil();
                }
                List<Reply> items = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    items.add(take());
                }
                return Reply.array(items);
            default:
                return Reply.of(type, Arrays.copyOfRange(buffer, first, cr));
        }
    }

    /** Where the line's CR is, or -1 if its end has not come. */
    private int lineAt(int from) {
        for (int i = from; i < end - 1; i++) {
            if (buffer[i] == '\r') {
                if (buffer[i + 1] != '\n') {
                    throw new MalformedReplyException("CR without LF in a line");
                }
                return i;
            }
            if (i - from > MAX_LINE) {
                throw new MalformedReplyException("a line of more than " + MAX_LINE + " bytes");
            }
        }
        return -1;
    }

    private long number(int from, int cr) {
        boolean negative = from < cr && buffer[from] == '-';
        long value = 0;
        for (int i = negative ? from + 1 : from; i < cr; i++) {
            int digit = buffer[i] - '0';
            if (digit < 0 || digit > 9 || value > Integer.MAX_VALUE) {
                throw new MalformedReplyException("no length: " + Text.of(Arrays.copyOfRange(buffer, from, cr)));
            }
            value = 10 * value + digit;
        }
        return negative ? -value : value;
    }
}
