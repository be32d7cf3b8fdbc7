package io.verbena.kv.store;

import java.nio.charset.StandardCharsets;

/**
 * Types of values and their encodings, one byte each in the entry of a key. Names are those of TYPE and OBJECT
 * ENCODING.
 */
final class ValueType {
    /** Any bytes. */
    static final byte STRING = 0;
    /** List of byte strings. */
    static final byte LIST = 1;
    /** Set of byte strings. */
    static final byte SET = 2;
    /** Hash from field to value. */
    static final byte HASH = 3;
    /** Set whose members have a score and are in its order. */
    static final byte SORTED_SET = 4;

    /** String: the value is the number itself. */
    static final byte INT = 0;
    /** String: a block, from a write of up to 44 bytes. */
    static final byte EMBSTR = 1;
    /** String: a block. */
    static final byte RAW = 2;
    /** List: linked nodes of packed elements. */
    static final byte QUICKLIST = 3;
    /** Hash or sorted set: one run of packed elements. */
    static final byte LISTPACK = 4;
    /** Set: sorted array of 64-bit integers. */
    static final byte INTSET = 5;
    /** Set or hash: dictionary. */
    static final byte HASHTABLE = 6;
    /** Sorted set: dictionary and skip list. */
    static final byte SKIPLIST = 7;

    /** Any type: in the {@link Overflow}, which knows the encoding that the value has when it is here. */
    static final byte REMOTE = 8;

    private static final byte[][] TYPE_NAMES = ascii("string", "list", "set", "hash", "zset");
    private static final byte[][] ENCODING_NAMES =
            ascii("int", "embstr", "raw", "quicklist", "listpack", "intset", "hashtable", "skiplist");

    private ValueType() {}

    static byte[] name(byte type) {
        return TYPE_NAMES[type];
    }

    static byte[] encodingName(byte encoding) {
        return ENCODING_NAMES[encoding];
    }

    /** True for the encodings of hashes, sets and sorted sets that keep members in a {@link Dictionary}. */
    static boolean hasDictionary(byte encoding) {
        return encoding == HASHTABLE || encoding == SKIPLIST;
    }

    /** True for the encodings of values that are one block, or none. */
    static boolean isOneBlock(byte encoding) {
        return switch (encoding) {
            case QUICKLIST, HASHTABLE, SKIPLIST -> false;
            default -> true;
        };
    }

    private static byte[][] ascii(String... names) {
        byte[][] bytes = new byte[names.length][];
        for (int i = 0; i < names.length; i++) {
            bytes[i] = names[i].getBytes(StandardCharsets.US_ASCII);
        }
        return bytes;
    }
}
