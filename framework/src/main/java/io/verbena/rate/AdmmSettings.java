package io.verbena.rate;

/**
 * How the alternating direction method is run: ours, and what DRUM prints, as settings of the same code.
 *
 * <p>A penalty that is matched follows the curvatures on both sides of {@code a x = z}: F of the utility, G of the
 * latency. For quadratics the error shrinks by {@code (rho^2 + FG) / ((rho + F)(rho + G))} a round, at most 1/2 for any
 * rho between F and G; hence {@code rho = scale max(F, sqrt(FG))}, at a rate not farther than 8 times from an equal
 * share, for a rate that is by chance near 0 would freeze a huge penalty. It is computed anew in the first rounds, and
 * then stays, which convergence needs.
 *
 * @param penalty the same for all, in the units of millions a second; 0 for a matched one
 * @param scale of a matched penalty
 * @param refreshes rounds in which a matched penalty is computed anew
 * @param relaxation 1 for none; the first round has none
 * @param majoriser of the coupling between hosts, per unit of what they send together; 0 for the paper's, which is the
 *     number of hosts for all that send anything
 * @param isDualAsPrinted whether z is added in (9) where it has to be subtracted
 */
public record AdmmSettings(
        double penalty, double scale, int refreshes, double relaxation, double majoriser, boolean isDualAsPrinted) {
    /** For hosts by themselves. */
    public static final AdmmSettings ONE_SIDED = new AdmmSettings(0, 1.3, 6, 1.6, 0.85, false);

    /** For hosts that send to each other. */
    public static final AdmmSettings TWO_SIDED = new AdmmSettings(0, 1, 6, 1.8, 0.85, false);

    /** With a matched penalty, and nothing else: no relaxation, no factor. */
    public static final AdmmSettings PLAIN = new AdmmSettings(0, 1, 6, 1, 0.85, false);

    /** DRUM: the penalty of III-E, the sign of (9), the averages of (21). */
    public static final AdmmSettings AS_PRINTED = new AdmmSettings(1e-3, 1, 0, 1, 0, true);

    /** The paper's penalty and averages with the sign of (9) put right. */
    public static AdmmSettings scalar(double penalty) {
        return new AdmmSettings(penalty, 1, 0, 1, 0, false);
    }

    /** The penalty for curvatures F of utility and G of latency, both for completions, of a host by itself. */
    double penalty(double f, double g) {
        return penalty > 0 ? penalty : scale * Math.max(f, Math.sqrt(f * g));
    }

    /** The same where hosts send to each other: the paper's is that of one of them. */
    double penalty(double f, double g, int hosts) {
        return penalty > 0 ? penalty / hosts : penalty(f, g);
    }

    /** What a link's part of the coupling is majorised by, beside the penalty. */
    double majoriser(double received, double part, int hosts) {
        return majoriser > 0 ? majoriser * received : part * hosts;
    }

    /** Whether the penalties are computed in this round, which counts from 0. */
    boolean refreshes(int round) {
        return round == 0 || (penalty == 0 && round < refreshes);
    }

    /** Nearest rate to this one for which penalties are computed. */
    static double clip(double rate, double equalShare) {
        return Math.min(8 * equalShare, Math.max(equalShare / 8, rate));
    }
}
