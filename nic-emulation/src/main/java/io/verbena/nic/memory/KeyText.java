package io.verbena.nic.memory;

/**
 * A key of memory as texts show it. Who knows a key has what it gives access to, so no text holds it whole: the last
 * two hexadecimal digits, which are of its index in the table, tell keys apart well enough.
 */
public final class KeyText {
    private KeyText() {}

    /** A key, but for most of its digits: {@code 0x......2a}. */
    public static String of(int key) {
        return String.format("0x......%02x", key & 0xFF);
    }
}
