package io.verbena.papers.drum;

import io.verbena.rate.AdmmSettings;
import io.verbena.rate.Allocation;
import io.verbena.rate.Delivery;
import io.verbena.rate.ExactHost;
import io.verbena.rate.HostProblem;
import io.verbena.rate.HostSolver;
import java.util.ArrayList;
import java.util.List;

/** One-sided problems, a host at a time, in rounds of {@link HostSolver} against {@link ExactHost}. */
final class OneSided {
    private OneSided() {}

    /**
     * Runs.
     *
     * @param hosts whose problems
     * @param settings how
     * @param delivery which reports and answers arrive; the coordinator has the number of no host
     * @param rounds how many
     */
    static Trajectory run(RandomHosts hosts, AdmmSettings settings, Delivery delivery, int rounds) {
        double[][] objective = new double[hosts.hosts()][rounds];
        double[][] residual = new double[hosts.hosts()][rounds];
        double[] best = new double[hosts.hosts()];
        double[] magnitude = new double[hosts.hosts()];
        Parallel.BY_HOST.forAll(hosts.hosts(), (from, to) -> {
            ExactHost exact = new ExactHost();
            Allocation answer = new Allocation();
            for (int i = from; i < to; i++) {
                HostProblem problem = hosts.host(i);
                exact.solve(problem, answer);
                best[i] = answer.objective();
                magnitude[i] = answer.magnitude();
                HostSolver solver = new HostSolver(settings, problem);
                for (int k = 0; k < rounds; k++) {
                    solver.round(
                            delivery.arrives(k, i, hosts.hosts(), Delivery.REPORT),
                            delivery.arrives(k, hosts.hosts(), i, Delivery.PRICE));
                    solver.current(answer);
                    objective[i][k] = answer.objective();
                    residual[i][k] = solver.primalResidual() * solver.primalResidual();
                }
            }
        });
        List<Double> gaps = new ArrayList<>();
        List<Double> residuals = new ArrayList<>();
        for (int k = 0; k < rounds; k++) {
            double missing = 0;
            double all = 0;
            double length = 0;
            for (int i = 0; i < hosts.hosts(); i++) {
                missing += best[i] - objective[i][k];
                all += magnitude[i];
                length += residual[i][k];
            }
            gaps.add(missing / all);
            residuals.add(Math.sqrt(length));
        }
        return new Trajectory(gaps, residuals);
    }
}
