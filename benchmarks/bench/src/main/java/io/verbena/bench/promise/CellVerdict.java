package io.verbena.bench.promise;

/** What a cell came to. */
enum CellVerdict {
    /** Both always offered, and each got what it is entitled to. */
    KEPT("kept"),
    /** Both always offered, and one got less than it is entitled to. */
    BROKEN("BROKEN"),
    /** It is not certain that both always offered more than was taken: says nothing of shares. */
    UNCONTESTED("not contested"),
    /** It could not be measured. */
    FAILED("FAILED");

    final String title;

    CellVerdict(String title) {
        this.title = title;
    }
}
