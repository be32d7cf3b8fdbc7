package io.verbena.bench.promise;

/** What a cell came to. */
enum Verdict {
    /** Both always offered, and each got what it is entitled to. */
    KEPT("kept"),
    /** Both always offered, and one got less than it is entitled to. */
    BROKEN("BROKEN"),
    /** One did not always offer more than was taken, so it had all that it asked for. */
    UNCONTESTED("had all it asked for"),
    /** It could not be measured. */
    FAILED("FAILED");

    final String title;

    Verdict(String title) {
        this.title = title;
    }
}
