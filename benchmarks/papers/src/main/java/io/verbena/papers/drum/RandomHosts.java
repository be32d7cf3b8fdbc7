package io.verbena.papers.drum;

import io.verbena.rate.HostProblem;
import io.verbena.rate.PeerProblem;
import io.verbena.rate.Utility;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Hosts as DRUM draws them (III-E): 20 to 100 million requests and 15 to 50 million completions a second. What it does
 * not print is chosen here: 0.1 to 1 completion a request, weights 1, 2 and 4.
 *
 * @param seed of all chance
 * @param hosts their number
 * @param applications of each
 * @param alpha of all utilities
 * @param beta what latency weighs
 */
record RandomHosts(long seed, int hosts, int applications, double alpha, double beta) {
    /** To how many others an application sends, in random parts. */
    static final int PEERS = 3;

    /** A host; always the same for the same number. */
    HostProblem host(int number) {
        SplittableRandom random = random(number, 0);
        HostProblem.Builder builder =
                HostProblem.builder(random.nextDouble(20e6, 100e6), random.nextDouble(15e6, 50e6), beta);
        Utility[] utilities = {new Utility(alpha, 1), new Utility(alpha, 2), new Utility(alpha, 4)};
        for (int j = 0; j < applications; j++) {
            builder.application(utilities[random.nextInt(3)], random.nextDouble(0.1, 1));
        }
        return builder.build();
    }

    /** All of them, each application sending to the same one at {@link #PEERS} other hosts. */
    PeerProblem peers() {
        List<HostProblem> all = IntStream.range(0, hosts).mapToObj(this::host).toList();
        PeerProblem.Builder builder = PeerProblem.builder(all);
        for (int l = 0; l < hosts; l++) {
            SplittableRandom random = random(l, 1);
            for (int j = 0; j < applications; j++) {
                int[] others = random.ints(1, hosts).distinct().limit(PEERS).toArray();
                double[] parts = random.doubles(PEERS, 0.1, 1).toArray();
                double sum = parts[0] + parts[1] + parts[2];
                for (int d = 0; d < PEERS; d++) {
                    builder.flow(l, j, (l + others[d]) % hosts, j, parts[d] / sum);
                }
            }
        }
        return builder.build();
    }

    private SplittableRandom random(int number, int purpose) {
        return new SplittableRandom(seed * 1_000_003 + 2L * number + purpose);
    }

    /** For people. */
    String title() {
        return "alpha " + alpha + ", beta " + beta;
    }
}
