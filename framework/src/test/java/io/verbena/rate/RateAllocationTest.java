package io.verbena.rate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Solvers allocate nothing once they have been running; the odd byte is the JVM's own. */
@Timeout(180)
class RateAllocationTest {
    private static final int ROUNDS = 300;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Allocation answer = new Allocation();

    private void assertAllocatesNothing(Runnable operation) {
        for (int i = 0; i < ROUNDS; i++) {
            operation.run();
        }
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        for (int i = 0; i < ROUNDS; i++) {
            operation.run();
        }
        assertThat(threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before)
                .as("bytes for " + ROUNDS + " rounds")
                .isLessThan(ROUNDS);
    }

    @Test
    void hosts() {
        HostProblem[] problems = Instances.hosts(1, 3, 1, 0.01).toArray(HostProblem[]::new);
        ExactHost host = new ExactHost();
        HostSolver solver = new HostSolver(AdmmSettings.ONE_SIDED, problems[0]);
        ActiveSet set = new ActiveSet(20, 5, 2);
        assertAllocatesNothing(() -> {
            for (HostProblem problem : problems) {
                host.solve(problem, answer);
                set.solve(problem, answer);
                solver.begin(problem);
                solver.round();
                solver.round(false, true);
                solver.round();
                solver.publish(answer);
            }
        });
    }

    @Test
    void hostsThatSendToEachOther() {
        PeerCoupling coupling = new PeerCoupling(AdmmSettings.TWO_SIDED, Instances.peers(1, 5, 10, 2, 0.1));
        Delivery lossy = Delivery.lossy(1, 0.1);
        assertAllocatesNothing(() -> {
            coupling.round(lossy, HostLoop.SEQUENTIAL);
            coupling.publish(answer);
        });
    }
}
