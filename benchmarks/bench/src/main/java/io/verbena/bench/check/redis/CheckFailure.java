package io.verbena.bench.check.redis;

/** The check has found something wrong; the message says all about it. */
final class CheckFailure extends RuntimeException {
    private final String text;

    CheckFailure(String text) {
        super(text);
        this.text = text;
    }

    String text() {
        return text;
    }
}
