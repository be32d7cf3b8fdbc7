package io.verbena.papers.figures;

/** Whether what a paper claims holds here. */
public enum Verdict {
    /** As the paper says. */
    HOLDS("holds"),
    /** As the paper says, but there is something to know about why. */
    HOLDS_WITH_REASON("holds, but"),
    /** Not so here; the reason says why. */
    HOLDS_NOT("does not hold");

    private final String words;

    Verdict(String words) {
        this.words = words;
    }

    /** For people. */
    public String words() {
        return words;
    }
}
