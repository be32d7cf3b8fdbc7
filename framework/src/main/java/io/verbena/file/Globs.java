package io.verbena.file;

import java.nio.file.PathMatcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Patterns for paths, as {@link java.nio.file.FileSystem#getPathMatcher} defines them: {@code glob:} by way of a
 * regular expression, and {@code regex:}. Case counts.
 */
final class Globs {
    private static final String REGEX_SIGNS = "\\.^$|()[]{}+*?";

    private final String glob;
    private final StringBuilder regex = new StringBuilder();
    private int next;

    private Globs(String glob) {
        this.glob = glob;
    }

    static PathMatcher matcher(String syntaxAndPattern) {
        int colon = syntaxAndPattern.indexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException("'" + syntaxAndPattern + "' is not syntax:pattern");
        }
        String text = syntaxAndPattern.substring(colon + 1);
        Pattern pattern = switch (syntaxAndPattern.substring(0, colon).toLowerCase(java.util.Locale.ROOT)) {
            case "glob" -> Pattern.compile(new Globs(text).translate(), Pattern.DOTALL);
            case "regex" -> Pattern.compile(text);
            default ->
                throw new UnsupportedOperationException(
                        "syntax of '" + syntaxAndPattern + "'; there are glob and regex");
        };
        return path -> pattern.matcher(path.toString()).matches();
    }

    private String translate() {
        boolean inGroup = false;
        while (next < glob.length()) {
            char sign = glob.charAt(next++);
            switch (sign) {
                case '*' -> addStars();
                case '?' -> regex.append("[^/]");
                case '[' -> addBracket();
                case '\\' -> addLiteral(escaped());
                case '{' -> {
                    if (inGroup) {
                        throw wrong("a group within a group");
                    }
                    inGroup = true;
                    regex.append("(?:");
                }
                case '}' -> {
                    regex.append(inGroup ? ")" : "}");
                    inGroup = false;
                }
                case ',' -> regex.append(inGroup ? "|" : ",");
                default -> addLiteral(sign);
            }
        }
        if (inGroup) {
            throw wrong("a group without an end");
        }
        return regex.toString();
    }

    private void addStars() {
        boolean crosses = next < glob.length() && glob.charAt(next) == '*';
        next += crosses ? 1 : 0;
        regex.append(crosses ? ".*" : "[^/]*");
    }

    private char escaped() {
        if (next == glob.length()) {
            throw wrong("nothing to escape");
        }
        return glob.charAt(next++);
    }

    private void addLiteral(char sign) {
        regex.append(REGEX_SIGNS.indexOf(sign) < 0 ? "" : "\\").append(sign);
    }

    /** One of a few signs, or none of them; never a slash. Within it only the hyphen and the end mean anything. */
    private void addBracket() {
        regex.append("[[^/]&&[");
        if (next < glob.length() && glob.charAt(next) == '!') {
            regex.append('^');
            next++;
        }
        int first = next;
        while (true) {
            if (next == glob.length()) {
                throw wrong("a bracket without an end");
            }
            char sign = glob.charAt(next++);
            if (sign == ']' && next - 1 > first) {
                break;
            }
            if (sign == '/') {
                throw wrong("a slash in a bracket");
            }
            boolean isRange = sign == '-' && next - 1 > first && next < glob.length() && glob.charAt(next) != ']';
            if (isRange && glob.charAt(next) < glob.charAt(next - 2)) {
                throw wrong("a range that goes down");
            }
            regex.append(isRange || Character.isLetterOrDigit(sign) ? "" : "\\").append(sign);
        }
        regex.append("]]");
    }

    private PatternSyntaxException wrong(String what) {
        return new PatternSyntaxException(what, glob, next - 1);
    }
}
