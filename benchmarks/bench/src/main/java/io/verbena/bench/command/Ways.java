package io.verbena.bench.command;

import io.verbena.bench.path.Waiting;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Ways to wait, by the name that an option's value has. */
final class Ways implements ITypeConverter<Waiting> {
    static final String DEFAULT = "polite";
    static final String DESCRIPTION =
            "How both ends wait: polite (20 us of spinning, then yielding), spin, yield, backoff"
                    + " (Aeron's BackoffIdleStrategy) or default (as the path's own API blocks); default polite.";
    private static final Map<String, Waiting> NAMES = names();

    private static Map<String, Waiting> names() {
        Map<String, Waiting> names = new LinkedHashMap<>();
        names.put(DEFAULT, Waiting.SPIN_THEN_YIELD);
        names.put("spin", Waiting.SPIN);
        names.put("yield", Waiting.YIELD);
        names.put("backoff", Waiting.BACK_OFF);
        names.put("default", Waiting.API);
        return names;
    }

    @Override
    public Waiting convert(String value) {
        @Nullable Waiting found = NAMES.get(value);
        if (found == null) {
            throw new TypeConversionException("'" + value + "' is none of " + String.join(" ", NAMES.keySet()));
        }
        return found;
    }

    /** The name of an option's value. */
    static String name(Waiting waiting) {
        for (Map.Entry<String, Waiting> each : NAMES.entrySet()) {
            if (each.getValue() == waiting) {
                return each.getKey();
            }
        }
        throw new IllegalArgumentException("no name of " + waiting);
    }
}
