package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/** Commands on lists, each with what it does to the model. */
final class ListCommands {
    private static final int KEPT = 30;

    private final PlayerKeys keys;
    private final SplittableRandom random;

    ListCommands(PlayerKeys keys, SplittableRandom random) {
        this.keys = keys;
        this.random = random;
    }

    /** Adds one. */
    void add(Batch batch) {
        Slot slot = keys.any(Kind.LIST);
        int choice = random.nextInt(100);
        if (choice < 30) {
            push(batch, slot, choice < 15);
        } else if (choice < 55) {
            pop(batch, slot, choice < 42);
        } else if (choice < 80) {
            look(batch, slot, choice);
        } else if (choice < 90) {
            batch.change(slot, "LTRIM", () -> trimmed(slot), slot, 0, KEPT - 1);
        } else {
            ValueContent value = keys.element(slot);
            int index = random.nextInt(KEPT);
            batch.change(slot, "LSET", () -> set(slot, index, value), slot, index, value);
        }
    }

    private void push(Batch batch, Slot slot, boolean left) {
        int count = 1 + random.nextInt(3);
        List<Object> arguments = new ArrayList<>();
        List<ValueContent> values = new ArrayList<>();
        arguments.add(slot);
        for (int i = 0; i < count; i++) {
            ValueContent value = keys.element(slot);
            values.add(value);
            arguments.add(value);
        }
        batch.change(slot, left ? "LPUSH" : "RPUSH", () -> pushed(slot, values, left), arguments.toArray());
    }

    private static Expected pushed(Slot slot, List<ValueContent> values, boolean left) {
        List<ValueContent> list = slot.madeList();
        if (left) {
            List<ValueContent> reversed = new ArrayList<>(values);
            Collections.reverse(reversed);
            list.addAll(0, reversed);
        } else {
            list.addAll(values);
        }
        return Expected.integer(list.size());
    }

    private void pop(Batch batch, Slot slot, boolean left) {
        String command = left ? "LPOP" : "RPOP";
        if (random.nextInt(3) > 0) {
            batch.change(slot, command, () -> popped(slot, left), slot);
            return;
        }
        int count = 1 + random.nextInt(4);
        batch.change(slot, command, () -> popped(slot, left, count), slot, count);
    }

    private static Expected popped(Slot slot, boolean left) {
        if (!slot.exists()) {
            return Expected.nil();
        }
        List<ValueContent> list = slot.madeList();
        ValueContent taken = list.remove(left ? 0 : list.size() - 1);
        slot.dropIfEmpty();
        return Expected.bulk(taken);
    }

    private static Expected popped(Slot slot, boolean left, int count) {
        if (!slot.exists()) {
            return Expected.nil();
        }
        List<ValueContent> list = slot.madeList();
        List<ValueContent> taken = new ArrayList<>();
        for (int i = 0; i < count && !list.isEmpty(); i++) {
            taken.add(list.remove(left ? 0 : list.size() - 1));
        }
        slot.dropIfEmpty();
        return Expected.bulks(taken);
    }

    private void look(Batch batch, Slot slot, int choice) {
        if (choice < 62) {
            batch.add("LLEN", () -> Expected.integer(slot.list().size()), slot);
        } else if (choice < 72) {
            int index = random.nextInt(2 * KEPT) - KEPT;
            batch.add("LINDEX", () -> at(slot, index), slot, index);
        } else {
            int last = random.nextInt(KEPT);
            batch.add("LRANGE", () -> first(slot, last), slot, 0, last).replies(KEPT * 40L);
        }
    }

    private static Expected at(Slot slot, int index) {
        List<ValueContent> list = slot.list();
        int place = index < 0 ? list.size() + index : index;
        return place < 0 || place >= list.size() ? Expected.nil() : Expected.bulk(list.get(place));
    }

    private static Expected first(Slot slot, int last) {
        List<ValueContent> list = slot.list();
        return Expected.bulks(List.copyOf(list.subList(0, Math.min(list.size(), last + 1))));
    }

    private static Expected trimmed(Slot slot) {
        if (slot.exists() && slot.list().size() > KEPT) {
            List<ValueContent> list = slot.madeList();
            list.subList(KEPT, list.size()).clear();
        }
        return Expected.ok();
    }

    private static Expected set(Slot slot, int index, ValueContent value) {
        if (!slot.exists()) {
            return Expected.error("ERR no such key");
        }
        if (index >= slot.list().size()) {
            return Expected.error("ERR index out of range");
        }
        slot.madeList().set(index, value);
        return Expected.ok();
    }
}
