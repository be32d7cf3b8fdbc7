package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Commands on strings, each with what it does to the model. */
final class StringCommands {
    private static final int MAX_TTL = 10_000_000;
    private static final int MIN_TTL = 1_000_000; // longer than any run
    private static final int MAX_OFFSET = 3000;

    private final PlayerKeys keys;
    private final SplittableRandom random;

    StringCommands(PlayerKeys keys, SplittableRandom random) {
        this.keys = keys;
        this.random = random;
    }

    /** Adds one. */
    void add(Batch batch) {
        Slot slot = keys.any(Kind.STRING);
        int choice = random.nextInt(100);
        if (choice < 20) {
            set(batch, slot);
        } else if (choice < 45) {
            batch.add("GET", () -> Expected.bulk(slot.string()), slot).replies(4096);
        } else if (choice < 70) {
            part(batch, slot, choice);
        } else if (choice < 85) {
            replace(batch, slot, choice);
        } else {
            several(batch, choice < 90);
        }
    }

    private void set(Batch batch, Slot slot) {
        ValueContent value = keys.fresh(slot);
        int seconds = MIN_TTL + random.nextInt(MAX_TTL - MIN_TTL);
        switch (random.nextInt(12)) {
            case 0 -> batch.change(slot, "SET", () -> setIf(slot, value, !slot.exists()), slot, value, "NX");
            case 1 -> batch.change(slot, "SET", () -> setIf(slot, value, slot.exists()), slot, value, "XX");
            case 2 -> batch.change(slot, "SET", () -> setFor(slot, value, seconds), slot, value, "EX", seconds);
            case 3 -> batch.change(slot, "SETEX", () -> setFor(slot, value, seconds), slot, seconds, value);
            case 4 -> batch.change(slot, "PSETEX", () -> setFor(slot, value, seconds), slot, seconds * 1000L, value);
            case 5 -> batch.change(slot, "SET", () -> exchange(slot, value), slot, value, "GET");
            default -> batch.change(slot, "SET", () -> setIf(slot, value, true), slot, value);
        }
    }

    private static Expected setIf(Slot slot, ValueContent value, boolean when) {
        if (!when) {
            return Expected.nil();
        }
        slot.set(value);
        return Expected.ok();
    }

    private static Expected setFor(Slot slot, ValueContent value, long seconds) {
        slot.set(value);
        slot.ttl(seconds);
        return Expected.ok();
    }

    private static Expected exchange(Slot slot, @Nullable ValueContent value) {
        ValueContent before = slot.string();
        slot.set(value);
        return Expected.bulk(before);
    }

    private void part(Batch batch, Slot slot, int choice) {
        int offset = random.nextInt(MAX_OFFSET);
        ValueContent piece = keys.element(slot);
        if (choice < 52) {
            batch.add("STRLEN", () -> Expected.integer(length(slot)), slot);
        } else if (choice < 60) {
            int first = random.nextInt(2 * MAX_OFFSET) - MAX_OFFSET;
            int last = random.nextInt(2 * MAX_OFFSET) - MAX_OFFSET;
            batch.add("GETRANGE", () -> Expected.bulk(range(slot, first, last)), slot, first, last)
                    .replies(2048);
        } else if (choice < 66) {
            batch.change(slot, "APPEND", () -> append(slot, piece), slot, piece);
        } else {
            batch.change(slot, "SETRANGE", () -> overwrite(slot, offset, piece), slot, offset, piece);
        }
    }

    private static int length(Slot slot) {
        ValueContent value = slot.string();
        return value == null ? 0 : value.length();
    }

    static ValueContent range(Slot slot, int first, int last) {
        ValueContent value = slot.string();
        int length = length(slot);
        int begin = first < 0 ? Math.max(0, length + first) : first;
        int end = Math.min(length - 1, last < 0 ? Math.max(0, length + last) : last);
        if (value == null || begin > end || (first < 0 && last < 0 && first > last)) {
            return ValueContent.EMPTY;
        }
        return value.slice(begin, end + 1);
    }

    private static Expected append(Slot slot, ValueContent piece) {
        ValueContent value = slot.string();
        ValueContent next = value == null ? piece : value.plus(piece);
        slot.value(next);
        return Expected.integer(next.length());
    }

    static Expected overwrite(Slot slot, int offset, ValueContent piece) {
        ValueContent value = slot.string();
        if (piece.length() == 0) {
            return Expected.integer(length(slot));
        }
        if (offset == 0 && piece.length() >= length(slot)) {
            slot.value(piece);
            return Expected.integer(piece.length());
        }
        byte[] bytes = value == null ? new byte[0] : value.toBytes();
        byte[] next = Arrays.copyOf(bytes, Math.max(bytes.length, offset + piece.length()));
        piece.copyTo(0, next, offset, piece.length());
        slot.value(ValueContent.of(next));
        return Expected.integer(next.length);
    }

    private void replace(Batch batch, Slot slot, int choice) {
        ValueContent value = keys.fresh(slot);
        if (choice < 75) {
            batch.change(slot, "GETSET", () -> exchange(slot, value), slot, value);
        } else if (choice < 80) {
            batch.change(slot, "GETDEL", () -> exchange(slot, null), slot);
        } else {
            batch.change(slot, "SETNX", () -> setNew(slot, value), slot, value);
        }
        batch.replies(4096);
    }

    private static Expected setNew(Slot slot, ValueContent value) {
        if (slot.exists()) {
            return Expected.integer(0);
        }
        slot.set(value);
        return Expected.integer(1);
    }

    private void several(Batch batch, boolean write) {
        List<Slot> slots = keys.several(Kind.STRING);
        if (!write) {
            batch.add(
                            "MGET",
                            () -> Expected.array(slots.stream()
                                    .map(each -> Expected.bulk(each.string()))
                                    .toList()),
                            slots.toArray())
                    .replies(2048L * slots.size());
            return;
        }
        List<Object> arguments = new ArrayList<>();
        List<ValueContent> values = new ArrayList<>();
        for (Slot slot : slots) {
            ValueContent value = keys.element(slot);
            values.add(value);
            arguments.add(slot);
            arguments.add(value);
        }
        batch.change(slots, "MSET", () -> setAll(slots, values), arguments.toArray());
    }

    private static Expected setAll(List<Slot> slots, List<ValueContent> values) {
        for (int i = 0; i < slots.size(); i++) {
            slots.get(i).set(values.get(i));
        }
        return Expected.ok();
    }
}
