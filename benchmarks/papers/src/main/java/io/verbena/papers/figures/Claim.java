package io.verbena.papers.figures;

import java.util.Objects;

/**
 * Something that a paper says, and what came out here.
 *
 * @param id names it in files, such as {@code 3.line.mean}
 * @param text what is claimed
 * @param paper the number that the paper prints; NaN if it prints none
 * @param unit of both numbers; empty for a ratio or a count
 * @param accepted what our number is judged by, where that is a distance or a bound: {@code ± 2 %}; else empty, and the
 *     text says it
 * @param ours the number here
 * @param verdict whether the claim holds
 * @param reason why it does not hold, or what has to be known; empty only where it plainly holds
 */
public record Claim(
        String id,
        String text,
        double paper,
        String unit,
        String accepted,
        double ours,
        Verdict verdict,
        String reason) {
    /** Checks that a verdict that needs a reason has one. */
    public Claim {
        Objects.requireNonNull(verdict);
        if (verdict != Verdict.HOLDS && reason.isEmpty()) {
            throw new IllegalArgumentException("claim " + id + ": " + verdict + " without a reason");
        }
    }

    /**
     * A claim that holds if our number is near the paper's.
     *
     * @param tolerance most that they may differ by, relative to the paper's
     * @param ifNot the reason to give if it does not hold
     */
    public static Claim near(
            String id, String text, double paper, String unit, double ours, double tolerance, String ifNot) {
        return near(id, text, paper, paper, unit, ours, tolerance, ifNot);
    }

    /** A claim of this kind for which the paper prints no number: what is expected is computed. */
    public static Claim nearComputed(
            String id, String text, double expected, String unit, double ours, double tolerance, String ifNot) {
        return near(id, text, Double.NaN, expected, unit, ours, tolerance, ifNot);
    }

    private static Claim near(
            String id,
            String text,
            double paper,
            double expected,
            String unit,
            double ours,
            double tolerance,
            String ifNot) {
        String distance = "± " + Numbers.text(tolerance * 100, "%");
        String accepted = Double.isNaN(paper) ? Numbers.text(expected, unit) + ' ' + distance : distance;
        boolean holds = Math.abs(ours - expected) <= tolerance * Math.abs(expected);
        return judged(id, text, paper, unit, ours, holds, ifNot).accepting(accepted);
    }

    /**
     * A claim that holds if a condition is met.
     *
     * @param holds the condition
     * @param ifNot the reason to give if it does not hold
     */
    public static Claim judged(
            String id, String text, double paper, String unit, double ours, boolean holds, String ifNot) {
        return new Claim(
                id, text, paper, unit, "", ours, holds ? Verdict.HOLDS : Verdict.HOLDS_NOT, holds ? "" : ifNot);
    }

    /** A claim of this kind for which the paper prints no number. */
    public static Claim judged(String id, String text, String unit, double ours, boolean holds, String ifNot) {
        return judged(id, text, Double.NaN, unit, ours, holds, ifNot);
    }

    /**
     * A claim that holds if a part, which is given in percent, is not above a bound.
     *
     * @param part 0.01 for one percent
     * @param most likewise
     * @param ifNot the reason to give if it does not hold
     */
    public static Claim atMost(String id, String text, double part, double most, String ifNot) {
        return judged(id, text, Double.NaN, "%", part * 100, part <= most, ifNot)
                .accepting("≤ " + Numbers.text(most * 100, "%"));
    }

    /** This claim with what it accepts. */
    public Claim accepting(String what) {
        return new Claim(id, text, paper, unit, what, ours, verdict, reason);
    }

    /** This claim with something to know if it holds; a claim that does not hold keeps its own reason before it. */
    public Claim but(String remark) {
        boolean holds = holds();
        return new Claim(
                id,
                text,
                paper,
                unit,
                accepted,
                ours,
                holds ? Verdict.HOLDS_WITH_REASON : Verdict.HOLDS_NOT,
                reason.isEmpty() ? remark : reason + "; " + remark);
    }

    /** Whether it holds, plainly or with a reason. */
    public boolean holds() {
        return verdict != Verdict.HOLDS_NOT;
    }
}
