package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Commands on sets, each with what it does to the model. */
final class SetCommands {
    private final PlayerKeys keys;
    private final SplittableRandom random;

    SetCommands(PlayerKeys keys, SplittableRandom random) {
        this.keys = keys;
        this.random = random;
    }

    /** Adds one. */
    void add(Batch batch) {
        Slot slot = keys.any(Kind.SET);
        String member = keys.member(slot);
        int choice = random.nextInt(100);
        if (choice < 30) {
            List<String> members = members(slot);
            batch.change(slot, "SADD", () -> added(slot, members), with(slot, members));
        } else if (choice < 50) {
            List<String> members = members(slot);
            batch.change(slot, "SREM", () -> removed(slot, members), with(slot, members));
        } else if (choice < 65) {
            batch.add("SISMEMBER", () -> Expected.integer(slot.set().contains(member) ? 1 : 0), slot, member);
        } else if (choice < 78) {
            batch.add("SCARD", () -> Expected.integer(slot.set().size()), slot);
        } else if (choice < 88) {
            batch.add("SMEMBERS", () -> Expected.members(List.copyOf(slot.set())), slot)
                    .replies(600);
        } else {
            two(batch, choice < 94);
        }
    }

    private List<String> members(Slot slot) {
        List<String> members = new ArrayList<>();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            members.add(keys.member(slot));
        }
        return members;
    }

    private static Object[] with(Slot slot, List<String> members) {
        List<Object> arguments = new ArrayList<>();
        arguments.add(slot);
        arguments.addAll(members);
        return arguments.toArray();
    }

    private static Expected added(Slot slot, List<String> members) {
        int sum = 0;
        for (String each : members) {
            sum += slot.madeSet().add(each) ? 1 : 0;
        }
        return Expected.integer(sum);
    }

    private static Expected removed(Slot slot, List<String> members) {
        int sum = 0;
        if (slot.exists()) {
            for (String each : members) {
                sum += slot.madeSet().remove(each) ? 1 : 0;
            }
            slot.dropIfEmpty();
        }
        return Expected.integer(sum);
    }

    private void two(Batch batch, boolean common) {
        List<Slot> pair = keys.pair(Kind.SET);
        batch.add(common ? "SINTER" : "SUNION", () -> Expected.members(combined(pair, common)), pair.toArray())
                .replies(1200);
    }

    private static Set<String> combined(List<Slot> pair, boolean common) {
        Set<String> result = new LinkedHashSet<>(pair.get(0).set());
        if (common) {
            result.retainAll(pair.get(1).set());
        } else {
            result.addAll(pair.get(1).set());
        }
        return result;
    }
}
