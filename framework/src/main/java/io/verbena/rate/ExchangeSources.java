package io.verbena.rate;

import java.util.Arrays;

/**
 * What a node sends in a {@link PriceExchange}, with its utilities: the request step of {@link PeerCoupling}, with the
 * prices of all peers that govern it.
 *
 * <p>What a peer grants bounds the sources that send to it: each by as much as keeps all grants, its share of what is
 * granted beyond what it asks for included. Of a grant that is short, minimum rates are met first.
 */
public final class ExchangeSources {
    private static final double TOLERANCE = 1e-12;

    private final MultiplierSearch search = new MultiplierSearch(TOLERANCE);
    private double capacity;
    private int count;
    private double[] alpha = {};
    private double[] weight = {};
    private double[] minimum = {};
    private double[] maximum = {};
    private double[] even = {}; // an equal share, by this node and the peers
    double[] x = {};
    double[] proximal = {}; // R
    private double[] pull = {};
    private double[] bound = {};
    long step;

    /** Creates it, without any. */
    public ExchangeSources() {}

    /**
     * Begins anew, with sources of which each is to be {@link #set}.
     *
     * @param perSecond what all may send together, above 0
     */
    void begin(int sources, double perSecond) {
        if (!(perSecond > 0 && perSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("capacity " + perSecond + " is not above 0 and finite");
        }
        capacity = perSecond / HostProblem.MEGA;
        if (sources != count) {
            count = sources;
            alpha = new double[sources];
            weight = new double[sources];
            minimum = new double[sources];
            maximum = new double[sources];
            even = new double[sources];
            x = new double[sources];
            proximal = new double[sources];
            pull = new double[sources];
            bound = new double[sources];
            Arrays.fill(x, capacity / sources);
            Arrays.fill(maximum, Double.POSITIVE_INFINITY);
            Arrays.fill(bound, Double.POSITIVE_INFINITY);
        }
    }

    int count() {
        return count;
    }

    /**
     * Sets what a source's rate is worth, and what it always gets.
     *
     * @param minimumPerSecond above 0; all together at most the capacity
     */
    public void set(int source, Utility utility, double minimumPerSecond) {
        alpha[source] = utility.alpha();
        weight[source] = utility.weight();
        minimum[source] = minimumPerSecond / HostProblem.MEGA;
    }

    /** Sets how many a second a source wants at most; infinite for as many as it can get. */
    public void demand(int source, double perSecond) {
        maximum[source] = perSecond / HostProblem.MEGA;
    }

    /** What all peers together let a source send, a second; infinite if none of them governs it. */
    public double bound(int source) {
        return bound[source] * HostProblem.MEGA;
    }

    /** What a source may send, a second: both capacities are kept. */
    public double rate(int source) {
        return Math.min(x[source], bound[source]) * HostProblem.MEGA;
    }

    // ---- the step ---------------------------------------------------------------------------------------------------

    void step(ExchangePeer[] peers) {
        for (int s = 0; s < count; s++) {
            pull(s, peers);
        }
        boolean more = search.begin(search.price(), capacity);
        while (more) {
            double used = 0;
            double fall = 0;
            for (int s = 0; s < count; s++) {
                double p = pull[s] - search.price();
                double root = proximal[s] > 0 || p < 0
                        ? ScalarRoot.near(x[s], weight[s], alpha[s], 0, proximal[s], p)
                        : Double.POSITIVE_INFINITY;
                double most = Math.max(minimum[s], Math.min(maximum[s], capacity));
                if (root > minimum[s] && root < most) {
                    fall += 1 / (alpha[s] * (proximal[s] * root - p) / root + proximal[s]);
                } else {
                    root = root >= most ? most : minimum[s];
                }
                x[s] = root;
                used += root;
            }
            more = search.next(used, fall);
        }
        step++;
    }

    private void pull(int s, ExchangePeer[] peers) {
        double r = 0;
        double asked = 0;
        double share = capacity / count;
        boolean isFirst = false;
        for (ExchangePeer peer : peers) {
            PeerOutflow out = peer.outflow;
            for (int t = 0; out.isGoverned && t < out.targets; t++) {
                double part = out.part(s, t);
                if (part > 0) {
                    r += part * out.weight[t];
                    asked += part * out.price[t];
                    share = Math.min(share, Math.max(out.even[t], minimum[s]));
                    isFirst |= out.used == 0;
                }
            }
        }
        even[s] = share;
        if (isFirst) {
            x[s] = Math.min(x[s], share);
        }
        proximal[s] = r;
        pull[s] = r * x[s] - asked;
    }

    // ---- what is said of it -----------------------------------------------------------------------------------------

    /** Puts what is sent to a peer into a message. */
    void report(PeerOutflow out, RateMessage m) {
        m.reports = out.targets;
        m.reportStep = step;
        for (int t = 0; t < out.targets; t++) {
            m.rate[t] = 0;
            m.curvature[t] = 0;
            m.share[t] = 0;
            m.minimum[t] = 0;
            for (int s = 0; s < count; s++) {
                double part = out.part(s, t);
                if (part > 0) {
                    double near = AdmmSettings.clip(x[s], even[s]);
                    m.rate[t] += part * x[s];
                    m.curvature[t] += part * alpha[s] * weight[s] * Utility.power(1 / near, alpha[s]) / near;
                    m.share[t] += part;
                    m.minimum[t] += part * minimum[s];
                }
            }
        }
    }

    // ---- what is kept -----------------------------------------------------------------------------------------------

    /** Computes bounds by the grants that hold. */
    void keep(ExchangePeer[] peers) {
        Arrays.fill(bound, 0, count, Double.POSITIVE_INFINITY);
        for (ExchangePeer peer : peers) {
            PeerOutflow out = peer.outflow;
            for (int t = 0; out.isGoverned && t < out.targets; t++) {
                if (out.grant[t] > 0) {
                    keep(out, t, out.grant[t]);
                }
            }
        }
    }

    private void keep(PeerOutflow out, int t, double grant) {
        double rate = 0;
        double least = 0;
        for (int s = 0; s < count; s++) {
            rate += out.part(s, t) * x[s];
            least += out.part(s, t) * minimum[s];
        }
        double above = rate > grant && grant > least ? (grant - least) / (rate - least) : 0;
        for (int s = 0; s < count; s++) {
            if (out.part(s, t) > 0) {
                double most = rate <= grant
                        ? x[s] * (grant / rate)
                        : grant > least ? minimum[s] + above * (x[s] - minimum[s]) : minimum[s] * (grant / least);
                bound[s] = Math.min(bound[s], most);
            }
        }
    }
}
