package io.verbena.file;

import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;

/**
 * How a file is opened, by the rules of {@code java.nio.file}: APPEND implies WRITE, neither implies READ; CREATE,
 * CREATE_NEW and TRUNCATE_EXISTING count for those who write alone. SPARSE says nothing, for every file is.
 *
 * @param isSync whether a write ends once the peers have it: SYNC or DSYNC
 */
record OpenModes(
        boolean reads,
        boolean writes,
        boolean appends,
        boolean truncates,
        boolean creates,
        boolean createsNew,
        boolean isSync,
        boolean deletesOnClose) {
    /** What somebody needs who copies the file. */
    static final OpenModes READ = of(Set.of(StandardOpenOption.READ));

    /**
     * Understands options.
     *
     * @throws UnsupportedOperationException if one is none of Java's own
     * @throws IllegalArgumentException if they contradict each other
     */
    static OpenModes of(Set<? extends OpenOption> options) {
        for (OpenOption each : options) {
            Objects.requireNonNull(each, "option");
            if (!(each instanceof StandardOpenOption || each == LinkOption.NOFOLLOW_LINKS)) {
                throw new UnsupportedOperationException("option " + each);
            }
        }
        boolean appends = options.contains(StandardOpenOption.APPEND);
        boolean writes = appends || options.contains(StandardOpenOption.WRITE);
        boolean reads = options.contains(StandardOpenOption.READ);
        boolean truncates = options.contains(StandardOpenOption.TRUNCATE_EXISTING);
        if (appends && (reads || truncates)) {
            throw new IllegalArgumentException("APPEND with " + (reads ? "READ" : "TRUNCATE_EXISTING"));
        }
        return new OpenModes(
                reads || !writes,
                writes,
                appends,
                writes && truncates,
                writes && options.contains(StandardOpenOption.CREATE),
                writes && options.contains(StandardOpenOption.CREATE_NEW),
                options.contains(StandardOpenOption.SYNC) || options.contains(StandardOpenOption.DSYNC),
                options.contains(StandardOpenOption.DELETE_ON_CLOSE));
    }

    /** Whether a file that is not there is made. */
    boolean mayCreate() {
        return creates || createsNew;
    }
}
