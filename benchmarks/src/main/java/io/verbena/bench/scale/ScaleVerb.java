package io.verbena.bench.scale;

import io.verbena.bench.BenchException;
import java.util.Locale;

/** What the queue pairs send. */
enum ScaleVerb {
    /** Appends of inline data to one append queue. */
    APPEND,
    /** SENDs of inline data, each into a receive request of its queue pair. */
    SEND;

    static ScaleVerb of(String name) {
        for (ScaleVerb verb : values()) {
            if (verb.optionName().equals(name)) {
                return verb;
            }
        }
        throw new BenchException("unknown verb '" + name + "', expected append or send");
    }

    String optionName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
