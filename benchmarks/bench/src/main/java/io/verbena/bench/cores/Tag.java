package io.verbena.bench.cores;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;

/** How far two cores were apart while something was measured between them. Figures of different tags do not compare. */
public enum Tag {
    /** A line's round trip took less than {@value #NEAR_BELOW} ns. */
    NEAR("near"),
    /** It took more than {@value #FAR_ABOVE} ns. */
    FAR("far"),
    /** Not pinned, so not probed. */
    UNPINNED(""),
    /** It took something in between, or the cores were moved, or compilers ran: the figures are of no state. */
    VOID("void");

    /** All whose figures count, in the order of tables. */
    public static final List<Tag> VALID = List.of(NEAR, FAR, UNPINNED);

    static final double NEAR_BELOW = 200;
    static final double FAR_ABOVE = 350;

    private final String title;

    Tag(String title) {
        this.title = title;
    }

    /** In tables and in {@code results.json}. */
    @JsonValue
    public String title() {
        return title;
    }

    /** Of one probe: nanoseconds, 0 if it was not pinned. */
    static Tag of(double probe) {
        if (probe <= 0) {
            return UNPINNED;
        }
        return probe < NEAR_BELOW ? NEAR : probe > FAR_ABOVE ? FAR : VOID;
    }

    /** Of the probes before and after. */
    static Tag of(double before, double after) {
        return of(before) == of(after) ? of(before) : VOID;
    }
}
