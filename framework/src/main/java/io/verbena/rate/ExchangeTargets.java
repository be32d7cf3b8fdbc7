package io.verbena.rate;

import java.util.Arrays;

/**
 * What a node takes in a {@link PriceExchange}: the completion step of {@link PeerCoupling}, its prices, and grants
 * that are never more than the capacity together.
 *
 * <p>A target with a latency term has {@code beta z^-2} to lose. Where beta is 0, z is a part of the capacity, and all
 * targets have one price.
 *
 * <p>Of what it asks, each peer has at least a {@link HostProblem#DEFAULT_FLOOR} of an equal share, or what its minimum
 * rates need if that is more, up to an equal share: whatever others report.
 */
public final class ExchangeTargets {
    private static final double TOLERANCE = 1e-12;

    /** Of a penalty that no longer fits by more than this factor, another is computed. */
    private static final double MISFIT = 4;

    private final AdmmSettings settings;
    private final MultiplierSearch search = new MultiplierSearch(TOLERANCE);
    private final double capacity;
    private final double beta;
    final double[] z;
    final double[] v;
    final double[] penalty;
    private final double[] sum;
    private final double[] received; // r
    private final double[] price;
    private double shares; // of all targets
    private long lookedAt; // steps since penalties were begun anew
    private int reporting; // peers of the last step
    long step;

    /**
     * Creates them.
     *
     * @param settings how steps are made
     * @param targets their number, at most {@link RateMessage#MAX_TARGETS}
     * @param perSecond what is taken together, above 0
     * @param beta what latency weighs, from 0 on
     */
    public ExchangeTargets(AdmmSettings settings, int targets, double perSecond, double beta) {
        if (targets < 1 || targets > RateMessage.MAX_TARGETS) {
            throw new IllegalArgumentException("targets " + targets + " outside 1.." + RateMessage.MAX_TARGETS);
        }
        if (!(beta >= 0 && beta < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("beta " + beta + " is not from 0 on and finite");
        }
        if (!(perSecond > 0 && perSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("capacity " + perSecond + " is not above 0 and finite");
        }
        this.settings = settings;
        this.beta = beta;
        this.capacity = perSecond / HostProblem.MEGA;
        z = new double[targets];
        v = new double[targets];
        penalty = new double[targets];
        sum = new double[targets];
        received = new double[targets];
        price = new double[targets];
    }

    int count() {
        return z.length;
    }

    double capacity() {
        return capacity;
    }

    // ---- the step ---------------------------------------------------------------------------------------------------

    void step(ExchangePeer[] peers) {
        int present = count(peers);
        if (present != reporting) {
            begin();
        }
        reporting = present;
        collect(peers);
        refresh(peers);
        double relaxation = lookedAt == 0 ? 1 : settings.relaxation();
        boolean more = search.begin(search.price(), capacity);
        while (more) {
            double used = 0;
            double fall = 0;
            for (int t = 0; t < z.length; t++) {
                double root = root(t, relaxation, search.price());
                used += root;
                fall += root > 0 ? slope(t, relaxation, root) : 0;
            }
            more = search.next(used, fall);
        }
        for (int t = 0; t < z.length; t++) {
            if (received[t] > 0) {
                double relaxed = relaxed(t, relaxation);
                z[t] = root(t, relaxation, search.price());
                v[t] += penalty[t] * (relaxed - z[t]);
                price[t] = v[t] + penalty[t] * (sum[t] - z[t]);
            }
        }
        restartUnlessFinite();
        step++;
        lookedAt++;
    }

    /** Others send here than before. A price of the capacity is still a good guess, one of latency is not. */
    private void begin() {
        lookedAt = 0;
        if (beta > 0) {
            Arrays.fill(v, 0);
        }
    }

    /** What nobody can go on from is forgotten: the next step begins anew. */
    private void restartUnlessFinite() {
        double all = search.price();
        for (int t = 0; t < z.length; t++) {
            all += z[t] + v[t] + penalty[t] + price[t];
        }
        if (!Double.isFinite(all)) {
            Arrays.fill(z, 0);
            Arrays.fill(v, 0);
            Arrays.fill(penalty, 0);
            Arrays.fill(price, 0);
            search.begin(0, capacity);
        }
    }

    private double root(int t, double relaxation, double multiplier) {
        if (received[t] == 0) {
            return 0;
        }
        double p = penalty[t] * relaxed(t, relaxation) + v[t] - multiplier;
        return beta > 0 ? ScalarRoot.solve(0, 1, 2 * beta, penalty[t], p) : Math.max(0, p / penalty[t]);
    }

    /** By how much less is used at a greater multiplier. */
    private double slope(int t, double relaxation, double root) {
        if (beta == 0) {
            return 1 / penalty[t];
        }
        double p = penalty[t] * relaxed(t, relaxation) + v[t] - search.price();
        return 1 / (3 * (penalty[t] * root - p) / root + penalty[t]);
    }

    private double relaxed(int t, double relaxation) {
        return relaxation * sum[t] + (1 - relaxation) * z[t];
    }

    /**
     * Sums up what is reported. Who has not been priced yet counts with an equal share at most: with that it begins,
     * whatever it has sent by itself.
     */
    private void collect(ExchangePeer[] peers) {
        shares = 0;
        for (int t = 0; t < z.length; t++) {
            received[t] = 0;
            for (ExchangePeer peer : peers) {
                received[t] += peer.inflow.isReporting ? peer.inflow.share[t] : 0;
            }
            shares += received[t];
        }
        for (int t = 0; t < z.length; t++) {
            sum[t] = 0;
            for (ExchangePeer peer : peers) {
                PeerInflow in = peer.inflow;
                if (in.isReporting) {
                    sum[t] += in.used == 0 ? Math.min(in.rate[t], in.share[t] * capacity / shares) : in.rate[t];
                }
            }
            if (received[t] == 0) {
                z[t] = 0;
                v[t] = 0;
            }
        }
    }

    private static int count(ExchangePeer[] peers) {
        int count = 0;
        for (ExchangePeer peer : peers) {
            count += peer.inflow.isReporting ? 1 : 0;
        }
        return count;
    }

    private void refresh(ExchangePeer[] peers) {
        boolean isRefreshed = settings.refreshes((int) Math.min(lookedAt, Integer.MAX_VALUE));
        for (int t = 0; t < z.length; t++) {
            if (received[t] > 0) {
                double fitting = fitting(t, peers);
                if (isRefreshed || fitting > MISFIT * penalty[t] || penalty[t] > MISFIT * fitting) {
                    penalty[t] = fitting;
                }
            }
        }
    }

    /** A penalty that is matched to what is reported now. */
    private double fitting(int t, ExchangePeer[] peers) {
        double curvature = 0;
        for (ExchangePeer peer : peers) {
            curvature += peer.inflow.isReporting ? peer.inflow.curvature[t] : 0;
        }
        double r = received[t];
        double polled = AdmmSettings.clip(sum[t], r * (capacity / shares));
        return settings.penalty(curvature / (r * r * r), 6 * beta / (polled * polled * polled * polled));
    }

    // ---- grants -----------------------------------------------------------------------------------------------------

    /** Grants what is reported as far as the capacity allows, and what is left in proportion. */
    void grant(ExchangePeer[] peers) {
        want(peers);
        double free = capacity * (1 - PriceExchange.ROUNDING);
        double more = 0;
        for (ExchangePeer peer : peers) {
            PeerInflow in = peer.inflow;
            free -= in.heldTogether();
            for (int t = 0; isOpen(in) && t < z.length; t++) {
                more += Math.max(0, in.wanted[t] - in.held[t]);
            }
        }
        double part = more > 0 ? Math.max(0, Math.min(1, free / more)) : 0;
        for (ExchangePeer peer : peers) {
            if (isOpen(peer.inflow)) {
                grant(peer, part);
            }
        }
    }

    private static boolean isOpen(PeerInflow in) {
        return in.isReporting && in.unconfirmed == 0;
    }

    private void grant(ExchangePeer peer, double part) {
        PeerInflow in = peer.inflow;
        boolean isLower = false;
        for (int t = 0; t < z.length; t++) {
            double more = in.wanted[t] - in.held[t];
            if (more < 0) {
                isLower = true;
                in.granted[t] = in.wanted[t];
            } else if (in.held[t] > 0 || 2 * part >= 1) { // who has none goes on without until it is worth having
                in.held[t] += part * more;
                in.granted[t] = in.held[t];
            }
        }
        in.unconfirmed = isLower ? peer.sequence + 1 : 0;
    }

    /** What peers would have: all of them their floors, and of the rest what they ask, or more where there is more. */
    private void want(ExchangePeer[] peers) {
        double asked = 0;
        double floors = 0;
        for (ExchangePeer peer : peers) {
            for (int t = 0; peer.inflow.isReporting && t < z.length; t++) {
                asked += peer.inflow.rate[t];
                floors += floor(peer.inflow, t);
            }
        }
        double cut = HostProblem.cutOfMinimums(floors, capacity);
        double limit = capacity * (1 - PriceExchange.ROUNDING);
        double above = asked > limit ? (limit - cut * floors) / (asked - cut * floors) : 0;
        for (ExchangePeer peer : peers) {
            for (int t = 0; peer.inflow.isReporting && t < z.length; t++) {
                double floor = floor(peer.inflow, t);
                double wants = peer.inflow.rate[t];
                peer.inflow.wanted[t] =
                        asked > limit ? cut * floor + above * (wants - cut * floor) : part(wants, asked) * limit;
            }
        }
    }

    /** Which part something is of a whole, of which nothing is no part. */
    private static double part(double of, double whole) {
        return whole > 0 ? of / whole : 0;
    }

    /** What a peer has of what it asks, whatever others report. */
    private double floor(PeerInflow in, int t) {
        double equal = capacity / (reporting * z.length);
        return Math.min(Math.min(in.rate[t], equal), Math.max(in.minimum[t], HostProblem.DEFAULT_FLOOR * equal));
    }

    /** Puts prices and grants for a peer into a message. */
    void price(PeerInflow in, RateMessage m) {
        m.prices = z.length;
        m.priceStep = step;
        m.pricedAt = in.used;
        for (int t = 0; t < z.length; t++) {
            m.price[t] = price[t];
            m.weight[t] = settings.majoriser(received[t], 1, 1) * penalty[t];
            m.grant[t] = in.granted[t];
            m.even[t] = capacity / shares;
        }
    }
}
