package io.verbena.bench.check.redis;

/** What the server sent is no RESP. */
final class MalformedReplyException extends RuntimeException {
    MalformedReplyException(String message) {
        super(message);
    }
}
