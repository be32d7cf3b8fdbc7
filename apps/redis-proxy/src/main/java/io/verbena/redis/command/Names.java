package io.verbena.redis.command;

import org.agrona.DirectBuffer;

/** ASCII names on the wire, compared without regard to case and without garbage. */
public final class Names {
    private static final int FNV_OFFSET = 0x811c9dc5;
    private static final int FNV_PRIME = 0x01000193;

    private Names() {}

    /**
     * Hash of a name in any case (FNV-1a over the lower-case bytes).
     *
     * @param buffer that holds the name
     * @param offset first byte
     * @param length bytes
     * @return the same for {@code GET} and {@code get}
     */
    static int hash(DirectBuffer buffer, int offset, int length) {
        int hash = FNV_OFFSET;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ lower(buffer.getByte(offset + i))) * FNV_PRIME;
        }
        return hash ^ (hash >>> 15);
    }

    /**
     * Tells whether a name on the wire is the given one.
     *
     * @param name bytes in lower case
     * @param from first byte of the name in {@code name}
     * @param buffer that holds the other name
     * @param offset first byte
     * @param length bytes
     * @return true if both are the same but for their case
     */
    static boolean equalsIgnoreCase(byte[] name, int from, DirectBuffer buffer, int offset, int length) {
        if (name.length - from != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (lower(buffer.getByte(offset + i)) != name[from + i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Tells whether a word on the wire is the given one.
     *
     * @param name in lower case
     * @param buffer that holds the word
     * @param offset first byte
     * @param length bytes
     * @return true if both are the same but for their case
     */
    public static boolean equalsIgnoreCase(String name, DirectBuffer buffer, int offset, int length) {
        if (name.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (lower(buffer.getByte(offset + i)) != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    static byte lower(byte b) {
        return b >= 'A' && b <= 'Z' ? (byte) (b + ('a' - 'A')) : b;
    }
}
