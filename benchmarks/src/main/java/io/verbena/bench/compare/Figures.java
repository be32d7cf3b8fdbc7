package io.verbena.bench.compare;

import io.verbena.bench.BenchException;
import java.util.Locale;

/**
 * What one run has measured.
 *
 * @param main microseconds of the median round trip, or millions of messages a second
 * @param tail microseconds of the 99th percentile; 0 for a rate
 * @param count messages
 */
record Figures(double main, double tail, long count) {
    private static final String WORD = "figures";

    String line() {
        return String.format(Locale.ROOT, "%s %.4f %.4f %d", WORD, main, tail, count);
    }

    static Figures parse(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 4 || !words[0].equals(WORD)) {
            throw new BenchException("a run printed '" + line + "', no figures");
        }
        return new Figures(Double.parseDouble(words[1]), Double.parseDouble(words[2]), Long.parseLong(words[3]));
    }
}
