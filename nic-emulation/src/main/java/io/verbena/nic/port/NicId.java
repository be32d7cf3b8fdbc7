package io.verbena.nic.port;

import java.util.HexFormat;

/**
 * A NIC's 64-bit identity as texts show it, and as its directory for shared memory is called: 16 hexadecimal digits.
 */
public final class NicId {
    private static final HexFormat HEX = HexFormat.of();

    private NicId() {}

    /** The digits, with leading zeros. */
    public static String text(long nicId) {
        return HEX.toHexDigits(nicId);
    }
}
