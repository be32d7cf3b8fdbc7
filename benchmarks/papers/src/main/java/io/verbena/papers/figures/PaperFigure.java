package io.verbena.papers.figures;

import java.util.List;

/** A figure, a table or a number of a paper that can be made again. */
public abstract class PaperFigure {
    /** How much is run. */
    public enum Size {
        /** All that the claims are judged by. */
        FULL,
        /** Less of the same, to see in a minute that all of it works. */
        QUICK
    }

    private final String id;
    private final String title;

    /**
     * A figure.
     *
     * @param id names it in options and files: {@code 3}, {@code table5}
     * @param title for people
     */
    protected PaperFigure(String id, String title) {
        this.id = id;
        this.title = title;
    }

    /** Names it in options and files: {@code 3}, {@code table5}. */
    public final String id() {
        return id;
    }

    /** For people. */
    public final String title() {
        return title;
    }

    /**
     * Whether what comes out is a function of seed and size. If not, its numbers are of this machine, and it is run
     * only where it is asked for by its name.
     */
    public boolean isRepeatable() {
        return true;
    }

    /**
     * The same figure with something in it broken, another thing in each: together they turn every claim that holds.
     * Empty for what measures this machine, whose verdicts its tests turn.
     */
    public List<Mutation> mutations() {
        return List.of();
    }

    /**
     * Makes it.
     *
     * @param seed of all chance in it
     * @param size how much is run
     * @return what came out
     */
    public abstract FigureReport run(long seed, Size size);
}
