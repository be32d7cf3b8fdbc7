package io.verbena.nic.arbiter;

/** Jain, Chiu and Hawe's fairness index: 1 if all got the same, 1/n if one got everything. */
public final class JainIndex {
    private JainIndex() {}

    /**
     * The index of what each got, divided by what it was entitled to.
     *
     * @param normalised at least 0, at least one of them
     * @return (sum of x) squared over n times the sum of x squared; 1 if nobody got anything
     */
    public static double of(double... normalised) {
        if (normalised.length == 0) {
            throw new IllegalArgumentException("fairness among 0 < minimum 1");
        }
        double sum = 0;
        double squares = 0;
        for (double x : normalised) {
            if (!(x >= 0)) {
                throw new IllegalArgumentException("share " + x + " < minimum 0");
            }
            sum += x;
            squares += x * x;
        }
        return squares == 0 ? 1 : sum * sum / (normalised.length * squares);
    }
}
