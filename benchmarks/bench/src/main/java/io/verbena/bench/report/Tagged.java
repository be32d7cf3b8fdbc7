package io.verbena.bench.report;

import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.Results;
import io.verbena.bench.cores.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Function;

/** What there is of each tag, side by side: {@code near 331 ns, far 771 ns}. */
final class Tagged {
    private Tagged() {}

    /** The texts, each behind its tag's title; empty if no tag has one. */
    static String text(List<Tag> tags, Function<Tag, Optional<String>> text) {
        StringJoiner joined = new StringJoiner(", ");
        for (Tag tag : tags) {
            text.apply(tag).ifPresent(each -> joined.add(behind(tag.title(), each)));
        }
        return joined.toString();
    }

    /** A label with the tag behind it. */
    static String label(String label, Tag tag) {
        return behind(label, tag.title());
    }

    private static String behind(String first, String second) {
        return first.isEmpty() || second.isEmpty() ? first + second : first + " " + second;
    }

    /** How many slices there are: {@code 4 near, 6 far, 1 void}. */
    static String slices(Results results, ComparisonRow row, Contestant contestant) {
        List<Tag> tags = new ArrayList<>(Tag.VALID);
        tags.add(Tag.VOID);
        StringJoiner joined = new StringJoiner(", ");
        for (Tag tag : tags) {
            int count = results.count(row, contestant, tag);
            if (count > 0) {
                joined.add(label(String.valueOf(count), tag));
            }
        }
        return joined.toString();
    }
}
