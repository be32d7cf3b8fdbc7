package io.verbena.papers.drum;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.rate.AdmmSettings;
import io.verbena.rate.Allocation;
import io.verbena.rate.Delivery;
import io.verbena.rate.DualDecomposition;
import io.verbena.rate.ExactHost;
import io.verbena.rate.HostProblem;
import io.verbena.rate.Utility;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Figures 4 and 5: rounds to 99.5 % of the optimum, and the primal residual, at two sizes; and what fails. */
final class ConvergenceFigure extends PaperFigure {
    private static final int ROUNDS = 40;
    private static final int PAPER_ROUNDS = 20;
    private static final int DUAL_ROUNDS = 20_000;
    private static final double LEAST_DRAWN = 1e-7;

    private final int hosts;
    private final int applications;
    private final double[] betas;
    private final double paperResidual;
    private final int referenceRounds;
    private final Solvers solvers;
    private final List<List<String>> rows = new ArrayList<>();

    /**
     * What is judged.
     *
     * @param oneSided how one-sided problems are solved
     * @param twoSided how two-sided ones are
     * @param near how far dual decomposition may be from the optimum to count as there
     */
    private record Solvers(AdmmSettings oneSided, AdmmSettings twoSided, double near) {
        static final Solvers WHOLE = new Solvers(AdmmSettings.ONE_SIDED, AdmmSettings.TWO_SIDED, Trajectory.NEAR);
    }

    private ConvergenceFigure(
            String id, int hosts, int applications, double[] betas, double paperResidual, Solvers solvers) {
        super(id, "Figure " + id + ": convergence with " + hosts + " hosts of " + applications + " applications");
        this.hosts = hosts;
        this.applications = applications;
        this.betas = betas.clone();
        this.paperResidual = paperResidual;
        this.solvers = solvers;
        referenceRounds = hosts > 100 ? 80 : 300;
    }

    static ConvergenceFigure figure4() {
        return new ConvergenceFigure("4", 100, 50, new double[] {0.01, 0.1}, 1, Solvers.WHOLE);
    }

    static ConvergenceFigure figure5() {
        return new ConvergenceFigure("5", 1000, 500, new double[] {0.01}, 10, Solvers.WHOLE);
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                mutation(
                        "one-sided, (7) to (9) as printed",
                        new Solvers(AdmmSettings.AS_PRINTED, AdmmSettings.TWO_SIDED, Trajectory.NEAR)),
                mutation(
                        "two-sided, averages over all hosts as printed",
                        new Solvers(AdmmSettings.ONE_SIDED, AdmmSettings.scalar(1e-3), Trajectory.NEAR)),
                mutation(
                        "dual decomposition is there wherever it is",
                        new Solvers(AdmmSettings.ONE_SIDED, AdmmSettings.TWO_SIDED, Double.POSITIVE_INFINITY)));
    }

    private Mutation mutation(String text, Solvers broken) {
        return new Mutation(text, new ConvergenceFigure(id(), hosts, applications, betas, paperResidual, broken));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int divisor = size == Size.QUICK ? 5 : 1;
        rows.clear();
        FigureReport report = new FigureReport(id(), title())
                .setting("hosts", String.valueOf(hosts / divisor))
                .setting("applications", String.valueOf(applications / divisor))
                .setting("two-sided", "each application sends to " + RandomHosts.PEERS + " peers")
                .setting("rounds", String.valueOf(ROUNDS))
                .setting("seed", String.valueOf(seed));
        PaperPlot plot = new PaperPlot("drum-figure-" + id(), "Gap to the optimum, " + hosts + " hosts", "round", "gap")
                .logarithmicY();
        List<Trajectory> one = new ArrayList<>();
        List<Trajectory> two = new ArrayList<>();
        for (double alpha : new double[] {0.5, 1, 2}) {
            for (double beta : betas) {
                RandomHosts random = new RandomHosts(seed, hosts / divisor, applications / divisor, alpha, beta);
                Trajectory local = OneSided.run(random, solvers.oneSided, Delivery.ALL, ROUNDS);
                TwoSided peers = new TwoSided(random.peers(), referenceRounds);
                Trajectory coupled = peers.run(solvers.twoSided, Delivery.ALL, ROUNDS);
                row("one-sided", random, local, 0);
                row("two-sided", random, coupled, peers.best().gap());
                one.add(local);
                two.add(coupled);
                if (alpha == 1 && beta == betas[0]) {
                    draw(plot, "one-sided", local, 0);
                    draw(plot, "two-sided", coupled, 1);
                    baselines(report, plot, random, peers);
                    dual(report, seed);
                }
            }
        }
        claims(report, "one", "one-sided", one, 8);
        claims(report, "two", "two-sided", two, 15);
        report.table(new DataTable(
                "Rounds until the feasible rates stay within 0.5 % of the optimum, and what is left",
                List.of(
                        "operations",
                        "utility",
                        "rounds",
                        "gap at 10",
                        "gap at 20",
                        "residual at 10",
                        "at 20",
                        "p* is known to"),
                rows));
        report.plot(plot);
        report.note("A gap is of rates that keep all capacities, by the sum of the magnitudes of all utilities and "
                + "latencies; the paper's, by the optimum alone, "
                + "has no meaning where that is about 0, as at alpha = 1.");
        return report;
    }

    private void row(String operations, RandomHosts random, Trajectory run, double known) {
        rows.add(List.of(
                operations,
                random.title(),
                run.roundsText(),
                Numbers.text(run.gap(10)),
                Numbers.text(run.gap(20)),
                Numbers.text(run.residual(10)),
                Numbers.text(run.residual(20)),
                known == 0 ? "1e-12" : Numbers.text(known)));
    }

    private void claims(FigureReport report, String name, String operations, List<Trajectory> runs, int accepted) {
        int most = runs.stream().mapToInt(Trajectory::rounds).max().orElseThrow();
        int least = runs.stream().mapToInt(Trajectory::rounds).min().orElseThrow();
        double residual =
                runs.stream().mapToDouble(run -> run.residual(10)).max().orElseThrow();
        report.claim(Claim.judged(
                id() + ".rounds." + name,
                operations + ": 99.5 % of the optimum for good in fewer than 20 rounds, for each alpha and beta",
                PAPER_ROUNDS,
                "",
                most,
                most < PAPER_ROUNDS,
                "the slowest of the utilities, and of rates that keep all capacities; the fastest needs " + least));
        report.claim(Claim.judged(
                id() + ".accepted." + name,
                operations + ": and in at most " + accepted,
                "",
                most,
                most <= accepted,
                "from " + least + " to " + most
                        + " rounds by utility: where a receiver's completions are exceeded, all "
                        + "that send to it are shrunk until they fit"));
        report.claim(Claim.judged(
                id() + ".residual." + name,
                operations + ": primal residual after 10 rounds, in millions a second",
                paperResidual,
                "",
                residual,
                residual < paperResidual,
                "requests and completions of all hosts together: it grows with the root of their number"));
    }

    /** What fails, at alpha = 1. */
    private void baselines(FigureReport report, PaperPlot plot, RandomHosts random, TwoSided peers) {
        Trajectory printed = OneSided.run(random, AdmmSettings.AS_PRINTED, Delivery.ALL, ROUNDS);
        Trajectory scalar = OneSided.run(random, AdmmSettings.scalar(1e-3), Delivery.ALL, ROUNDS);
        Trajectory averages = peers.run(AdmmSettings.scalar(1e-3), Delivery.ALL, ROUNDS);
        row("(7) to (9) as printed", random, printed, 0);
        row("the same, u += rho (Ax - z)", random, scalar, 0);
        row("(21) to (23) as printed", random, averages, peers.best().gap());
        draw(plot, "as printed", printed, 2);
        draw(plot, "two-sided as printed", averages, 3);
        double growth = printed.residual(PAPER_ROUNDS) / printed.residual(1);
        report.claim(Claim.judged(
                id() + ".printed",
                "(7) to (9) as printed, with rho 1e-3, converge: residual after 20 rounds by that after one",
                "x",
                growth,
                growth < 1 && printed.isNear(),
                "(9) adds z where it has to be subtracted"));
        report.claim(Claim.judged(
                id() + ".scalar",
                "with the sign put right and rho 1e-3, the paper's best of its sweep: rounds",
                PAPER_ROUNDS,
                "",
                scalar.rounds(),
                scalar.isNear(),
                "one penalty for all is far from the curvatures if rates are in Mops: not in " + ROUNDS));
        report.claim(Claim.judged(
                id() + ".averages",
                "two-sided with averages over all hosts, as printed, rho 1e-3: rounds",
                PAPER_ROUNDS,
                "",
                averages.rounds(),
                averages.isNear(),
                "a step is an n-th of what it could be: not in " + ROUNDS));
    }

    /** (1) alone: requests of 500 applications of one host, and nothing said of completions. */
    private void dual(FigureReport report, long seed) {
        HostProblem problem = requestsAlone(seed);
        Allocation exact = new Allocation();
        new ExactHost().solve(problem, exact);
        int slow = dualRounds(new DualDecomposition(problem, 1e-3), exact);
        int never = dualRounds(new DualDecomposition(problem, 0.1), exact);
        report.claim(Claim.judged(
                id() + ".dual",
                "dual decomposition of (1), alpha 2, step 1e-3/sqrt(k), needs more rounds than ADMM's 20",
                "",
                slow,
                slow > PAPER_ROUNDS,
                "it begins near the price"));
        report.claim(Claim.judged(
                id() + ".dual.step",
                "and with a step of 0.1/sqrt(k) it is there within " + DUAL_ROUNDS,
                "",
                never,
                never <= DUAL_ROUNDS,
                "the price jumps across its value"));
    }

    private static HostProblem requestsAlone(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        HostProblem.Builder builder = HostProblem.builder(600e6, 1e9, 0);
        for (int j = 0; j < 500; j++) {
            builder.application(new Utility(2, 1 << random.nextInt(3)), 1);
        }
        return builder.build();
    }

    /** Of the raw iterate, which keeps no capacity. */
    private int dualRounds(DualDecomposition baseline, Allocation exact) {
        int last = 0;
        for (int k = 1; k <= DUAL_ROUNDS; k++) {
            baseline.round();
            if (Math.abs(baseline.objective() - exact.objective()) > solvers.near * exact.magnitude()) {
                last = k;
            }
        }
        return last + 1;
    }

    private static void draw(PaperPlot plot, String label, Trajectory run, int color) {
        plot.line(
                label,
                IntStream.rangeClosed(1, ROUNDS)
                        .mapToObj(round -> (double) round)
                        .toList(),
                run.gaps().stream().map(gap -> Math.max(LEAST_DRAWN, gap)).toList(),
                color);
    }
}
