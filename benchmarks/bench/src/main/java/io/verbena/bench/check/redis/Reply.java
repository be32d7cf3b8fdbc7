package io.verbena.bench.check.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A reply without the differences between the versions of the protocol: all nulls are one, a map is the array of its
 * keys and values, a set or push is an array. Numbers, doubles and booleans keep their text.
 */
final class Reply {
    static final char STATUS = '+';
    static final char ERROR = '-';
    static final char INTEGER = ':';
    static final char BULK = '$';
    static final char ARRAY = '*';
    static final char DOUBLE = ',';
    static final char BOOLEAN = '#';
    static final char NIL = '_';

    private static final int SHOWN_ITEMS = 8;
    private static final byte[] NO_BYTES = {};

    private final char type;
    private final byte[] text;
    private final List<Reply> items;

    private Reply(char type, byte[] text, List<Reply> items) {
        this.type = type;
        this.text = text;
        this.items = items;
    }

    static Reply of(char type, byte[] text) {
        return new Reply(type, text, List.of());
    }

    static Reply nil() {
        return of(NIL, NO_BYTES);
    }

    static Reply array(List<Reply> items) {
        return new Reply(ARRAY, NO_BYTES, items);
    }

    /** One of the constants. */
    char type() {
        return type;
    }

    /** Bytes of what is no array. */
    byte[] text() {
        return text;
    }

    /** Items of an array. */
    List<Reply> items() {
        return items;
    }

    boolean isError() {
        return type == ERROR;
    }

    String string() {
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    @Override
    public String toString() {
        switch (type) {
            case NIL:
                return "nil";
            case BULK:
                return Text.of(text);
            case ARRAY:
                StringBuilder list = new StringBuilder("[");
                for (int i = 0; i < items.size() && i < SHOWN_ITEMS; i++) {
                    list.append(i == 0 ? "" : ", ").append(items.get(i));
                }
                return list + (items.size() > SHOWN_ITEMS ? ", ... (" + items.size() + " items)]" : "]");
            default:
                return type + string();
        }
    }
}
