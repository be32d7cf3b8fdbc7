package io.verbena.bench.trial;

import io.verbena.verification.RunException;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Settings and results as JSON: a line between processes, or a file for people. */
public final class Json {
    private static final JsonMapper LINES = JsonMapper.shared();
    private static final JsonMapper FILES =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private Json() {}

    /** A value in one line. */
    public static String line(Object value) {
        return LINES.writeValueAsString(value);
    }

    /**
     * Reads a value.
     *
     * @throws RunException if it is none; names what was read
     */
    public static <T> T parse(String json, Class<T> type) {
        try {
            return LINES.readValue(json, type);
        } catch (JacksonException e) {
            throw new RunException("cannot read '" + json + "': " + e.getOriginalMessage(), e);
        }
    }

    /**
     * Writes a value into a file, indented.
     *
     * @throws RunException if it cannot be written; names the file
     */
    public static void write(Path file, Object value) {
        try {
            FILES.writeValue(file.toFile(), value);
        } catch (JacksonException e) {
            throw new RunException("cannot write " + file + ": " + e.getOriginalMessage(), e);
        }
    }
}
