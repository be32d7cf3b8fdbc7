package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Commands on sorted sets, each with what it does to the model. */
final class SortedSetCommands {
    private static final int SCORES = 50;

    private final PlayerKeys keys;
    private final SplittableRandom random;

    SortedSetCommands(PlayerKeys keys, SplittableRandom random) {
        this.keys = keys;
        this.random = random;
    }

    /** Adds one. */
    void add(Batch batch) {
        Slot slot = keys.any(Kind.SORTED_SET);
        String member = keys.member(slot);
        int choice = random.nextInt(100);
        if (choice < 30) {
            put(batch, slot);
        } else if (choice < 42) {
            batch.change(slot, "ZREM", () -> removed(slot, member), slot, member);
        } else if (choice < 52) {
            int by = random.nextInt(SCORES) - SCORES / 2;
            batch.change(slot, "ZINCRBY", () -> plus(slot, member, by), slot, by, member);
        } else if (choice < 58) {
            batch.change(slot, "ZPOPMIN", () -> popped(slot), slot);
        } else {
            look(batch, slot, member, choice);
        }
    }

    private void put(Batch batch, Slot slot) {
        int count = 1 + random.nextInt(3);
        Map<String, Long> scores = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            scores.put(keys.member(slot), (long) random.nextInt(SCORES));
        }
        List<Object> arguments = new ArrayList<>();
        arguments.add(slot);
        scores.forEach((member, score) -> {
            arguments.add(score);
            arguments.add(member);
        });
        batch.change(slot, "ZADD", () -> stored(slot, scores), arguments.toArray());
    }

    private static Expected stored(Slot slot, Map<String, Long> scores) {
        int sum = 0;
        for (Map.Entry<String, Long> each : scores.entrySet()) {
            sum += slot.madeScores().put(each.getKey(), each.getValue()) == null ? 1 : 0;
        }
        return Expected.integer(sum);
    }

    private static Expected removed(Slot slot, String member) {
        boolean had = slot.scores().containsKey(member);
        if (had) {
            slot.madeScores().remove(member);
            slot.dropIfEmpty();
        }
        return Expected.integer(had ? 1 : 0);
    }

    private static Expected plus(Slot slot, String member, int by) {
        long sum = slot.madeScores().merge(member, (long) by, Long::sum);
        return Expected.score(Long.toString(sum));
    }

    private static Expected popped(Slot slot) {
        if (!slot.exists()) {
            return Expected.flat(List.of());
        }
        Map.Entry<String, Long> first = Readings.order(slot).get(0);
        slot.madeScores().remove(first.getKey());
        slot.dropIfEmpty();
        return Expected.flat(Readings.texts(List.of(first), true));
    }

    private void look(Batch batch, Slot slot, String member, int choice) {
        int from = random.nextInt(SCORES);
        int to = from + random.nextInt(SCORES);
        if (choice < 66) {
            batch.add("ZSCORE", () -> score(slot, member), slot, member);
        } else if (choice < 74) {
            batch.add("ZCARD", () -> Expected.integer(slot.scores().size()), slot);
        } else if (choice < 82) {
            batch.add("ZRANK", () -> rank(slot, member), slot, member);
        } else if (choice < 88) {
            batch.add("ZCOUNT", () -> Expected.integer(within(slot, from, to).size()), slot, from, to);
        } else if (choice < 94) {
            batch.add(
                    "ZRANGEBYSCORE",
                    () -> Expected.flat(Readings.texts(within(slot, from, to), false)),
                    slot,
                    from,
                    to);
        } else {
            batch.add("ZRANGE", () -> Expected.flat(Readings.ranked(slot, true)), slot, 0, -1, "WITHSCORES");
        }
        batch.replies(400);
    }

    private static Expected score(Slot slot, String member) {
        Long score = slot.scores().get(member);
        return score == null ? Expected.nil() : Expected.score(score.toString());
    }

    private static Expected rank(Slot slot, String member) {
        int rank = Readings.ranked(slot, false).indexOf(member);
        return rank < 0 ? Expected.nil() : Expected.integer(rank);
    }

    private static List<Map.Entry<String, Long>> within(Slot slot, long from, long to) {
        return Readings.order(slot).stream()
                .filter(each -> each.getValue() >= from && each.getValue() <= to)
                .toList();
    }
}
