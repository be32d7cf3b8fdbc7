package io.verbena.kv.store;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Glob patterns of KEYS and SCAN: {@code *}, {@code ?}, {@code [a-z]}, {@code [^a]} and the backslash. Takes time
 * proportional to pattern times text at worst: on a mismatch only the last star is tried again. Stateless.
 */
final class GlobPattern {
    private GlobPattern() {}

    static boolean matches(
            UnsafeBuffer pattern,
            int patternOffset,
            int patternLength,
            UnsafeBuffer text,
            int textOffset,
            int textLength) {
        int patternEnd = patternOffset + patternLength;
        int textEnd = textOffset + textLength;
        int p = patternOffset;
        int t = textOffset;
        int afterStar = -1;
        int starText = 0;
        while (t < textEnd) {
            if (p < patternEnd) {
                if (pattern.getByte(p) == '*') {
                    afterStar = ++p;
                    starText = t;
                    continue;
                }
                int next = matchOne(pattern, p, patternEnd, text.getByte(t));
                if (next >= 0) {
                    p = next;
                    t++;
                    continue;
                }
            }
            if (afterStar < 0) {
                return false;
            }
            p = afterStar;
            t = ++starText;
        }
        while (p < patternEnd && pattern.getByte(p) == '*') {
            p++;
        }
        return p == patternEnd;
    }

    /** Position behind the pattern's element at p if it matches the byte, else -1. */
    private static int matchOne(UnsafeBuffer pattern, int p, int end, byte character) {
        byte element = pattern.getByte(p);
        if (element == '?') {
            return p + 1;
        }
        if (element == '[') {
            return matchClass(pattern, p + 1, end, character & 0xff);
        }
        if (element == '\\' && p + 1 < end) {
            return pattern.getByte(p + 1) == character ? p + 2 : -1;
        }
        return element == character ? p + 1 : -1;
    }

    private static int matchClass(UnsafeBuffer pattern, int start, int end, int character) {
        int p = start;
        boolean negated = p < end && pattern.getByte(p) == '^';
        if (negated) {
            p++;
        }
        boolean found = false;
        // A class that is not closed ends with the pattern.
        while (p < end && pattern.getByte(p) != ']') {
            int first = pattern.getByte(p) & 0xff;
            if (first == '\\' && p + 1 < end) {
                p++;
                found |= (pattern.getByte(p) & 0xff) == character;
            } else if (p + 2 < end && pattern.getByte(p + 1) == '-') {
                int last = pattern.getByte(p + 2) & 0xff;
                found |= character >= Math.min(first, last) && character <= Math.max(first, last);
                p += 2;
            } else {
                found |= first == character;
            }
            p++;
        }
        if (found == negated) {
            return -1;
        }
        return Math.min(p + 1, end);
    }
}
