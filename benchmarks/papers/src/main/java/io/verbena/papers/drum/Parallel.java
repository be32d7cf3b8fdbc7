package io.verbena.papers.drum;

import io.verbena.rate.HostLoop;
import java.util.stream.IntStream;

/** Work for hosts on all cores. */
final class Parallel {
    private static final int RANGES = 64;

    /** Ranges of hosts, whichever core is free. */
    static final HostLoop BY_HOST = (hosts, work) -> {
        int ranges = Math.min(RANGES, hosts);
        IntStream.range(0, ranges)
                .parallel()
                .forEach(each ->
                        work.run((int) ((long) hosts * each / ranges), (int) ((long) hosts * (each + 1) / ranges)));
    };

    private Parallel() {}
}
