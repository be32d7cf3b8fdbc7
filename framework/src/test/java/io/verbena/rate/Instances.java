package io.verbena.rate;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Problems as the paper draws them: q of 20 to 100 and c of 15 to 50 Mops, a from 0.1 to 1, weights 1, 2 and 4. */
final class Instances {
    static final int APPLICATIONS = 50;

    private Instances() {}

    /** The alphas and betas of all tables. */
    static Stream<Arguments> utilities() {
        return Stream.of(0.5, 1.0, 2.0).flatMap(alpha -> Stream.of(0.01, 0.1).map(beta -> Arguments.of(alpha, beta)));
    }

    static HostProblem host(SplittableRandom random, int applications, double alpha, double beta) {
        HostProblem.Builder builder =
                HostProblem.builder(random.nextDouble(20e6, 100e6), random.nextDouble(15e6, 50e6), beta);
        for (int j = 0; j < applications; j++) {
            builder.application(new Utility(alpha, 1 << random.nextInt(3)), random.nextDouble(0.1, 1));
        }
        return builder.build();
    }

    static List<HostProblem> hosts(long seed, int hosts, double alpha, double beta) {
        return hosts(new SplittableRandom(seed), hosts, APPLICATIONS, alpha, beta);
    }

    private static List<HostProblem> hosts(
            SplittableRandom random, int hosts, int applications, double alpha, double beta) {
        List<HostProblem> list = new ArrayList<>();
        for (int i = 0; i < hosts; i++) {
            list.add(host(random, applications, alpha, beta));
        }
        return list;
    }

    /** Each application sends to three peers, in random parts. */
    static PeerProblem peers(long seed, int hosts, int applications, double alpha, double beta) {
        SplittableRandom random = new SplittableRandom(seed);
        PeerProblem.Builder builder = PeerProblem.builder(hosts(random, hosts, applications, alpha, beta));
        for (int l = 0; l < hosts; l++) {
            for (int j = 0; j < applications; j++) {
                int[] peers = {0, 1 + random.nextInt(hosts - 3), 0};
                peers[0] = peers[1] - 1;
                peers[2] = hosts - 2;
                double[] parts = {random.nextDouble(0.1, 1), random.nextDouble(0.1, 1), random.nextDouble(0.1, 1)};
                double all = parts[0] + parts[1] + parts[2];
                for (int d = 0; d < 3; d++) {
                    builder.flow(l, j, (l + 1 + peers[d]) % hosts, j, parts[d] / all);
                }
            }
        }
        return builder.build();
    }
}
