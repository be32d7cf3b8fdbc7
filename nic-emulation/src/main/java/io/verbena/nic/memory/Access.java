package io.verbena.nic.memory;

/**
 * Access flags of a memory region and of a queue pair, with the values of {@code enum ibv_access_flags}
 * (ibv_reg_mr(3)). Local read is implied.
 */
public final class Access {
    /** The owner may write. */
    public static final int LOCAL_WRITE = 1;

    /** Peers may WRITE. */
    public static final int REMOTE_WRITE = 2;

    /** Peers may READ. */
    public static final int REMOTE_READ = 4;

    /** Peers may compare-and-swap and fetch-and-add. */
    public static final int REMOTE_ATOMIC = 8;

    /** Memory windows may be bound to the region. */
    public static final int MW_BIND = 16;

    /** What a peer may be allowed. */
    public static final int REMOTE = REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC;

    /** Every flag but {@link #MW_BIND}. */
    public static final int ALL = LOCAL_WRITE | REMOTE;

    private static final int KNOWN = ALL | MW_BIND;

    private Access() {}

    /**
     * Checks flags for a region: no unknown ones, and REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE.
     *
     * @param access flags
     * @return the same flags
     * @throws IllegalArgumentException if they contradict each other; names them
     */
    public static int checked(int access) {
        if ((access & ~KNOWN) != 0) {
            throw new IllegalArgumentException(
                    "access 0x" + Integer.toHexString(access) + " has flags outside 0x" + Integer.toHexString(KNOWN));
        }
        if ((access & (REMOTE_WRITE | REMOTE_ATOMIC)) != 0 && (access & LOCAL_WRITE) == 0) {
            throw new IllegalArgumentException("access " + describe(access) + " lacks LOCAL_WRITE, which "
                    + ((access & REMOTE_WRITE) != 0 ? "REMOTE_WRITE" : "REMOTE_ATOMIC") + " needs");
        }
        return access;
    }

    /**
     * Spells flags out, for messages.
     *
     * @param access flags
     * @return for example {@code LOCAL_WRITE|REMOTE_READ}; {@code LOCAL_READ} if there are none
     */
    public static String describe(int access) {
        StringBuilder text = new StringBuilder();
        append(text, access, LOCAL_WRITE, "LOCAL_WRITE");
        append(text, access, REMOTE_WRITE, "REMOTE_WRITE");
        append(text, access, REMOTE_READ, "REMOTE_READ");
        append(text, access, REMOTE_ATOMIC, "REMOTE_ATOMIC");
        append(text, access, MW_BIND, "MW_BIND");
        return text.length() == 0 ? "LOCAL_READ" : text.toString();
    }

    private static void append(StringBuilder text, int access, int flag, String name) {
        if ((access & flag) != 0) {
            text.append(text.length() == 0 ? "" : "|").append(name);
        }
    }
}
