package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key that a dead connection may or may not have changed, and all that it can hold: its value when the last answer
 * came, or its value after any of the later commands.
 *
 * @param slot of the key, for its kind
 * @param name of the key
 * @param values what it can hold
 */
record Doubt(Slot slot, String name, List<@Nullable Object> values) {
    /**
     * Gives up the keys that commands may have changed: each slot moves on to another key.
     *
     * @param inDoubt in their order; the model is as before the first
     */
    static List<Doubt> of(List<PlayerRequest> inDoubt) {
        Map<Slot, Doubt> doubts = new LinkedHashMap<>();
        for (PlayerRequest request : inDoubt) {
            for (Slot slot : request.changed()) {
                doubts.computeIfAbsent(slot, key -> new Doubt(key, key.name(), new ArrayList<>(start(key))));
            }
        }
        for (PlayerRequest request : inDoubt) {
            request.outcome().apply();
            for (Slot slot : request.changed()) {
                Doubt doubt = doubts.get(slot);
                if (doubt != null) {
                    doubt.values.add(slot.copy());
                }
            }
        }
        for (Doubt each : doubts.values()) {
            each.slot.moveOn();
        }
        return List.copyOf(doubts.values());
    }

    private static List<@Nullable Object> start(Slot slot) {
        List<@Nullable Object> values = new ArrayList<>();
        values.add(slot.copy());
        return values;
    }

    /** What a reading of the whole key must find. */
    Expected expected() {
        List<Expected> choices = new ArrayList<>();
        for (Object value : values) {
            choices.add(Readings.of(slot, value));
        }
        return Expected.oneOf(choices);
    }
}
