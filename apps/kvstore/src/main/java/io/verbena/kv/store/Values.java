package io.verbena.kv.store;

/**
 * The structures that values are made of, and how to release a value of any type.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class Values {
    /** What {@link #freePart} returns when nothing is left. */
    static final long FREED = -1;

    private final Memory memory;
    private final StringBlock strings;
    private final Reclaimer reclaimer;

    Values(final Memory memory, final Allocator allocator, final Dictionary keys) {
        this.memory = memory;
        this.strings = new StringBlock(memory, allocator);
        this.reclaimer = new Reclaimer(this, keys);
    }

    StringBlock strings() {
        return strings;
    }

    Reclaimer reclaimer() {
        return reclaimer;
    }

    /** Releases the value of a key. */
    void releaseOf(final long entry) {
        release(
                memory.getByte(entry + Keyspace.TYPE),
                memory.getByte(entry + Keyspace.ENCODING),
                memory.getLong(entry + Dictionary.VALUE));
    }

    /** Releases a value. */
    void release(final byte type, final byte encoding, final long value) {
        switch (encoding) {
            case ValueType.INT -> {}
            case ValueType.EMBSTR, ValueType.RAW -> strings.free(value);
            default -> throw new IllegalStateException("type " + type + " encoding " + encoding);
        }
    }

    /** Copies a value; returns the copy. */
    long copy(final byte encoding, final long value) {
        return switch (encoding) {
            case ValueType.INT -> value;
            case ValueType.EMBSTR, ValueType.RAW -> strings.copy(value);
            default -> throw new IllegalStateException("encoding " + encoding);
        };
    }

    /** Bytes that a value takes beside the entry of its key. */
    long footprint(final byte encoding, final long value) {
        return switch (encoding) {
            case ValueType.INT -> 0;
            case ValueType.EMBSTR, ValueType.RAW -> strings.footprint(value);
            default -> throw new IllegalStateException("encoding " + encoding);
        };
    }

    /** Frees a part of a large value; returns how far it has come, or {@link #FREED}. */
    long freePart(final byte encoding, final long address, final long progress) {
        throw new IllegalStateException("encoding " + encoding);
    }
}
