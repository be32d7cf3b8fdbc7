package io.verbena.bench.scale;

import io.verbena.verification.RunException;
import java.util.Locale;

/** What the queue pairs send. */
enum ScaleVerb {
    /** Appends of inline data to one append queue. */
    APPEND,
    /** SENDs of inline data, each into a receive request of its queue pair. */
    SEND,
    /** SENDs of inline data into receive requests of a queue that all queue pairs share. */
    SEND_SHARED;

    static ScaleVerb of(String name) {
        for (ScaleVerb verb : values()) {
            if (verb.optionName().equals(name)) {
                return verb;
            }
        }
        throw new RunException("unknown verb '" + name + "', expected append, send or send-shared");
    }

    String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
