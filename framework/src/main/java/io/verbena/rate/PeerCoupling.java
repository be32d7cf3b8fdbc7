package io.verbena.rate;

/**
 * The problem of hosts that send to each other, by a proximal Jacobi form of the alternating direction method with
 * prices between hosts: DRUM's algorithm 2, put right. In a round, all hosts at the same time:
 *
 * <pre>
 *   prices       tau = v + sigma (S - z),  S_t = sum_s p_ts x_s      one number to each application that sends here
 *   requests     w x^-alpha - R x + (R x_last - sum_t p_ts tau_t - l k) = 0                    l: sum k x &lt;= q  (21)
 *                R_s = eta sum_t p_ts sigma_t r_t,  r_t = sum_s p_ts
 *   completions  2 beta z^-3 - sigma z + (sigma S + v - m) = 0                                 m: sum z   &lt;= c  (22)
 *                v += sigma (S - z)                                                                             (23)
 * </pre>
 *
 * <p>R majorises the coupling, for it is diagonally dominant; the factor eta below one is faster, and still converges
 * from about 0.8 on. The paper divides by the number n of all hosts, those that send nothing included, so that steps
 * vanish as n grows; with the right signs that is the same code with {@code sigma = rho / n} and n in place of {@code
 * eta r}. (21) lacks the sum over destinations and the capacity, (22) the capacity.
 *
 * <p>A message that is lost is made up for by the last one from the same peer: with sums over peers nobody can wait
 * for all.
 *
 * <p>The three phases of a round may be run by several threads, each for hosts of its own, if all have ended one phase
 * before the next begins: a phase writes what belongs to its hosts, and sums in a fixed order, so that results are the
 * same however hosts are divided. Otherwise not thread-safe. Allocates nothing but at its creation.
 */
public final class PeerCoupling {
    private static final double TOLERANCE = 1e-12;

    private final PeerProblem problem;
    private final AdmmSettings settings;
    private final MultiplierSearch[] requestSearch;
    private final MultiplierSearch[] completionSearch;
    private final BestSoFar best = new BestSoFar();
    final double[] x;
    final double[] z;
    final double[] v;
    private final double[] sum;
    private final double[] penalty;
    private final double[] price;

    /** R of each application, and R x_last less what its peers ask. */
    private final double[] proximal;

    private final double[] pull;
    private final double[] shrink;

    private final Heard heard;

    private final HostLoop.Work pricesPhase = this::prices;
    private final HostLoop.Work requestsPhase = this::requests;
    private final HostLoop.Work completionsPhase = this::completions;
    private Delivery delivery = Delivery.ALL;
    private int rounds;

    /**
     * Begins with z = v = 0 and an equal share for all.
     *
     * @param settings how it is run
     * @param problem what to solve
     */
    public PeerCoupling(AdmmSettings settings, PeerProblem problem) {
        this.settings = settings;
        this.problem = problem;
        int hosts = problem.hosts.length;
        int applications = problem.applications();
        requestSearch = new MultiplierSearch[hosts];
        completionSearch = new MultiplierSearch[hosts];
        x = new double[applications];
        z = new double[applications];
        v = new double[applications];
        sum = new double[applications];
        penalty = new double[applications];
        price = new double[applications];
        proximal = new double[applications];
        pull = new double[applications];
        shrink = new double[hosts];
        heard = new Heard(problem.target.length);
        for (int i = 0; i < hosts; i++) {
            requestSearch[i] = new MultiplierSearch(TOLERANCE);
            completionSearch[i] = new MultiplierSearch(TOLERANCE);
            for (int s = problem.first[i]; s < problem.first[i + 1]; s++) {
                x[s] = problem.equalShare(i);
            }
        }
        initialize(0, hosts);
        best.begin(hosts, applications);
    }

    private void initialize(int from, int to) {
        for (int t = problem.first[from]; t < problem.first[to]; t++) {
            for (int at = problem.fromTarget[t]; at < problem.fromTarget[t + 1]; at++) {
                int link = problem.linkOf[at];
                heard.rate[link] = x[problem.source[link]];
                sum[t] += problem.part[link] * heard.rate[link];
            }
        }
    }

    /**
     * A round of all hosts.
     *
     * @param delivery says which messages arrive
     * @param loop says who works for which hosts
     */
    public void round(Delivery delivery, HostLoop loop) {
        this.delivery = delivery;
        loop.forAll(problem.hosts.length, pricesPhase);
        loop.forAll(problem.hosts.length, requestsPhase);
        loop.forAll(problem.hosts.length, completionsPhase);
        rounds++;
    }

    private void prices(int from, int to) {
        boolean isRefreshed = settings.refreshes(rounds);
        for (int t = problem.first[from]; t < problem.first[to]; t++) {
            if (isRefreshed) {
                penalty[t] = penalty(t);
            }
            price[t] = v[t] + penalty[t] * (sum[t] - z[t]);
        }
    }

    private double penalty(int t) {
        double curvature = 0;
        double polled = 0;
        for (int at = problem.fromTarget[t]; at < problem.fromTarget[t + 1]; at++) {
            int link = problem.linkOf[at];
            int s = problem.source[link];
            int i = problem.hostOf[s];
            HostProblem host = problem.hosts[i];
            int j = s - problem.first[i];
            double rate = AdmmSettings.clip(heard.rate[link], problem.equalShare(i));
            double alpha = host.alpha[j];
            curvature += problem.part[link] * alpha * host.weight[j] * Utility.power(1 / rate, alpha) / rate;
            polled += problem.part[link] * rate;
        }
        double r = problem.received[t];
        double beta = problem.hosts[problem.hostOf[t]].beta;
        return settings.penalty(
                curvature / (r * r * r), 6 * beta / (polled * polled * polled * polled), problem.hosts.length);
    }

    private void requests(int from, int to) {
        for (int l = from; l < to; l++) {
            for (int s = problem.first[l]; s < problem.first[l + 1]; s++) {
                hear(l, s);
            }
            requestStep(l);
        }
    }

    /** Takes the prices that have arrived, and works out what the step of an application depends on. */
    private void hear(int l, int s) {
        double r = 0;
        double asked = 0;
        for (int link = problem.fromSource[s]; link < problem.fromSource[s + 1]; link++) {
            int t = problem.target[link];
            int peer = problem.hostOf[t];
            if (rounds == 0 || peer == l || delivery.arrives(rounds, peer, l, Delivery.PRICE)) {
                heard.price[link] = price[t];
                heard.weight[link] =
                        penalty[t] * settings.majoriser(problem.received[t], problem.part[link], problem.hosts.length);
            }
            r += problem.part[link] * heard.weight[link];
            asked += problem.part[link] * heard.price[link];
        }
        proximal[s] = r;
        pull[s] = r * x[s] - asked;
    }

    private void requestStep(int l) {
        HostProblem host = problem.hosts[l];
        int base = problem.first[l];
        MultiplierSearch search = requestSearch[l];
        boolean more = search.begin(search.price(), host.requests);
        while (more) {
            double used = 0;
            double fall = 0;
            for (int j = 0; j < host.applications; j++) {
                int s = base + j;
                double k = host.cost[j];
                double p = pull[s] - search.price() * k;
                double root = ScalarRoot.near(x[s], host.weight[j], host.alpha[j], 0, proximal[s], p);
                if (root > host.minimum[j]) {
                    fall += k * k / (host.alpha[j] * (proximal[s] * root - p) / root + proximal[s]);
                } else {
                    root = host.minimum[j];
                }
                x[s] = root;
                used += k * root;
            }
            more = search.next(used, fall);
        }
    }

    private void completions(int from, int to) {
        for (int i = from; i < to; i++) {
            for (int t = problem.first[i]; t < problem.first[i + 1]; t++) {
                collect(i, t);
            }
            completionStep(i);
        }
    }

    /** Takes the rates that have arrived. */
    private void collect(int i, int t) {
        double total = 0;
        for (int at = problem.fromTarget[t]; at < problem.fromTarget[t + 1]; at++) {
            int link = problem.linkOf[at];
            int s = problem.source[link];
            int peer = problem.hostOf[s];
            if (peer == i || delivery.arrives(rounds, peer, i, Delivery.REPORT)) {
                heard.rate[link] = x[s];
            }
            total += problem.part[link] * heard.rate[link];
        }
        sum[t] = total;
    }

    private void completionStep(int i) {
        HostProblem host = problem.hosts[i];
        double relaxation = rounds == 0 ? 1 : settings.relaxation();
        MultiplierSearch search = completionSearch[i];
        boolean more = search.begin(search.price(), host.completions);
        while (more) {
            double used = 0;
            double fall = 0;
            for (int t = problem.first[i]; t < problem.first[i + 1]; t++) {
                double sigma = penalty[t];
                double p = sigma * relaxed(t, relaxation) + v[t] - search.price();
                double root = ScalarRoot.solve(0, 1, 2 * host.beta, sigma, p);
                fall += 1 / (3 * (sigma * root - p) / root + sigma);
                used += root;
            }
            more = search.next(used, fall);
        }
        for (int t = problem.first[i]; t < problem.first[i + 1]; t++) {
            double sigma = penalty[t];
            double relaxed = relaxed(t, relaxation);
            z[t] = ScalarRoot.solve(0, 1, 2 * host.beta, sigma, sigma * relaxed + v[t] - search.price());
            v[t] += sigma * (relaxed - z[t]);
        }
    }

    private double relaxed(int t, double relaxation) {
        return relaxation * sum[t] + (1 - relaxation) * z[t];
    }

    /** Length of S - z, in millions a second, as the receivers know it. */
    public double primalResidual() {
        double length = 0;
        for (int t = 0; t < z.length; t++) {
            length += (sum[t] - z[t]) * (sum[t] - z[t]);
        }
        return Math.sqrt(length);
    }

    /** Puts the best feasible allocation so far, and the least bound so far, into an answer. */
    public void publish(Allocation answer) {
        current(best.candidate());
        best.publish(answer);
    }

    /** Puts the rates of the last round, made feasible, into an answer, with what its prices prove of them. */
    public void current(Allocation answer) {
        int hosts = problem.hosts.length;
        answer.resize(hosts, x.length);
        System.arraycopy(x, 0, answer.x, 0, x.length);
        for (int i = 0; i < hosts; i++) {
            answer.requestPrice[i] = requestSearch[i].price();
            answer.completionPrice[i] = completionSearch[i].price();
        }
        answer.rounds = rounds;
        problem.makeFeasible(answer.x, answer.z, shrink);
        PeerCertificate.certify(problem, v, answer);
    }

    /** What either end of each link has last heard from the other. */
    private static final class Heard {
        /** Heard by the sender: prices, and what R is made of. */
        final double[] price;

        final double[] weight;

        /** Heard by the receiver. */
        final double[] rate;

        Heard(int links) {
            price = new double[links];
            weight = new double[links];
            rate = new double[links];
        }
    }
}
