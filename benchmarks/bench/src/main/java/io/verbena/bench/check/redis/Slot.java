package io.verbena.bench.check.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A key of one player's and the model of its value. */
final class Slot {
    /** Type of a key's value; the key keeps it. */
    enum Kind {
        /** {@link ValueContent}. */
        STRING("string"),
        /** {@link Long} as text. */
        NUMBER("string"),
        /** {@link Double}, a multiple of a quarter, as text. */
        FLOAT("string"),
        /** {@code byte[]}. */
        BITS("string"),
        /** {@code List<Content>}. */
        LIST("list"),
        /** {@code Set<String>}. */
        SET("set"),
        /** {@code Map<String, Content>}. */
        HASH("hash"),
        /** {@code Map<String, Long>}. */
        SORTED_SET("zset");

        private final String type;

        Kind(String type) {
            this.type = type;
        }

        /** What TYPE says. */
        String type() {
            return type;
        }
    }

    /** A key has no time to live. */
    static final long NO_TTL = -1;

    private final int number;
    private final Kind kind;
    private final boolean tagged;
    private final String stem;
    private int generation;
    private int version;
    private @Nullable Object value;
    private long ttl = NO_TTL;

    /**
     * Creates one.
     *
     * @param stem what the key begins with; in braces if tagged
     * @param tagged on one shard with its player's other tagged keys
     * @param number of this player's key
     */
    Slot(String stem, boolean tagged, int number, Kind kind) {
        this.stem = tagged ? "{" + stem + "}" : stem;
        this.tagged = tagged;
        this.number = number;
        this.kind = kind;
    }

    /** The key. */
    String name() {
        return stem + ":k" + number + (generation == 0 ? "" : "g" + generation);
    }

    int number() {
        return number;
    }

    Kind kind() {
        return kind;
    }

    boolean tagged() {
        return tagged;
    }

    /** A version that no value of this key had before. */
    int nextVersion() {
        return ++version;
    }

    @Nullable
    Object value() {
        return value;
    }

    boolean exists() {
        return value != null;
    }

    long ttl() {
        return ttl;
    }

    /** Another value; the time to live stays. */
    void value(@Nullable Object next) {
        value = next;
        if (next == null) {
            ttl = NO_TTL;
        }
    }

    void ttl(long seconds) {
        ttl = seconds;
    }

    /** Another value without a time to live. */
    void set(@Nullable Object next) {
        value(next);
        ttl = NO_TTL;
    }

    @Nullable
    ValueContent string() {
        return (ValueContent) value;
    }

    @SuppressWarnings("unchecked")
    List<ValueContent> list() {
        return value == null ? List.of() : (List<ValueContent>) value;
    }

    @SuppressWarnings("unchecked")
    Set<String> set() {
        return value == null ? Set.of() : (Set<String>) value;
    }

    @SuppressWarnings("unchecked")
    Map<String, ValueContent> hash() {
        return value == null ? Map.of() : (Map<String, ValueContent>) value;
    }

    @SuppressWarnings("unchecked")
    Map<String, Long> scores() {
        return value == null ? Map.of() : (Map<String, Long>) value;
    }

    /** The list, to be changed; made if there is none. */
    List<ValueContent> madeList() {
        make();
        return list();
    }

    /** The set, to be changed; made if there is none. */
    Set<String> madeSet() {
        make();
        return set();
    }

    /** The hash, to be changed; made if there is none. */
    Map<String, ValueContent> madeHash() {
        make();
        return hash();
    }

    /** The sorted set, to be changed; made if there is none. */
    Map<String, Long> madeScores() {
        make();
        return scores();
    }

    private void make() {
        if (value == null) {
            value = switch (kind) {
                case LIST -> new ArrayList<ValueContent>();
                case SET -> new LinkedHashSet<String>();
                case HASH -> new LinkedHashMap<String, ValueContent>();
                case SORTED_SET -> new LinkedHashMap<String, Long>();
                default -> throw new IllegalStateException("no collection: " + kind);
            };
        }
    }

    /** A collection that has become empty is gone. */
    void dropIfEmpty() {
        boolean empty = switch (kind) {
            case LIST -> list().isEmpty();
            case SET -> set().isEmpty();
            case HASH -> hash().isEmpty();
            case SORTED_SET -> scores().isEmpty();
            default -> false;
        };
        if (empty) {
            value(null);
        }
    }

    /** A copy of the value that later changes leave alone. */
    @Nullable
    Object copy() {
        Object now = value;
        if (now == null) {
            return null;
        }
        return switch (kind) {
            case LIST -> new ArrayList<>(list());
            case SET -> new LinkedHashSet<>(set());
            case HASH -> new LinkedHashMap<>(hash());
            case SORTED_SET -> new LinkedHashMap<>(scores());
            case BITS -> ((byte[]) now).clone();
            default -> now;
        };
    }

    /** Becomes another key, which does not exist; the old one is left as it is. */
    void moveOn() {
        generation++;
        set(null);
    }

    /** The value as a reply to GET. */
    @Nullable
    ValueContent text() {
        Object now = value;
        if (now == null) {
            return null;
        }
        return switch (kind) {
            case STRING -> (ValueContent) now;
            case BITS -> ValueContent.of(((byte[]) now).clone());
            case FLOAT -> ValueContent.of(Floats.text((Double) now));
            default -> ValueContent.of(now.toString().getBytes(StandardCharsets.US_ASCII));
        };
    }

    @Override
    public String toString() {
        return name();
    }
}
