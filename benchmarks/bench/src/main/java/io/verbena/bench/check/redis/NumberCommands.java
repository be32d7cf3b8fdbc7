package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Commands on strings that are numbers or bits, each with what it does to the model. */
final class NumberCommands {
    private static final int BITS = 2000;
    private static final int STEP = 1000;
    private static final double QUARTER = 0.25;

    private final PlayerKeys keys;
    private final SplittableRandom random;

    NumberCommands(PlayerKeys keys, SplittableRandom random) {
        this.keys = keys;
        this.random = random;
    }

    /** Adds one. */
    void add(Batch batch) {
        int choice = random.nextInt(100);
        if (choice < 50) {
            number(batch, keys.any(Kind.NUMBER), choice);
        } else if (choice < 65) {
            real(batch, keys.any(Kind.FLOAT), choice);
        } else {
            bits(batch, keys.any(Kind.BITS), choice);
        }
    }

    private void number(Batch batch, Slot slot, int choice) {
        int by = random.nextInt(2 * STEP) - STEP;
        if (choice < 20) {
            batch.change(slot, "INCR", () -> plus(slot, 1), slot);
        } else if (choice < 26) {
            batch.change(slot, "DECR", () -> plus(slot, -1), slot);
        } else if (choice < 32) {
            batch.change(slot, "INCRBY", () -> plus(slot, by), slot, by);
        } else if (choice < 38) {
            batch.change(slot, "DECRBY", () -> plus(slot, -by), slot, by);
        } else if (choice < 46) {
            batch.add("GET", () -> Expected.bulk(slot.text()), slot);
        } else {
            batch.change(slot, "SET", () -> set(slot, (long) by), slot, by);
        }
    }

    private static Expected plus(Slot slot, long by) {
        long sum = (slot.value() instanceof Long now ? now : 0) + by;
        slot.value(sum);
        return Expected.integer(sum);
    }

    private static Expected set(Slot slot, Object value) {
        slot.set(value);
        return Expected.ok();
    }

    private void real(Batch batch, Slot slot, int choice) {
        double by = QUARTER * (random.nextInt(2 * STEP) - STEP);
        if (choice < 58) {
            batch.change(slot, "INCRBYFLOAT", () -> plusReal(slot, by), slot, Floats.text(by));
        } else if (choice < 63) {
            batch.add("GET", () -> Expected.bulk(slot.text()), slot);
        } else {
            batch.change(slot, "SET", () -> set(slot, by), slot, Floats.text(by));
        }
    }

    private static Expected plusReal(Slot slot, double by) {
        double sum = (slot.value() instanceof Double now ? now : 0) + by;
        slot.value(sum);
        return Expected.bulk(slot.text());
    }

    private void bits(Batch batch, Slot slot, int choice) {
        int offset = random.nextInt(BITS);
        int bit = random.nextInt(2);
        if (choice < 80) {
            batch.change(slot, "SETBIT", () -> setBit(slot, offset, bit), slot, offset, bit);
        } else if (choice < 88) {
            batch.add("GETBIT", () -> Expected.integer(bit(bytes(slot), offset)), slot, offset);
        } else if (choice < 94) {
            batch.add("BITCOUNT", () -> Expected.integer(count(bytes(slot), 0, Integer.MAX_VALUE)), slot);
        } else if (choice < 97) {
            int first = random.nextInt(BITS / 8);
            int last = first + random.nextInt(BITS / 8);
            batch.add("BITCOUNT", () -> Expected.integer(count(bytes(slot), first, last)), slot, first, last);
        } else {
            batch.add("GET", () -> Expected.bulk(slot.text()), slot).replies(BITS / 8);
        }
    }

    private static byte[] bytes(Slot slot) {
        return slot.value() instanceof byte[] now ? now : new byte[0];
    }

    private static int bit(byte[] bytes, int offset) {
        return offset / 8 < bytes.length ? bytes[offset / 8] >> (7 - offset % 8) & 1 : 0;
    }

    private static Expected setBit(Slot slot, int offset, int bit) {
        byte[] before = bytes(slot);
        int old = bit(before, offset);
        byte[] next = Arrays.copyOf(before, Math.max(before.length, offset / 8 + 1));
        int mask = 1 << (7 - offset % 8);
        next[offset / 8] = (byte) (bit == 1 ? next[offset / 8] | mask : next[offset / 8] & ~mask);
        slot.value(next);
        return Expected.integer(old);
    }

    private static long count(byte[] bytes, int first, int last) {
        long sum = 0;
        for (int i = first; i < bytes.length && i <= last; i++) {
            sum += Integer.bitCount(bytes[i] & 0xFF);
        }
        return sum;
    }
}
