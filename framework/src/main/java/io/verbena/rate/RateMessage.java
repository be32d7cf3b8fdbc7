package io.verbena.rate;

/**
 * What a node says to a peer in a {@link PriceExchange}: what it sends there, and what it takes from there. Rates are
 * in millions a second.
 *
 * <p>Mutable, and used again for each message; for one thread.
 */
public final class RateMessage {
    /** Most targets of a node. */
    public static final int MAX_TARGETS = 32;

    /** Least share of a target that anything is sent to. */
    public static final double MIN_SHARE = 1e-9;

    /** No price or weight is larger: sums and products of them are finite. */
    private static final double MAX_PRICE = 1e150;

    /** From 1 on: later each time that the two have forgotten each other. */
    public long epoch;

    /** From 1 on in each epoch. */
    public long sequence;

    /** The receiver's epoch that {@link #answered} is of; 0 for none. */
    public long answeredEpoch;

    /** Latest message of the receiver whose grants are kept already; 0 for none. */
    public long answered;

    /** Step of the report; 0 if there is none. */
    public long reportStep;

    /** Step of the prices; 0 if there are none. */
    public long priceStep;

    /** Step of the receiver's report that the prices were made with. */
    public long pricedAt;

    /** Targets of the receiver that are reported to. */
    public int reports;

    /** Of each of them, what would be sent there: sum of p x. */
    public final double[] rate = new double[MAX_TARGETS];

    /** By how much utilities bend there: sum of p alpha w x^(-alpha - 1). */
    public final double[] curvature = new double[MAX_TARGETS];

    /** Sum of p. */
    public final double[] share = new double[MAX_TARGETS];

    /** What minimum rates send there: sum of p min. */
    public final double[] minimum = new double[MAX_TARGETS];

    /** Targets of the sender whose prices are told. */
    public int prices;

    /** Of each of them, {@code tau = v + sigma (S - z)}. */
    public final double[] price = new double[MAX_TARGETS];

    /** What p is multiplied by to be majorised: {@code eta sigma r}. */
    public final double[] weight = new double[MAX_TARGETS];

    /** What may be sent there; 0 while nothing is granted, and nothing bounded. */
    public final double[] grant = new double[MAX_TARGETS];

    /** What each application could send there if all sent the same. */
    public final double[] even = new double[MAX_TARGETS];

    /** Creates an empty one. */
    public RateMessage() {}

    /** Whether all that it says can be; what is large is believed only as far as it can be granted. */
    boolean isPlausible() {
        if (epoch <= 0 || sequence <= 0 || answered < 0 || answeredEpoch < 0) {
            return false;
        }
        boolean isSound = reports >= 0 && reports <= MAX_TARGETS && prices >= 0 && prices <= MAX_TARGETS;
        for (int t = 0; isSound && t < reports; t++) {
            boolean isUsed = share[t] >= MIN_SHARE;
            isSound = (isUsed || share[t] == 0)
                    && share[t] <= PriceExchange.MAX_SHARE
                    && (isUsed ? isPositive(rate[t]) && isPositive(curvature[t]) : rate[t] == 0 && curvature[t] == 0)
                    && minimum[t] >= 0
                    && minimum[t] <= rate[t] * (1 + PriceExchange.ROUNDING);
        }
        for (int t = 0; isSound && t < prices; t++) {
            isSound = Math.abs(price[t]) <= MAX_PRICE
                    && weight[t] >= 0
                    && weight[t] <= MAX_PRICE
                    && isFromZero(grant[t])
                    && isPositive(even[t]);
        }
        return isSound;
    }

    /** Whether it reports anything that is sent. */
    boolean sendsAnything() {
        boolean isAny = false;
        for (int t = 0; t < reports; t++) {
            isAny |= share[t] > 0;
        }
        return isAny;
    }

    private static boolean isFromZero(double value) {
        return value >= 0 && value < Double.POSITIVE_INFINITY;
    }

    private static boolean isPositive(double value) {
        return value > 0 && value < Double.POSITIVE_INFINITY;
    }
}
