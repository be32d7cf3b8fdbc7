package io.verbena.kv.protocol;

/** What a value of a reply is; the ordinal is the tag on the wire. Names and meanings are those of RESP3. */
public enum ReplyType {
    /** Nothing. RESP2 writes a null bulk string. */
    NIL,
    /** Nothing where an array was due. RESP2 writes a null array; RESP3 knows only {@link #NIL}. */
    NIL_ARRAY,
    /** A signed 64-bit integer. */
    INTEGER,
    /** Binary-safe bytes. */
    BULK,
    /** A short text such as {@code OK}. */
    STATUS,
    /** An error: its text starts with a code such as {@code ERR} or {@code WRONGTYPE}, without the dash of RESP. */
    ERROR,
    /** The next count values, each with its own descendants. */
    ARRAY,
    /** The next count pairs of key and value. RESP2 writes an array of twice the count. */
    MAP,
    /** The next count values, in no order. RESP2 writes an array. */
    SET,
    /** A 64-bit IEEE 754 number. RESP2 writes a bulk string, see {@link DoubleText}. */
    DOUBLE,
    /** True or false. RESP2 writes the integer 1 or 0. */
    BOOLEAN,
    /** Text that is shown as it is; its bytes start with three characters of format and a colon. */
    VERBATIM,
    /**
     * Text whose bytes stay at the shard, to be read by READ_STREAM: it stands for a BULK. See
     * {@link TransferDescriptor}.
     */
    STREAM,
    /** The whole reply stays at the shard, to be read by READ_STREAM: only as root. See {@link TransferDescriptor}. */
    HELD;

    private static final ReplyType[] BY_TAG = values();

    /** @return the tag on the wire */
    public int tag() {
        return ordinal();
    }

    /** @return true if other values follow that belong to this one */
    public boolean isAggregate() {
        return this == ARRAY || this == MAP || this == SET;
    }

    /** @return true if the value is a run of bytes */
    public boolean isText() {
        return this == BULK || this == STATUS || this == ERROR || this == VERBATIM;
    }

    /** @return true if the bytes stay at the shard */
    public boolean isStream() {
        return this == STREAM || this == HELD;
    }

    /**
     * @param tag from the wire, 0 to 255
     * @return the type
     * @throws ProtocolException if the tag is unknown
     */
    public static ReplyType byTag(int tag) {
        if (tag < 0 || tag >= BY_TAG.length) {
            throw new ProtocolException("reply tag " + tag + " is not in 0 to " + (BY_TAG.length - 1));
        }
        return BY_TAG[tag];
    }
}
