package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Commands on keys of any type, each with what it does to the model. */
final class KeyCommands {
    private static final int MAX_TTL = 10_000_000;
    private static final int MIN_TTL = 1_000_000; // longer than any run
    /** A run is shorter. */
    private static final long PASSED = TimeUnit.MINUTES.toSeconds(30);

    private final PlayerKeys keys;
    private final SplittableRandom random;

    KeyCommands(PlayerKeys keys, SplittableRandom random) {
        this.keys = keys;
        this.random = random;
    }

    /** Adds one. */
    void add(Batch batch) {
        int choice = random.nextInt(100);
        if (choice < 20) {
            remove(batch, choice < 14 ? "DEL" : "UNLINK");
        } else if (choice < 35) {
            List<Slot> slots = mixed();
            batch.add("EXISTS", () -> Expected.integer(existing(slots)), slots.toArray());
        } else if (choice < 50) {
            Slot slot = keys.any();
            batch.add("TYPE", () -> Expected.status(slot.exists() ? slot.kind().type() : "none"), slot);
        } else if (choice < 62) {
            rename(batch);
        } else if (choice < 92) {
            expiry(batch, keys.any(), choice);
        } else {
            mistaken(batch);
        }
    }

    private List<Slot> mixed() {
        int count = 1 + random.nextInt(6);
        List<Slot> slots = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            slots.add(keys.any());
        }
        return slots;
    }

    private static int existing(List<Slot> slots) {
        int sum = 0;
        for (Slot each : slots) {
            sum += each.exists() ? 1 : 0;
        }
        return sum;
    }

    private void remove(Batch batch, String command) {
        List<Slot> slots = mixed();
        batch.change(slots, command, () -> removed(slots), slots.toArray());
    }

    private static Expected removed(List<Slot> slots) {
        int sum = 0;
        for (Slot each : slots) {
            sum += each.exists() ? 1 : 0;
            each.set(null);
        }
        return Expected.integer(sum);
    }

    private void rename(Batch batch) {
        List<Slot> pair = keys.pair(random.nextBoolean() ? Kind.STRING : Kind.SET);
        Slot from = pair.get(0);
        Slot to = pair.get(1);
        batch.change(pair, "RENAME", () -> renamed(from, to), from, to);
    }

    private static Expected renamed(Slot from, Slot to) {
        if (!from.exists()) {
            return Expected.error("ERR no such key");
        }
        long ttl = from.ttl();
        to.set(from.value());
        to.ttl(ttl);
        from.set(null);
        return Expected.ok();
    }

    private void expiry(Batch batch, Slot slot, int choice) {
        int seconds = MIN_TTL + random.nextInt(MAX_TTL - MIN_TTL);
        if (choice < 68) {
            batch.change(slot, "EXPIRE", () -> expires(slot, seconds), slot, seconds);
        } else if (choice < 74) {
            batch.change(slot, "PEXPIRE", () -> expires(slot, seconds), slot, seconds * 1000L);
        } else if (choice < 80) {
            batch.add("TTL", () -> left(slot, 1), slot);
        } else if (choice < 86) {
            batch.add("PTTL", () -> left(slot, 1000), slot);
        } else {
            batch.change(slot, "PERSIST", () -> persists(slot), slot);
        }
    }

    private static Expected expires(Slot slot, long seconds) {
        if (slot.exists()) {
            slot.ttl(seconds);
        }
        return Expected.integer(slot.exists() ? 1 : 0);
    }

    private static Expected persists(Slot slot) {
        boolean had = slot.ttl() != Slot.NO_TTL;
        slot.ttl(Slot.NO_TTL);
        return Expected.integer(had ? 1 : 0);
    }

    /** What TTL and PTTL say. */
    static Expected left(Slot slot, long unitsPerSecond) {
        if (!slot.exists()) {
            return Expected.integer(-2);
        }
        if (slot.ttl() == Slot.NO_TTL) {
            return Expected.integer(-1);
        }
        return Expected.between(Math.max(0, slot.ttl() - PASSED) * unitsPerSecond, slot.ttl() * unitsPerSecond);
    }

    /** A command for another type. */
    private void mistaken(Batch batch) {
        Slot list = keys.any(Kind.LIST);
        Slot string = keys.any(Kind.STRING);
        switch (random.nextInt(3)) {
            case 0 -> batch.add("GET", () -> wrongType(list, Expected.nil()), list);
            case 1 -> batch.add("LLEN", () -> wrongType(string, Expected.integer(0)), string);
            default -> batch.add("HGET", () -> wrongType(list, Expected.nil()), list, "field");
        }
    }

    private static Expected wrongType(Slot slot, Expected ifAbsent) {
        return slot.exists() ? Expected.error("WRONGTYPE") : ifAbsent;
    }
}
