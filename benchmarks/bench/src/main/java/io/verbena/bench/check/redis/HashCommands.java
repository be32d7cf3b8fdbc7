package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Commands on hashes, each with what it does to the model. */
final class HashCommands {
    private static final int FIELDS = 24;
    private static final int NUMBERS = 4;

    private final PlayerKeys keys;
    private final SplittableRandom random;

    HashCommands(PlayerKeys keys, SplittableRandom random) {
        this.keys = keys;
        this.random = random;
    }

    /** Adds one. */
    void add(Batch batch) {
        Slot slot = keys.any(Kind.HASH);
        String field = field();
        int choice = random.nextInt(100);
        if (choice < 30) {
            set(batch, slot);
        } else if (choice < 50) {
            batch.add("HGET", () -> Expected.bulk(slot.hash().get(field)), slot, field);
        } else if (choice < 60) {
            String other = field();
            batch.change(slot, "HDEL", () -> removed(slot, field, other), slot, field, other);
        } else if (choice < 68) {
            batch.add("HLEN", () -> Expected.integer(slot.hash().size()), slot);
        } else if (choice < 75) {
            batch.add("HEXISTS", () -> Expected.integer(slot.hash().containsKey(field) ? 1 : 0), slot, field);
        } else if (choice < 83) {
            String other = field();
            batch.add(
                    "HMGET",
                    () -> Expected.array(List.of(
                            Expected.bulk(slot.hash().get(field)),
                            Expected.bulk(slot.hash().get(other)))),
                    slot,
                    field,
                    other);
        } else if (choice < 90) {
            batch.add("HGETALL", () -> Readings.pairs(slot.hash()), slot).replies(1500);
        } else {
            String number = "n" + random.nextInt(NUMBERS);
            int by = random.nextInt(200) - 100;
            batch.change(slot, "HINCRBY", () -> plus(slot, number, by), slot, number, by);
        }
    }

    private String field() {
        return "f" + random.nextInt(FIELDS);
    }

    private void set(Batch batch, Slot slot) {
        int count = 1 + random.nextInt(3);
        Map<String, ValueContent> fields = new LinkedHashMap<>();
        List<Object> arguments = new ArrayList<>();
        arguments.add(slot);
        for (int i = 0; i < count; i++) {
            String field = field();
            ValueContent value = keys.element(slot);
            if (fields.putIfAbsent(field, value) == null) {
                arguments.add(field);
                arguments.add(value);
            }
        }
        batch.change(slot, "HSET", () -> stored(slot, fields), arguments.toArray());
    }

    private static Expected stored(Slot slot, Map<String, ValueContent> fields) {
        int sum = 0;
        for (Map.Entry<String, ValueContent> each : fields.entrySet()) {
            sum += slot.madeHash().put(each.getKey(), each.getValue()) == null ? 1 : 0;
        }
        return Expected.integer(sum);
    }

    private static Expected removed(Slot slot, String field, String other) {
        int sum = 0;
        if (slot.exists()) {
            sum += slot.madeHash().remove(field) == null ? 0 : 1;
            sum += slot.madeHash().remove(other) == null ? 0 : 1;
            slot.dropIfEmpty();
        }
        return Expected.integer(sum);
    }

    private static Expected plus(Slot slot, String field, int by) {
        ValueContent now = slot.hash().get(field);
        long sum = by + (now == null ? 0 : Long.parseLong(new String(now.toBytes(), StandardCharsets.US_ASCII)));
        slot.madeHash().put(field, ValueContent.of(Long.toString(sum)));
        return Expected.integer(sum);
    }
}
