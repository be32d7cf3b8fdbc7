package io.verbena.papers.figures;

/** A figure, a table or a number of a paper that can be made again. */
public interface PaperFigure {
    /** How much is run. */
    enum Size {
        /** All that the claims are judged by. */
        FULL,
        /** Less of the same, to see in a minute that all of it works. */
        QUICK
    }

    /** Names it in options and files: {@code 3}, {@code table5}. */
    String id();

    /** For people. */
    String title();

    /**
     * Whether what comes out is a function of seed and size. If not, its numbers are of this machine, and it is run only where
     * it is asked for by its name.
     */
    default boolean isRepeatable() {
        return true;
    }

    /**
     * Makes it.
     *
     * @param seed of all chance in it
     * @param size how much is run
     * @return what came out
     */
    FigureReport run(long seed, Size size);
}
