package io.verbena.rate;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.LongBinaryOperator;

/**
 * Nodes that exchange prices in virtual time, over a network that loses, delays, repeats and reorders messages: all by
 * a seed. Each node sends to itself without any of that.
 */
final class ExchangeWorld {
    static final long MICRO = 1_000;
    static final long MILLI = 1_000_000;
    static final long TICK = 100 * MICRO;
    static final ExchangeTimes TIMES = ExchangeTimes.of(5 * MILLI);

    /** Hosts that have less have none in the exchange: what problems and oracle need is not seen in the answer. */
    static final double NO_BETA = 1e-6;

    /** A message under way. */
    private record Flight(long arrival, long number, int from, int to, RateMessage message) {}

    final PeerProblem problem;
    final PriceExchange[] nodes;
    final ExchangeTargets[] targets;
    final ExchangeCounts[] counts;
    private final boolean[] isDead;
    private final double[][] published; // by sender and receiver: what agreed sources may send there at most
    private final SplittableRandom random;
    private final AdmmSettings settings;
    private final PriorityQueue<Flight> flights = new PriorityQueue<>(
            (a, b) -> a.arrival != b.arrival ? Long.compare(a.arrival, b.arrival) : Long.compare(a.number, b.number));
    private long number;
    long now = -7 * MILLI; // as a nanoTime may be
    double loss;
    double repeats;
    long delay = 20 * MICRO;
    long jitter;
    LongBinaryOperator cut = (from, to) -> 0; // not 0 where nothing arrives
    Runnable eachInstant = this::checkConservation;

    ExchangeWorld(PeerProblem problem, AdmmSettings settings, long seed) {
        this.problem = problem;
        this.settings = settings;
        this.random = new SplittableRandom(seed);
        int hosts = problem.hosts();
        nodes = new PriceExchange[hosts];
        targets = new ExchangeTargets[hosts];
        counts = new ExchangeCounts[hosts];
        isDead = new boolean[hosts];
        published = new double[hosts][hosts];
        for (int i = 0; i < hosts; i++) {
            start(i);
        }
    }

    /** A node is there, and knows nothing; others know it from before if it was. */
    void start(int i) {
        HostProblem host = problem.hosts[i];
        isDead[i] = false;
        counts[i] = new ExchangeCounts();
        double beta = host.beta < NO_BETA ? 0 : host.beta;
        targets[i] = new ExchangeTargets(settings, host.applications, host.completions * HostProblem.MEGA, beta);
        nodes[i] = new PriceExchange(TIMES, targets[i], counts[i], now + random.nextLong(TIMES.round()));
        ExchangeSources sources = nodes[i].sources(host.applications, host.requests * HostProblem.MEGA);
        for (int j = 0; j < host.applications; j++) {
            sources.set(j, new Utility(host.alpha[j], host.weight[j]), host.minimum[j] * HostProblem.MEGA);
        }
        for (int peer = 0; peer < problem.hosts(); peer++) {
            connect(i, peer);
        }
    }

    /** A node knows a peer from here on, and what it sends there. */
    void connect(int i, int peer) {
        ExchangePeer its = nodes[i].add(peer, problem.hosts[peer].applications);
        for (int s = problem.first[i]; s < problem.first[i + 1]; s++) {
            for (int link = problem.fromSource[s]; link < problem.fromSource[s + 1]; link++) {
                int t = problem.target[link];
                if (problem.hostOf[t] == peer) {
                    its.part(s - problem.first[i], t - problem.first[peer], problem.part[link]);
                }
            }
        }
        nodes[i].settle();
    }

    void kill(int i) {
        isDead[i] = true;
    }

    void run(long nanos) {
        for (long end = now + nanos; now - end < 0; now += TICK) {
            for (int i = 0; i < nodes.length; i++) {
                while (!flights.isEmpty() && flights.peek().arrival <= now) {
                    arrive(flights.remove());
                }
                if (!isDead[i]) {
                    turn(i);
                }
            }
        }
    }

    private void arrive(Flight flight) {
        if (!isDead[flight.to]) {
            nodes[flight.to].receive(flight.from, flight.message, now);
        }
    }

    private void turn(int i) {
        nodes[i].turn(now);
        for (int peer = 0; peer < nodes.length; peer++) {
            published[i][peer] = granted(i, peer);
        }
        eachInstant.run();
        nodes[i].send(now, (peer, message) -> {
            int to = (int) peer;
            if (to == i) {
                put(i, to, 0, message);
                return true;
            }
            int copies = random.nextDouble() < repeats ? 2 : 1;
            for (int c = 0; c < copies; c++) {
                long late = delay + (jitter > 0 ? random.nextLong(jitter) : 0);
                if (!(random.nextDouble() < loss) && cut.applyAsLong(i, to) == 0) {
                    put(i, to, late, message);
                }
            }
            return true;
        });
    }

    private void put(int from, int to, long late, RateMessage message) {
        flights.add(new Flight(now + late, number++, from, to, copy(message)));
    }

    static RateMessage copy(RateMessage m) {
        RateMessage copy = new RateMessage();
        copy.epoch = m.epoch;
        copy.sequence = m.sequence;
        copy.answeredEpoch = m.answeredEpoch;
        copy.answered = m.answered;
        copy.reportStep = m.reportStep;
        copy.priceStep = m.priceStep;
        copy.pricedAt = m.pricedAt;
        copy.reports = m.reports;
        copy.prices = m.prices;
        double[][] from = {m.rate, m.curvature, m.share, m.minimum, m.price, m.weight, m.grant, m.even};
        double[][] to = {
            copy.rate, copy.curvature, copy.share, copy.minimum, copy.price, copy.weight, copy.grant, copy.even
        };
        for (int k = 0; k < from.length; k++) {
            System.arraycopy(from[k], 0, to[k], 0, RateMessage.MAX_TARGETS);
        }
        return copy;
    }

    // ---- what is looked at
    // --------------------------------------------------------------------------------------------

    /** Of what agreed sources may send at most, no node has to take more than it can; and none sends more. */
    void checkConservation() {
        for (int i = 0; i < nodes.length; i++) {
            double taken = 0;
            double sent = 0;
            for (int l = 0; l < nodes.length; l++) {
                taken += isDead[l] ? 0 : published[l][i];
            }
            for (int j = 0; j < problem.hosts[i].applications; j++) {
                sent += nodes[i].sources().rate(j) / HostProblem.MEGA;
            }
            if (taken > problem.hosts[i].completions) {
                throw new AssertionError(
                        "at " + now + " node " + i + " takes " + taken + " of " + problem.hosts[i].completions);
            }
            if (sent > problem.hosts[i].requests * (1 + 1e-11)) {
                throw new AssertionError(
                        "at " + now + " node " + i + " sends " + sent + " of " + problem.hosts[i].requests);
            }
        }
    }

    private double granted(int l, int i) {
        ExchangePeer peer = nodes[l].peer(i);
        double sum = 0;
        if (peer != null && peer.isGoverned()) {
            for (int t = 0; t < problem.hosts[i].applications; t++) {
                for (int j = 0; peer.outflow.grant[t] > 0 && j < problem.hosts[l].applications; j++) {
                    double part = peer.outflow.part(j, t);
                    sum += part > 0 ? part * nodes[l].sources().bound(j) / HostProblem.MEGA : 0;
                }
            }
        }
        return sum;
    }

    /** What all may send, in millions a second. */
    double[] rates() {
        double[] x = new double[problem.applications()];
        for (int s = 0; s < x.length; s++) {
            int i = problem.hostOf[s];
            x[s] = nodes[i].sources().rate(s - problem.first[i]) / HostProblem.MEGA;
        }
        return x;
    }

    /** What rates are worth. */
    double objective(double[] x) {
        double sum = 0;
        for (int s = 0; s < x.length; s++) {
            HostProblem host = problem.hosts[problem.hostOf[s]];
            int j = s - problem.first[problem.hostOf[s]];
            double z = problem.completions(s, x);
            sum += host.weight[j] * Utility.value(host.alpha[j], x[s]) - (host.beta > 0 ? host.beta / (z * z) : 0);
        }
        return sum;
    }

    /** Sum of the magnitudes of all terms: what a gap is measured by. */
    double magnitude(double[] x) {
        double sum = 0;
        for (int s = 0; s < x.length; s++) {
            HostProblem host = problem.hosts[problem.hostOf[s]];
            int j = s - problem.first[problem.hostOf[s]];
            double z = problem.completions(s, x);
            sum += Math.abs(host.weight[j] * Utility.value(host.alpha[j], x[s]))
                    + (host.beta > 0 ? host.beta / (z * z) : 0);
        }
        return sum;
    }

    long total(ExchangeCount what) {
        long sum = 0;
        for (ExchangeCounts each : counts) {
            sum += each.get(what);
        }
        return sum;
    }

    /** By how much rates are worse than others, by the sum of the magnitudes of all terms. */
    double gap(double[] best) {
        return (objective(best) - objective(rates())) / magnitude(best);
    }

    /** Largest relative difference of a rate. */
    double error(double[] best) {
        double[] x = rates();
        double largest = 0;
        for (int s = 0; s < x.length; s++) {
            largest = Math.max(largest, Math.abs(x[s] / best[s] - 1));
        }
        return largest;
    }

    /** Sources whose rates come about in a way. */
    int count(PriceExchange.Basis basis) {
        int count = 0;
        for (PriceExchange node : nodes) {
            for (int s = 0; s < node.sources().count(); s++) {
                count += node.basis(s) == basis ? 1 : 0;
            }
        }
        return count;
    }
}
