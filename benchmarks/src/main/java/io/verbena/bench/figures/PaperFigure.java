package io.verbena.bench.figures;

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
     * Makes it.
     *
     * @param seed of all chance in it
     * @param size how much is run
     * @return what came out, a function of seed and size unless it was measured on this machine
     */
    FigureReport run(long seed, Size size);
}
