package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The keys of one player: of each kind some that lie on one shard, by a tag, and some that lie anywhere. The first
 * strings may hold large values.
 */
final class PlayerKeys {
    private static final int OF_A_KIND = 6;
    private static final int STRINGS = 16;
    private static final int SMALL_ENOUGH = 64;

    private final Player player;
    private final SplittableRandom random;
    private final int largest;
    private final Map<Kind, List<Slot>> slots = new EnumMap<>(Kind.class);
    private final Map<Kind, List<Slot>> tagged = new EnumMap<>(Kind.class);
    private final List<Slot> all = new ArrayList<>();
    private final Slot large;
    private int largePlanned;
    private boolean onlyTagged;

    /**
     * Creates keys without values.
     *
     * @param largest value of the one key for large values
     */
    PlayerKeys(Player player, int largest) {
        this.player = player;
        this.random = player.random();
        this.largest = largest;
        String stem = player.run().prefix() + player.id();
        for (Kind kind : Kind.values()) {
            List<Slot> anywhere = new ArrayList<>();
            List<Slot> together = new ArrayList<>();
            int count = kind == Kind.STRING ? STRINGS : OF_A_KIND;
            for (int i = 0; i < count; i++) {
                Slot slot = new Slot(stem, i % 2 == 0, all.size(), kind);
                anywhere.add(slot);
                all.add(slot);
                if (slot.tagged()) {
                    together.add(slot);
                }
            }
            slots.put(kind, anywhere);
            tagged.put(kind, together);
        }
        large = new Slot(stem, false, all.size(), Kind.STRING);
        all.add(large);
    }

    /** Until told otherwise, {@link #any} gives keys on one shard alone. */
    void onlyTagged(boolean value) {
        onlyTagged = value;
    }

    boolean onlyTagged() {
        return onlyTagged;
    }

    List<Slot> all() {
        return all;
    }

    /** The key for large values. */
    Slot large() {
        return large;
    }

    int largest() {
        return largest;
    }

    /** The length that was last chosen for the key for large values. */
    int largePlanned() {
        return largePlanned;
    }

    void largePlanned(int length) {
        largePlanned = length;
    }

    Slot any(Kind kind) {
        List<Slot> from = of(kind);
        return from.get(random.nextInt(from.size()));
    }

    /** Any key but the one for large values. */
    Slot any() {
        return any(Kind.values()[random.nextInt(Kind.values().length)]);
    }

    /** Two different keys of one shard. */
    List<Slot> pair(Kind kind) {
        List<Slot> from = tagged.getOrDefault(kind, List.of());
        int first = random.nextInt(from.size());
        int second = (first + 1 + random.nextInt(from.size() - 1)) % from.size();
        return List.of(from.get(first), from.get(second));
    }

    /** Several different keys of a kind. */
    List<Slot> several(Kind kind) {
        List<Slot> from = of(kind);
        int begin = random.nextInt(from.size());
        int count = 1 + random.nextInt(from.size());
        List<Slot> chosen = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chosen.add(from.get((begin + i) % from.size()));
        }
        return chosen;
    }

    private List<Slot> of(Kind kind) {
        return (onlyTagged ? tagged : slots).getOrDefault(kind, List.of());
    }

    /** A new value of a key, mostly small. */
    ValueContent fresh(Slot slot) {
        return player.value(slot.number(), slot.nextVersion(), length());
    }

    /** A new small element of a collection. */
    ValueContent element(Slot slot) {
        return player.value(slot.number(), slot.nextVersion(), random.nextInt(SMALL_ENOUGH));
    }

    /** A name out of few, that tells whose it is. */
    String member(Slot slot) {
        return "c" + player.id() + "k" + slot.number() + "m" + random.nextInt(40);
    }

    private int length() {
        int kind = random.nextInt(100);
        if (kind < 60) {
            return random.nextInt(65);
        }
        if (kind < 90) {
            return random.nextInt(1025);
        }
        return random.nextInt(kind < 99 ? 4097 : 16385);
    }
}
