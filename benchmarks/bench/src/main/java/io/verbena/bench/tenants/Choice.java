package io.verbena.bench.tenants;

import io.verbena.nic.arbiter.Discipline;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Enums on the command line: in lower case, with hyphens; {@code all} is every one. */
final class Choice {
    private static final String ALL = "all";

    private Choice() {}

    /** What is named. */
    static <E extends Enum<E>> List<E> of(Class<E> type, List<String> names) {
        List<E> chosen = new ArrayList<>();
        for (String each : names) {
            if (each.equals(ALL)) {
                chosen.addAll(Arrays.asList(type.getEnumConstants()));
            } else {
                chosen.add(of(type, each));
            }
        }
        return chosen;
    }

    /** The one that is named. */
    static <E extends Enum<E>> E of(Class<E> type, String name) {
        for (E each : type.getEnumConstants()) {
            if (name(each).equals(name)) {
                return each;
            }
        }
        throw new RunException("unknown " + type.getSimpleName().toLowerCase(Locale.ROOT) + " '" + name
                + "', expected "
                + Arrays.stream(type.getEnumConstants()).map(Choice::name).collect(Collectors.joining(", ")));
    }

    /** The name on the command line. */
    static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A discipline for people. */
    static String title(Discipline discipline) {
        return name(discipline).replace('-', ' ').replace("palos", "Palos");
    }
}
