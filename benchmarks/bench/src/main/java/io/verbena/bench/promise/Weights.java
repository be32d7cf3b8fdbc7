package io.verbena.bench.promise;

import io.verbena.verification.RunException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The weights of two tenants, and those that replace them in the middle. Written {@code 3:1}, or {@code 3:1-1:3} with a
 * change.
 *
 * @param first of the first tenant
 * @param second of the second tenant
 * @param laterFirst of the first tenant in the second half
 * @param laterSecond of the second tenant in the second half
 */
record Weights(int first, int second, int laterFirst, int laterSecond) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,5}):(\\d{1,5})(?:-(\\d{1,5}):(\\d{1,5}))?");

    static Weights parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new RunException(
                    "weights '" + text + "', expected such as 3:1, or 3:1-1:3 for a change in the middle");
        }
        int a = Integer.parseInt(parts.group(1));
        int b = Integer.parseInt(parts.group(2));
        return parts.group(3) == null
                ? new Weights(a, b, a, b)
                : new Weights(a, b, Integer.parseInt(parts.group(3)), Integer.parseInt(parts.group(4)));
    }

    int of(int tenant) {
        return tenant == 0 ? first : second;
    }

    int later(int tenant) {
        return tenant == 0 ? laterFirst : laterSecond;
    }

    boolean changes() {
        return first != laterFirst || second != laterSecond;
    }

    /** The first tenant's part of the weights that hold at the end. */
    double entitled() {
        return laterFirst / (double) (laterFirst + laterSecond);
    }

    @Override
    public String toString() {
        return first + ":" + second + (changes() ? "-" + laterFirst + ":" + laterSecond : "");
    }
}
