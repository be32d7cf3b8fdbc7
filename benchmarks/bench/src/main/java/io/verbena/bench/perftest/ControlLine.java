package io.verbena.bench.perftest;

import io.verbena.verification.RunException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A line on the control connection: a type and fields, {@code phase size=64 qps=2,3}. Not thread-safe.
 */
final class ControlLine {
    private final String type;
    private final Map<String, String> fields = new LinkedHashMap<>();

    ControlLine(String type) {
        this.type = type;
    }

    String type() {
        return type;
    }

    Map<String, String> fields() {
        return fields;
    }

    ControlLine with(String name, Object value) {
        fields.put(name, String.valueOf(value).replace(' ', '\u00a0').replace('\n', '\u00a0'));
        return this;
    }

    String text(String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new RunException("the other side's '" + type + "' has no " + name);
        }
        return value.replace('\u00a0', ' ');
    }

    long number(String name) {
        String value = text(name);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new RunException("the other side's '" + type + "' has " + name + " '" + value + "', no number");
        }
    }

    int[] numbers(String name) {
        String[] words = text(name).split(",", -1);
        int[] values = new int[words.length];
        for (int i = 0; i < words.length; i++) {
            try {
                values[i] = Integer.parseInt(words[i]);
            } catch (NumberFormatException e) {
                throw new RunException("the other side's '" + type + "' has " + name + " '" + words[i] + "'");
            }
        }
        return values;
    }

    String line() {
        StringBuilder line = new StringBuilder(type);
        fields.forEach(
                (name, value) -> line.append(' ').append(name).append('=').append(value));
        return line.append('\n').toString();
    }

    static ControlLine parse(String line) {
        String[] words = line.split(" ", -1);
        ControlLine message = new ControlLine(words[0]);
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals < 1) {
                throw new RunException("the other side is no perftest: it says '" + line + "'");
            }
            message.fields.put(words[i].substring(0, equals), words[i].substring(equals + 1));
        }
        return message;
    }
}
