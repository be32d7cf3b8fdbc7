package io.verbena.rate;

/**
 * The best feasible allocation and the least bound that the rounds of a solver have shown so far: what is published
 * gets no worse from round to round, whatever the iterate does.
 */
final class BestSoFar {
    private final Allocation best = new Allocation();
    private final Allocation candidate = new Allocation();
    private double bound;

    void begin(int hosts, int applications) {
        best.resize(hosts, applications);
        candidate.resize(hosts, applications);
        best.objective = Double.NEGATIVE_INFINITY;
        bound = Double.POSITIVE_INFINITY;
    }

    /** To be filled with what a round has come to, its certificate too. */
    Allocation candidate() {
        return candidate;
    }

    /** Takes the candidate in, and copies out what is best. */
    void publish(Allocation answer) {
        bound = Math.min(bound, candidate.bound);
        if (candidate.objective > best.objective) {
            best.copy(candidate);
        }
        answer.copy(best);
        answer.bound = bound;
        answer.rounds = candidate.rounds;
    }
}
