package io.verbena.redis;

/**
 * Patterns as Redis has them: {@code *}, {@code ?}, {@code [a-z]}, {@code [^a]}, and a backslash before what is meant
 * literally.
 */
final class Glob {
    private Glob() {}

    static boolean matches(String pattern, String text) {
        return matches(pattern, 0, text, 0);
    }

    private static boolean matches(String pattern, int p, String text, int t) {
        int starPattern = -1;
        int starText = -1;
        while (t < text.length()) {
            int next = p < pattern.length() && pattern.charAt(p) != '*' ? one(pattern, p, text.charAt(t)) : -1;
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                starPattern = ++p;
                starText = t;
            } else if (next > 0) {
                p = next;
                t++;
            } else if (starPattern >= 0) {
                p = starPattern;
                t = ++starText;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    /** Matches one element of the pattern; the position behind it, or -1. */
    private static int one(String pattern, int p, char c) {
        switch (pattern.charAt(p)) {
            case '?':
                return p + 1;
            case '[':
                return charClass(pattern, p + 1, c);
            case '\\':
                int literal = p + 1 < pattern.length() ? p + 1 : p;
                return pattern.charAt(literal) == c ? literal + 1 : -1;
            default:
                return pattern.charAt(p) == c ? p + 1 : -1;
        }
    }

    private static int charClass(String pattern, int start, char c) {
        int p = start;
        boolean negated = p < pattern.length() && pattern.charAt(p) == '^';
        if (negated) {
            p++;
        }
        boolean found = false;
        while (p < pattern.length() && pattern.charAt(p) != ']') {
            if (pattern.charAt(p) == '\\' && p + 1 < pattern.length()) {
                p++;
                found |= pattern.charAt(p) == c;
            } else if (p + 2 < pattern.length() && pattern.charAt(p + 1) == '-') {
                char low = (char) Math.min(pattern.charAt(p), pattern.charAt(p + 2));
                char high = (char) Math.max(pattern.charAt(p), pattern.charAt(p + 2));
                found |= c >= low && c <= high;
                p += 2;
            } else {
                found |= pattern.charAt(p) == c;
            }
            p++;
        }
        return found == negated ? -1 : Math.min(p + 1, pattern.length());
    }
}
