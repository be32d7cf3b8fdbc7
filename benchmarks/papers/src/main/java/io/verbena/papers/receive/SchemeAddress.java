package io.verbena.papers.receive;

import io.verbena.verification.RunException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Where the other end finds this one: what two ends tell each other before the first message, as objects or as a line
 * of text.
 *
 * @param nicId identity of the NIC
 * @param queuePairs numbers, in the order in which they are connected to the other's
 * @param words what else the other must know; the scheme's own
 */
public record SchemeAddress(long nicId, List<Integer> queuePairs, List<Long> words) {
    /** Copies the lists. */
    public SchemeAddress {
        queuePairs = List.copyOf(queuePairs);
        words = List.copyOf(words);
    }

    static SchemeAddress of(long nicId, List<Integer> queuePairs, long... words) {
        return new SchemeAddress(nicId, queuePairs, LongStream.of(words).boxed().toList());
    }

    /** A word as it was given. */
    long word(int index) {
        return words.get(index);
    }

    /** The line of text. */
    public String toText() {
        String qps = queuePairs.stream().map(String::valueOf).collect(Collectors.joining(","));
        String rest = words.stream().map(String::valueOf).collect(Collectors.joining(","));
        return nicId + ";" + qps + ";" + rest;
    }

    /** Reads what {@link #toText} has written. */
    public static SchemeAddress parse(String text) {
        String[] parts = text.split(";", -1);
        if (parts.length != 3) {
            throw new RunException("address '" + text + "' has " + parts.length + " parts, expected 3");
        }
        try {
            return new SchemeAddress(
                    Long.parseLong(parts[0]),
                    words(parts[1]).map(Integer::valueOf).toList(),
                    words(parts[2]).map(Long::valueOf).toList());
        } catch (NumberFormatException e) {
            throw new RunException("address '" + text + "' is not made of numbers", e);
        }
    }

    private static java.util.stream.Stream<String> words(String part) {
        return part.isEmpty() ? java.util.stream.Stream.empty() : Arrays.stream(part.split(",", -1));
    }
}
