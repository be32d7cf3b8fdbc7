package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whole values as one command reads them, and what it must find. Static. */
final class Readings {
    private Readings() {}

    /** Adds the command that reads all of a key. */
    static void add(Batch batch, Slot slot, String name, ExpectedReply outcome) {
        switch (slot.kind()) {
            case LIST -> batch.add("LRANGE", outcome, name, 0, -1);
            case SET -> batch.add("SMEMBERS", outcome, name);
            case HASH -> batch.add("HGETALL", outcome, name);
            case SORTED_SET -> batch.add("ZRANGE", outcome, name, 0, -1, "WITHSCORES");
            default -> batch.add("GET", outcome, name);
        }
    }

    /** What that command finds now. */
    static Expected of(Slot slot) {
        return of(slot, slot.value());
    }

    /** What that command finds if the key has a value. */
    static Expected of(Slot slot, @Nullable Object value) {
        Slot other = new Slot("", false, slot.number(), slot.kind());
        other.value(value);
        return switch (slot.kind()) {
            case LIST -> Expected.bulks(other.list());
            case SET -> Expected.members(other.set());
            case HASH -> pairs(other.hash());
            case SORTED_SET -> Expected.flat(ranked(other, true));
            default -> Expected.bulk(other.text());
        };
    }

    /** Fields and values, fields in any order. */
    static Expected pairs(Map<String, ValueContent> fields) {
        Map<String, ValueContent> wanted = new HashMap<>(fields);
        return Expected.when("the fields " + wanted, reply -> {
            if (reply.type() != Reply.ARRAY || reply.items().size() != 2 * wanted.size()) {
                return false;
            }
            Map<String, ValueContent> left = new HashMap<>(wanted);
            for (int i = 0; i < reply.items().size(); i += 2) {
                ValueContent content = left.remove(reply.items().get(i).string());
                if (content == null || !content.isSame(reply.items().get(i + 1).text())) {
                    return false;
                }
            }
            return left.isEmpty();
        });
    }

    /** Members of a sorted set by score and name. */
    static List<Map.Entry<String, Long>> order(Slot slot) {
        List<Map.Entry<String, Long>> entries = new ArrayList<>();
        slot.scores().forEach((member, score) -> entries.add(Map.entry(member, score)));
        entries.sort(Comparator.comparing((Map.Entry<String, Long> e) -> e.getValue())
                .thenComparing(Map.Entry::getKey));
        return entries;
    }

    /** Members of a sorted set in order, with their scores if wanted. */
    static List<String> ranked(Slot slot, boolean withScores) {
        return texts(order(slot), withScores);
    }

    static List<String> texts(List<Map.Entry<String, Long>> entries, boolean withScores) {
        List<String> texts = new ArrayList<>();
        for (Map.Entry<String, Long> each : entries) {
            texts.add(each.getKey());
            if (withScores) {
                texts.add(Long.toString(each.getValue()));
            }
        }
        return texts;
    }
}
