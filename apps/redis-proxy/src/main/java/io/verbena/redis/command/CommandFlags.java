package io.verbena.redis.command;

/** Bits that say what a command does; the names are those that {@code COMMAND INFO} prints. */
public final class CommandFlags {
    /** No flag. */
    public static final int NONE = 0;
    /** May change data. */
    public static final int WRITE = 1;
    /** Only reads. */
    public static final int READONLY = 1 << 1;
    /** May need more memory, and is refused when there is none. */
    public static final int DENYOOM = 1 << 2;
    /** For administrators. */
    public static final int ADMIN = 1 << 3;
    /** Not for scripts. */
    public static final int NOSCRIPT = 1 << 4;
    /** Allowed while data is loaded. */
    public static final int LOADING = 1 << 5;
    /** Allowed on a replica without its master. */
    public static final int STALE = 1 << 6;
    /** Not shown to monitors. */
    public static final int SKIP_MONITOR = 1 << 7;
    /** Not in the slow log. */
    public static final int SKIP_SLOWLOG = 1 << 8;
    /** Takes constant or logarithmic time. */
    public static final int FAST = 1 << 9;
    /** Allowed before the password was given. */
    public static final int NO_AUTH = 1 << 10;
    /** Not while data is loaded in the background. */
    public static final int NO_ASYNC_LOADING = 1 << 11;
    /** Not inside MULTI. */
    public static final int NO_MULTI = 1 << 12;
    /** Its keys depend on its options. */
    public static final int MOVABLEKEYS = 1 << 13;
    /** Allowed while a script runs. */
    public static final int ALLOW_BUSY = 1 << 14;

    /** In the category {@code @dangerous} beyond what the other flags imply; not printed as a flag. */
    public static final int DANGEROUS = 1 << 15;
    /** In the category {@code @keyspace} beyond what its group implies; not printed as a flag. */
    public static final int KEYSPACE = 1 << 16;
    /** In the category {@code @connection} beyond what its group implies; not printed as a flag. */
    public static final int CONNECTION = 1 << 17;
    /** Its reply differs between two servers with the same data; a tip, not printed as a flag. */
    public static final int NONDETERMINISTIC = 1 << 18;
    /** The order of its reply differs between two servers with the same data; a tip, not printed as a flag. */
    public static final int UNORDERED = 1 << 19;

    private static final String[] NAMES = {
        "write",
        "readonly",
        "denyoom",
        "admin",
        "noscript",
        "loading",
        "stale",
        "skip_monitor",
        "skip_slowlog",
        "fast",
        "no_auth",
        "no_async_loading",
        "no_multi",
        "movablekeys",
        "allow_busy",
        "dangerous",
        "keyspace",
        "connection",
        "nondeterministic",
        "unordered"
    };
    private static final int PRINTED = 15;

    private CommandFlags() {}

    /**
     * Name of a printed flag.
     *
     * @param bit number of the bit, 0 to {@link #count()} - 1
     * @return name in lower case
     */
    public static String name(int bit) {
        return NAMES[bit];
    }

    /**
     * Number of flags that are printed; they are the lowest bits.
     *
     * @return count
     */
    public static int count() {
        return PRINTED;
    }

    /**
     * The bit of a name, printed or not.
     *
     * @param name in lower case
     * @return the bit
     */
    static int of(String name) {
        for (int bit = 0; bit < NAMES.length; bit++) {
            if (NAMES[bit].equals(name)) {
                return 1 << bit;
            }
        }
        throw new IllegalArgumentException("unknown flag " + name);
    }
}
